"""The second training of a robust expert: it continues with added sentences, and its weights are mixed with those of the first.

Training with changed sentences makes the expert robust; the average with the ordinary weights gives back what that costs on clean
text. The share of the new weights is chosen on the dev set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from tagpool.corpus.corpus import Corpus
from tagpool.experts.linear.expert import Expert
from tagpool.experts.linear.training import LinearTraining
from tagpool.experts.robust.copies import Copies
from tagpool.experts.robust.data import RobustData
from tagpool.experts.robust.decision import Decision, describe_copies
from tagpool.experts.robust.dev_sets import DevSets, DevTexts, Scorer, kind_of
from tagpool.experts.robust.first import FirstTraining
from tagpool.experts.robust.missing import Missing
from tagpool.experts.training_data import TrainingData
from tagpool.optim.sgd import SGD
from tagpool.optim.trainer import Trainer
from tagpool.optim.watch import Watch, Weights

EPOCHS = 1
"""Passes over the sentences and copies: the weights begin close to their end, and time is bounded."""
SHARES = (1.0, 0.9, 0.8, 0.65, 0.5, 0.35, 0.2)
"""Shares of the new weights to try: the first one that costs little enough is taken, as larger ones gain more."""
DEFAULT_SHARE = 0.8
"""Share of the new weights without a dev set."""


class RobustTraining(LinearTraining):
    """A training on sentences and changed ones that begins with the weights of the first training."""

    tagger: Expert
    data: RobustData

    def __init__(
        self,
        first: FirstTraining,
        corpus: Corpus,
        copies: Copies,
        missing: Missing,
        changes: Mapping[str, Sequence[str]],
        *,
        dev_texts: DevTexts | None,
        **options: Any,
    ) -> None:
        self.first = first
        self.copies = copies
        self.missing = missing
        self.counts = {kind: copies.counts.get(kind, 0) + missing.counts.get(kind, 0) for kind in changes}
        self.changes = changes
        self.original = corpus
        super().__init__(first.tagger, corpus, None, **options)
        self.dev_sets = None if dev_texts is None else DevSets.of(self, dev_texts)
        self.decision: Decision | None = None

    def _data(self, sentences: Any, labels: Any) -> TrainingData:
        return RobustData(self.first, self.original, self.copies, self.missing)

    def _trainer(self, expert: Expert) -> Trainer:
        first = self.first.trainer
        assert isinstance(first, SGD)
        return SGD(**{**first.get_params(deep=False), "epochs": EPOCHS, "tolerance": 0.0, "average_from": 0})

    def _start(self) -> Weights:
        self.begin = self.first.start.weights_in(self)
        return self.begin

    def _trained_on(self) -> int:
        return len(self.original)

    def learn(self, watch: Watch) -> Weights:
        """Run the epochs on the sentences and their copies."""
        watch.note(f"continued with {describe_copies(self.counts)}")
        return super().learn(watch)

    def install(self, learned: Weights, watch: Watch) -> None:
        """Set the model of the tagger, with the share of the new weights that is best on dev."""
        self.decision = self._decide(learned)
        super().install(self.mixed(learned, self.decision.share), watch)

    def mixed(self, learned: Weights, share: float) -> Weights:
        """Return the average of the first weights and the learned ones."""
        mixed: Weights = np.array(learned)  # its padding stays
        count = len(self.begin)
        mixed[:count] = ((1 - share) * self.begin + share * mixed[:count]).astype(np.float32)
        return mixed

    def _decide(self, learned: Weights) -> Decision:
        """Choose the largest share of the new weights that does not cost too much clean F1, and gains on changed text."""
        sets = self.dev_sets
        if sets is None:
            return Decision(self.counts, DEFAULT_SHARE)
        ordinary = Scorer(self, self.mixed(learned, 0.0), sets)
        before, scores_before = ordinary.clean(), ordinary.changed()
        one_span = 1 / max(self.size_of(sets.clean), 1)  # the smallest difference of a small dev set
        least = before - max(float(self.tagger.robust_cost) / 100, one_span)
        for share in SHARES:
            scorer = Scorer(self, self.mixed(learned, share), sets)
            if (clean := scorer.clean()) < least:
                continue
            scores = scorer.changed()
            if self._mean(scores) > self._mean(scores_before):
                shown = {name: (score, scores[name]) for name, score in scores_before.items()}
                return Decision(self.counts, share, (before, clean), shown)
        shown = {name: (score, score) for name, score in scores_before.items()}
        return Decision(self.counts, 0.0, (before, before), shown)

    def _mean(self, scores: Mapping[str, float]) -> float:
        """Return the mean over the kinds."""
        of_kind: dict[str, list[float]] = {}
        for name, score in scores.items():
            of_kind.setdefault(kind_of(name, self.changes), []).append(score)
        return float(np.mean([np.mean(values) for values in of_kind.values()])) if of_kind else 0.0

    def summary(self, watch: Watch) -> dict[str, Any]:
        """Facts about both trainings."""
        assert self.decision is not None
        first = self.first.facts_of_training
        decision = self.decision
        facts = {"epochs": first["epochs"] + (watch.log[-1].number if watch.log else 0), "robust": asdict(decision)}
        if decision.clean is not None:
            facts["dev"] = decision.clean[1]
        sizes = {"sentences": len(self.original), "tokens": self.original.token_count}
        return super().summary(watch) | {"trainer": first["trainer"]} | sizes | facts
