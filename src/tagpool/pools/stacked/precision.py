"""Precision of the spans above a threshold: a bound from gold sentences that the pools were not fitted on.

The rate of correct spans is a logistic function of the logit of their probability (Platt 1999). Spans of a document are alike, so
the errors of the two coefficients are those of documents (the sandwich estimator of Liang and Zeger 1986). The function is
monotone. Therefore no correction is needed for choosing the threshold on the same spans, as counts of correct spans would need.

A few documents say little about documents unlike them. So one more document is assumed, in which a part of the spans is wrong.

The held-out spans come from other pools, each fitted without a part of the gold sentences. The pool itself may be more confident
than they are. This error comes from as many gold sentences as that of the coefficients, so it is taken to be as large.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from tagpool.errors import InputError
from tagpool.pools.votes.ballots import FloatArray

_START = np.array([0.0, 1.0])  # calibrated probabilities
_SPREAD = np.array([1.0, 0.5])  # standard deviations of the prior of the coefficients
_WRONG = 0.25  # part of the spans of the assumed document
_ERRORS = 2  # of the same variance: that of the held-out spans, and that of the pool
_FEWEST = 5  # documents
_LEAST = 1e-6  # probability
_ROUNDS = 100


@dataclass(frozen=True)
class Threshold:
    """Spans with at least this probability: their share, their precision on gold, and the bound of their precision."""

    probability: float
    share: float
    precision: float
    bound: float


@dataclass(frozen=True, eq=False)
class HeldOutSpans:
    """Spans of gold sentences by pools that were fitted without them.

    They have probabilities, are correct or not, and belong to documents (or sentences), whose numbers are ``units``.
    """

    probability: FloatArray
    correct: NDArray[np.bool_]
    units: NDArray[np.int64]

    @property
    def documents(self) -> int:
        """The number of documents (or sentences)."""
        return len(np.unique(self.units))

    def threshold(self, precision: float, level: float = 0.95, probabilities: FloatArray | None = None) -> Threshold | None:
        """Return the lowest probability from which the precision holds with probability ``level``; else None.

        ``probabilities`` are those of the spans to choose from (default: the held-out spans).
        """
        if not 0 < precision < 1 or not 0 < level < 1:
            raise InputError(f"expected a precision and a level between 0 and 1, got {precision} and {level}")
        values, bounds = self.bounds(level, probabilities)
        enough = np.flatnonzero(bounds >= precision)
        return self._threshold(values, bounds, int(enough[-1])) if len(enough) else None

    def best(self, level: float = 0.95, probabilities: FloatArray | None = None) -> Threshold | None:
        """Return the threshold with the highest bound; None without spans or with few documents."""
        values, bounds = self.bounds(level, probabilities)
        return self._threshold(values, bounds, int(bounds.argmax())) if len(values) else None

    def bounds(self, level: float, probabilities: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
        """Return the probabilities in descending order, and a bound of the precision of all spans down to each.

        Both are empty if the gold sentences have fewer than five documents.
        """
        values = np.sort(self.probability if probabilities is None else probabilities)[::-1]
        if self.documents < _FEWEST:
            return values[:0], values[:0]
        coefficients, variance = self._coefficients()
        logits = _logit(values)
        rates = _rate(coefficients[0] + coefficients[1] * logits)
        counts = np.arange(1, len(values) + 1)
        slopes = np.stack((rates * (1 - rates), rates * (1 - rates) * logits)).cumsum(axis=1) / counts
        errors = np.sqrt(np.einsum("in,ij,jn->n", slopes, variance, slopes))
        bounds = rates.cumsum() / counts - _quantile(level, self.documents - 1) * errors
        last = np.append(values[1:] < values[:-1], True)  # of the spans with the same probability
        return values[last], bounds[last]

    def _threshold(self, values: FloatArray, bounds: FloatArray, number: int) -> Threshold:
        lowest = float(values[number])
        above = self.probability >= lowest
        precision = float(self.correct[above].mean()) if above.any() else math.nan
        return Threshold(lowest, float(above.mean()), precision, float(bounds[number]))

    def _coefficients(self) -> tuple[FloatArray, FloatArray]:
        """Return intercept and slope, and their covariance."""
        _, numbers = np.unique(self.units, return_inverse=True)
        groups, count = self.documents, len(self.correct)
        part = np.full(count, 1 / groups)  # the assumed document has the mean size, and the probabilities of all spans
        logits = np.tile(_logit(self.probability), 3)
        table = np.column_stack((np.ones(3 * count), logits))
        correct = np.concatenate((self.correct.astype(np.float64), np.zeros(count), np.ones(count)))
        weights = np.concatenate((np.ones(count), _WRONG * part, (1 - _WRONG) * part))
        coefficients, curvature = _fit(table, correct, weights)
        residuals = (weights * (correct - _rate(table @ coefficients)))[:, None] * table
        sums = np.zeros((groups + 1, 2))
        np.add.at(sums, np.concatenate((numbers, np.full(2 * count, groups))), residuals)
        inverse = np.linalg.inv(curvature)
        return coefficients, inverse @ (sums.T @ sums * (_ERRORS * (groups + 1) / groups)) @ inverse


def _fit(table: FloatArray, correct: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the most likely coefficients under their prior, and the second derivatives there, by Newton's method."""
    penalty = np.diag(1 / _SPREAD**2)

    def loss(values: FloatArray) -> float:
        far = values - _START
        return float(weights @ np.logaddexp(0, (1 - 2 * correct) * (table @ values)) + far @ penalty @ far / 2)

    coefficients = _START
    for _ in range(_ROUNDS):
        rates = _rate(table @ coefficients)
        gradient = table.T @ (weights * (correct - rates)) - penalty @ (coefficients - _START)
        curvature: FloatArray = (table * (weights * rates * (1 - rates))[:, None]).T @ table + penalty
        step = np.linalg.solve(curvature, gradient)
        before = loss(coefficients)
        while loss(coefficients + step) > before and np.abs(step).max() > _LEAST:
            step = step / 2
        coefficients = coefficients + step
        if np.abs(step).max() <= _LEAST:
            break
    return coefficients, curvature


def _logit(probabilities: FloatArray) -> FloatArray:
    clipped = np.clip(probabilities, _LEAST, 1 - _LEAST)
    logits: FloatArray = np.log(clipped / (1 - clipped))
    return logits


def _rate(scores: FloatArray) -> FloatArray:
    rates: FloatArray = 1 / (1 + np.exp(-scores))
    return rates


def _quantile(level: float, freedom: int) -> float:
    """Return the quantile of Student's distribution, by the expansion of Cornish and Fisher."""
    z = NormalDist().inv_cdf(level)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return float(z + first / freedom + second / freedom**2 + third / freedom**3)
