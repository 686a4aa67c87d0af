"""Confidence of labels and spans: exact span probabilities, and their calibration."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tagpool.chain.lattice import Lattice
from tagpool.chain.stretches import Stretches
from tagpool.corpus.constraints import SchemeConstraints
from tagpool.corpus.schemes import Span, spans
from tagpool.pools.votes.ballots import FloatArray
from tagpool.pools.votes.calibration import Calibration, calibrate

_BINS = 10


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
    numbers = [rules.labels.index(label) for label in labels]
    stretches = Stretches(lattice, rules.continues)
    return [(span, round(stretches.probability(numbers, span.start, span.end), 12)) for span in spans(labels)]


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
