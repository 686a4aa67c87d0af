"""Cross-validation of a stack: labels of gold sentences by stacks that were trained without them, and their confidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tagpool.corpus.schemes import Scheme, spans
from tagpool.experts.linear.crf import CRF
from tagpool.pools.stacked.confidence import calibration_error, span_probabilities, useful_calibration
from tagpool.pools.stacked.precision import HeldOutSpans
from tagpool.pools.stacked.sentences import StackSentences
from tagpool.pools.stacked.training import Labels, StackSettings, StackTraining, predict_fold
from tagpool.pools.votes.calibration import Calibration


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Results of cross-validation; ``training`` has the gold sentences, ``plain_labels`` are those without copies."""

    training: StackTraining
    labels: Labels
    f1: float
    missing: dict[str, float]
    spans: HeldOutSpans
    token_calibration: Calibration | None
    span_calibration: Calibration | None
    calibration_errors: dict[str, float]
    plain_labels: Labels | None = None


class _Collector:
    """Labels, and probabilities of tokens and spans, of all folds."""

    def __init__(self, training: StackTraining, scheme: Scheme) -> None:
        self.gold = training.gold
        self.scheme = scheme
        empty: Labels = [[] for _ in range(len(self.gold))]
        self.labels = empty
        self.without: list[Labels] = [list(empty) for _ in self.gold.names]
        self.tokens: list[tuple[float, bool]] = []
        self.spans: list[tuple[float, bool]] = []
        self.span_units: list[int] = []
        self.units = training.units

    def add(self, fold: list[int], stack: CRF | str) -> None:
        """Add the sentences of a fold."""
        part = self.gold.select(fold)
        self._add_missing(fold, part, stack)
        if isinstance(stack, str):
            for number, row in zip(fold, predict_fold(stack, part), strict=True):
                self.labels[number] = row
            return
        corpus = part.corpus()
        rules = self.scheme.constraints(stack.labels_)
        for number, lattice, row in zip(fold, stack.lattices(corpus), stack.predict(corpus), strict=True):
            self.labels[number] = row
            known = self.gold.gold[number] or ()
            marginals = lattice.marginals()
            for token, label in enumerate(row):
                if known[token] is not None:
                    self.tokens.append((float(marginals[token, rules.labels.index(label)]), label == known[token]))
            right = set(spans(["O" if label is None else label for label in known]))
            for span, value in span_probabilities(lattice, row, rules):
                if None not in known[span.start : span.end + 1]:
                    self.spans.append((value, span in right))
                    self.span_units.append(self.units[number])

    def _add_missing(self, fold: list[int], part: StackSentences, stack: CRF | str) -> None:
        if len(self.gold.names) > 1:
            for expert, labels in enumerate(self.without):
                for number, row in zip(fold, predict_fold(stack, part, blank=expert), strict=True):
                    labels[number] = row


def hold_out(
    training: StackTraining, settings: StackSettings, scheme: Scheme, on_step: Callable[[str], object] = lambda _: None
) -> HeldOut:
    """Cross-validate a stack with copies without one expert."""
    collector = _Collector(training, scheme)
    for number, (fold, stack) in enumerate(training.held_out(settings, copies=True), 1):
        on_step(f"confidence of the stack: fold {number} of {len(training.folds)}")
        collector.add(list(fold), stack)
    f1 = training.score(collector.labels)
    missing = {}
    if len(training.gold.names) > 1:
        pairs = zip(training.gold.names, collector.without, strict=True)
        missing = {name: f1 - training.score(labels) for name, labels in pairs}
    tokens, token_hits = _columns(collector.tokens)
    probability, correct = _columns(collector.spans)
    return HeldOut(
        training=training,
        labels=collector.labels,
        f1=f1,
        missing=missing,
        spans=HeldOutSpans(probability, correct, np.array(collector.span_units, np.int64)),
        token_calibration=useful_calibration(tokens, token_hits),
        span_calibration=useful_calibration(probability, correct),
        calibration_errors={"tokens": calibration_error(tokens, token_hits), "spans": calibration_error(probability, correct)},
    )


def _columns(pairs: list[tuple[float, bool]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([value for value, _ in pairs], np.float64), np.array([right for _, right in pairs], np.bool_)
