"""Trials of a search and its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tagpool.tuning.space import Dimension

FINISHED, PRUNED, FAILED = "finished", "pruned", "failed"


@dataclass(frozen=True)
class Trial:
    """One training of a search.

    ``values`` are those of the searched parameters, ``score`` the F1 of the dev set from 0 to 1, ``seconds`` the time. A
    "pruned" trial was stopped because earlier trials were better after as many epochs; a "failed" one ended with ``error``.
    """

    number: int
    values: Mapping[str, Any]
    score: float | None
    seconds: float
    state: str = FINISHED
    error: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the trial for JSON; the score is from 0 to 1.

        >>> Trial(1, {"learner.l2": 1.0}, 0.5, 2.0).to_dict()["dev_f1"]
        0.5
        """
        facts = {"trial": self.number, "state": self.state, "dev_f1": self.score}
        return {**facts, "seconds": round(self.seconds, 3), "values": dict(self.values)} | (
            {} if self.error is None else {"error": self.error}
        )


@dataclass(frozen=True, eq=False)
class Tuning:
    """The result of :func:`tagpool.tune`.

    ``learner`` is the unfitted learner with the best values. ``trials`` has all trials in order; the first one has the
    defaults. ``importances`` has the share of each parameter in the differences between scores, the largest first; it is empty
    if there are too few trials.
    """

    learner: Any
    trials: Sequence[Trial]
    space: Sequence[Dimension]
    importances: Mapping[str, float]

    @property
    def defaults(self) -> Trial:
        """The trial of the defaults."""
        return self.trials[0]

    @property
    def best(self) -> Trial:
        """The trial with the best score; of several, the first one."""
        return self.ranking()[0]

    @property
    def gain(self) -> float:
        """The difference of the best score to that of the defaults."""
        return float(self.best.score or 0.0) - float(self.defaults.score or 0.0)

    def ranking(self) -> list[Trial]:
        """Return the finished trials with different values, the best first."""
        distinct: dict[tuple[Any, ...], Trial] = {}
        for trial in self.trials:
            if trial.state == FINISHED:
                distinct.setdefault(tuple(trial.values.values()), trial)
        return sorted(distinct.values(), key=lambda trial: -(trial.score or 0.0))

    def changes(self, trial: Trial) -> dict[str, Any]:
        """Return the values of a trial that differ from the defaults."""
        defaults = self.defaults.values
        return {name: value for name, value in trial.values.items() if value != defaults[name]}

    def to_dict(self) -> dict[str, Any]:
        """Return the result for JSON."""
        return {
            "best": self.best.to_dict(),
            "defaults": self.defaults.to_dict(),
            "gain": self.gain,
            "importances": dict(self.importances),
            "space": {one.name: list(one.bounds) for one in self.space},
            "trials": [trial.to_dict() for trial in self.trials],
        }
