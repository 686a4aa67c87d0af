"""Confidence of labels and spans: exact span probabilities, calibration, and thresholds with a guaranteed precision."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagpool.chain.lattice import Lattice
from tagpool.corpus.constraints import SchemeConstraints
from tagpool.corpus.schemes import Span, spans
from tagpool.errors import InputError
from tagpool.pools.votes.ballots import FloatArray
from tagpool.pools.votes.calibration import Calibration, calibrate

_BINS = 10
_SHARES = np.arange(100, 0, -1) / 100  # parts of the spans that a threshold keeps


def span_probabilities(lattice: Lattice, labels: Sequence[str], rules: SchemeConstraints) -> list[tuple[Span, float]]:
    """Return the spans of a label sequence with their probabilities: all tokens have these labels, and the span ends there.

    >>> from tagpool import Scheme
    >>> rules = Scheme.BIO2.constraints(["O", "B-X", "I-X"])
    >>> lattice = rules.constrain(Lattice(np.zeros((2, 3)), np.zeros((3, 3))))
    >>> span_probabilities(lattice, ["B-X", "I-X"], rules)
    [(Span(start=0, end=2, type='X'), 0.2)]
    """
    if not len(lattice):
        return []
    first, steps = (np.exp(part) for part in lattice.log_transitions())
    numbers = [rules.labels.index(label) for label in labels]
    marginals = lattice.marginals() if len(labels) else first[None]
    result = []
    for span in spans(labels):
        probability = float(marginals[span.start, numbers[span.start]])
        for token in range(span.start, span.end - 1):
            probability *= float(steps[token, numbers[token], numbers[token + 1]])
        if span.end < len(labels):
            last = numbers[span.end - 1]
            probability *= max(0.0, 1 - float(steps[span.end - 1, last, rules.continues[last]].sum()))
        result.append((span, round(min(probability, 1.0), 12)))
    return result


def calibration_error(confidence: FloatArray, correct: NDArray[np.bool_]) -> float:
    """Return the expected calibration error (ECE): the mean gap between confidence and accuracy over ten bins.

    >>> round(calibration_error(np.array([0.8, 0.8]), np.array([True, False])), 3)
    0.3
    """
    if not len(confidence):
        return 0.0
    bins = np.minimum((confidence * _BINS).astype(int), _BINS - 1)
    counts = np.bincount(bins, minlength=_BINS)
    gaps = np.bincount(bins, confidence, _BINS) - np.bincount(bins, correct.astype(np.float64), _BINS)
    return float(np.abs(gaps).sum() / counts.sum())


def useful_calibration(confidence: FloatArray, correct: NDArray[np.bool_]) -> Calibration | None:
    """Return a calibration, or None if it would not help on the other half of the data."""
    if len(confidence) < 2 * _BINS:
        return None
    half = np.arange(len(confidence)) % 2 == 0
    mapped = np.empty_like(confidence)
    for part in (half, ~half):
        mapped[part] = calibrate(confidence[~part], correct[~part])(confidence[part])
    if calibration_error(mapped, correct) >= calibration_error(confidence, correct):
        return None
    return calibrate(confidence, correct)


def least_precision(correct: int, count: int, level: float) -> float:
    """Return the Clopper–Pearson bound: the precision is at least this, with probability ``level``.

    >>> round(least_precision(20, 20, 0.95), 4)  # 0.05 ** (1 / 20)
    0.8609
    """
    if not correct:
        return 0.0
    low, high = 0.0, correct / count
    logs = [math.lgamma(count + 1) - math.lgamma(k + 1) - math.lgamma(count - k + 1) for k in range(correct, count + 1)]
    ways, hits = np.array(logs), np.arange(correct, count + 1)
    if correct == count:
        return float((1 - level) ** (1 / count))
    for _ in range(50):
        middle = (low + high) / 2
        tail = float(np.exp(ways + hits * math.log(max(middle, 1e-300)) + (count - hits) * math.log1p(-middle)).sum())
        low, high = (middle, high) if tail < 1 - level else (low, middle)
    return low


def clustered_bound(correct: NDArray[np.bool_], units: NDArray[np.int64], level: float) -> float:
    """Return a bound of the precision for spans of the same documents, whose errors are alike.

    The number of spans is divided by the design effect (Kish 1965): the variance of the precision by documents, relative to that
    of independent spans.

    >>> right = np.arange(200) % 10 > 0
    >>> alone, together = np.arange(200), np.arange(200) % 10
    >>> clustered_bound(right, alone, 0.9) > clustered_bound(right, together, 0.9)
    True
    """
    count, rate = len(correct), float(correct.mean())
    _, numbers = np.unique(units, return_inverse=True)
    groups = int(numbers.max()) + 1
    if groups < 2 or rate in (0.0, 1.0):
        return least_precision(int(correct.sum()), count, level)
    residuals = np.bincount(numbers, correct - rate)
    variance = float((residuals**2).sum()) * groups / (groups - 1)
    effect = max(1.0, variance / (count * rate * (1 - rate)))
    fewer = max(1, int(count / effect))
    return least_precision(fewer - math.ceil(fewer * (1 - rate)), fewer, level)


@dataclass(frozen=True, eq=False)
class HeldOutSpans:
    """Spans of gold sentences by pools that were fitted without them.

    They have probabilities, are correct or not, and belong to documents (or sentences), whose numbers are ``units``.
    """

    probability: FloatArray
    correct: NDArray[np.bool_]
    units: NDArray[np.int64]

    def threshold(self, precision: float, level: float = 0.9) -> Threshold | None:
        """Return the lowest probability from which the precision holds with probability ``level``; else None."""
        if not 0 < precision < 1 or not 0 < level < 1:
            raise InputError(f"expected a precision and a level between 0 and 1, got {precision} and {level}")
        order = np.argsort(-self.probability, kind="stable")
        correct, units = self.correct[order], self.units[order]
        total = len(order)
        for share in _SHARES.tolist():
            count = round(share * total)
            if count < 1:
                break
            lowest = self.probability[order[count - 1]]
            count = int((self.probability >= lowest).sum())  # all spans with the same probability
            bound = clustered_bound(correct[:count], units[:count], level)
            if bound >= precision:
                return Threshold(float(lowest), count / total, float(correct[:count].mean()), bound)
        return None


@dataclass(frozen=True)
class Threshold:
    """Spans with at least this probability: their share, their precision on gold, and the bound of the precision."""

    probability: float
    share: float
    precision: float
    bound: float
