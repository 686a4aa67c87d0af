"""Choice of the l2 penalty on the dev set, where further trainings take little time."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

from tagpool.cli.training.learners import LEARNER, LEARNERS
from tagpool.config import Settings
from tagpool.corpus.corpus import Corpus
from tagpool.evaluation.dev_sets import chance_margin
from tagpool.experts.linear.expert import Expert
from tagpool.experts.tasks import Engine
from tagpool.optim.checkpoint import Checkpoint
from tagpool.optim.watch import Epoch

FACTORS = (0.1, 0.3, 3.0)
"""The penalties to try, as multiples of the default."""
_CHEAP = 50_000  # tokens: a training takes less than a second
_FEW = 100  # spans of a dev set whose scores are mostly chance


class Tune(str, Enum):
    """Values of ``--tune``."""

    AUTO = "auto"
    OFF = "off"


def fix_penalty(settings: Settings) -> None:
    """Set the default penalty, so that it is not chosen, unless it is set or the learner has none."""
    declared = LEARNERS[settings.kind(LEARNER, LEARNERS, "crf")]
    is_new = "start" not in settings.table(("data",))
    if issubclass(declared, Expert) and is_new and "l2" not in settings.table(LEARNER):
        settings.add("--tune", {"learner": {"l2": declared.parameters()["l2"].default}})


def may_choose(learner: Any, settings: Settings, start: str | None) -> bool:
    """Return whether the penalty is free: a new CRF or MaxEnt whose l2 is not set."""
    return isinstance(learner, Expert) and start is None and "l2" not in settings.table(LEARNER)


class PenaltyChoice:
    """The dev scores of a tagger with other penalties."""

    def __init__(self, tagger: Expert, sentences: Corpus, dev: Corpus, engine: Engine | None = None) -> None:
        from tagpool.evaluation.scores import score  # noqa: PLC0415 - most trainings do not choose a penalty

        self.chosen = tagger
        self._engine = engine
        robust = tagger.summary_.get("robust")
        ordinary = tagger.summary_["dev"] if robust is None else robust["clean"][0]
        self.scores = {float(tagger.l2): float(ordinary or 0.0)}
        self._default = float(tagger.l2)
        self._sentences = sentences
        self._dev = dev
        self._spans = score(dev.labels, dev.labels).gold

    @staticmethod
    def is_cheap(sentences: Corpus) -> bool:
        """Return whether further trainings take little time."""
        return sentences.token_count <= _CHEAP

    @property
    def has_enough_spans(self) -> bool:
        """Whether the scores of the dev set are more than chance."""
        return self._spans >= _FEW

    def run(self, on_epoch: Callable[[Epoch], bool], checkpoint: Checkpoint | None = None) -> None:
        """Train with each penalty. Another one than the default must be better by more than chance.

        These trainings are ordinary ones. A robust one follows with the penalty that was chosen.
        """
        default = self.scores[self._default]
        required = default + chance_margin(default, self._spans)
        parameters = self.chosen.get_params(deep=False)
        for number, factor in enumerate(FACTORS):
            tagger = type(self.chosen)(**{**parameters, "l2": self._default * factor, "robust": None})
            part = None if checkpoint is None else checkpoint.part(f"l2-{number}")
            tagger.fit(self._sentences, dev=self._dev, on_epoch=on_epoch, checkpoint=part, engine=self._engine)
            dev_score = float(tagger.summary_["dev"] or 0.0)
            self.scores[float(tagger.l2)] = dev_score
            if dev_score > required:
                self.chosen, required = tagger, dev_score
        if parameters["robust"] is not None and self.chosen.l2 != self._default:
            part = None if checkpoint is None else checkpoint.part("robust-l2")
            self.chosen = type(self.chosen)(**{**parameters, "l2": self.chosen.l2})
            self.chosen.fit(self._sentences, dev=self._dev, on_epoch=on_epoch, checkpoint=part)

    def describe(self) -> str:
        """Return the scores and the choice in words."""
        scores = ", ".join(f"{l2:g}: {100 * value:.2f}" for l2, value in sorted(self.scores.items()))
        reason = "no other is clearly better" if self.chosen.l2 == self._default else "clearly better than the default"
        return f"penalty l2 (dev F1): {scores}; chosen: {self.chosen.l2:g}, {reason} (--tune off: no choice)"
