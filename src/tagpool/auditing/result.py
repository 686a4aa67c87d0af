"""Rows of an audit, and its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tagpool.evaluation.versions import Difference

TEXT, FEATURES, SLICE = "text", "features", "slice"
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class AuditRow:
    """A change of the text, a missing part of the model, or a slice of the test set.

    ``score`` is the F1 (the accuracy of plain labels) and ``loss`` the score of the whole unchanged test set minus it, from 0 to
    1, with its 95% interval and p value. For a slice, the loss compares it with the whole test set. ``gold`` is the number of
    gold spans. If the row does not apply, ``reason`` says why, and the numbers are None.

    After retraining, ``worth`` is the score with the part minus that of a model trained without it, and ``dependence`` the loss
    minus the worth: the score that a model without the part could have, but this one does not reach, since it relies on the part.
    """

    kind: str
    name: str
    perturbation: str = ""
    score: float | None = None
    loss: Difference | None = None
    gold: int = 0
    worth: Difference | None = None
    dependence: Difference | None = None
    reason: str = ""
    advice: str = ""

    @property
    def is_significant(self) -> bool:
        """Whether the score is lower by more than chance, at 5%."""
        return self.loss is not None and self.loss.value > 0 and self.loss.p_value < SIGNIFICANT

    def to_dict(self) -> dict[str, Any]:
        """Return the row for JSON; scores are from 0 to 1."""
        row: dict[str, Any] = {"kind": self.kind, "name": self.name}
        if self.reason:
            return row | {"reason": self.reason, "advice": self.advice}
        row |= {"score": self.score, "gold": self.gold}
        for name in ("loss", "worth", "dependence"):
            difference: Difference | None = getattr(self, name)
            if difference is not None:
                row |= {
                    name: difference.value,
                    f"{name}_interval": list(difference.interval),
                    f"{name}_p": difference.p_value,
                }
        return row | {"advice": self.advice}


@dataclass(frozen=True)
class Audit:
    """The result of :func:`tagpool.audit`: rows with the largest loss first, those that do not apply last.

    ``metric`` is ``F1`` or ``accuracy``; ``score`` is that of the unchanged test set with its ``interval``. ``gold`` counts the
    gold spans; with ``plain`` labels, the tokens that are not labelled ``O``.
    """

    tagger: str
    metric: str
    score: float
    interval: Sequence[float]
    sentences: int
    gold: int
    plain: bool
    rows: Sequence[AuditRow]
    notes: Sequence[str] = ()

    def row(self, name: str) -> AuditRow:
        """Return the row of a name, such as ``"lower"``."""
        return next(row for row in self.rows if name in (row.name, row.perturbation))

    @property
    def dependence(self) -> list[AuditRow]:
        """The parts of the model that were also left out in a training, those that it depends on most first."""
        rows = [row for row in self.rows if row.dependence is not None]
        return sorted(rows, key=lambda row: -(row.dependence.value if row.dependence else 0.0))

    def to_dict(self) -> Mapping[str, Any]:
        """Return the result for JSON; scores are from 0 to 1."""
        return {
            "tagger": self.tagger,
            "metric": self.metric,
            "score": self.score,
            "interval": list(self.interval),
            "sentences": self.sentences,
            "gold": self.gold,
            "notes": list(self.notes),
            "rows": [row.to_dict() for row in self.rows],
        }
