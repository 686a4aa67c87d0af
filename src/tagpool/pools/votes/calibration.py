"""Calibration: map the confidence of labels to the rate at which such labels are correct.

The map is isotonic regression by pooling adjacent violators (Ayer et al. 1955), with linear interpolation between its knots.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagpool.pools.votes.ballots import FloatArray


@dataclass(frozen=True, eq=False)
class Calibration:
    """Knots of an increasing map from ``confidence`` to ``rates`` of correct labels."""

    confidence: FloatArray
    rates: FloatArray

    def __call__(self, confidence: FloatArray) -> FloatArray:
        """Return the rates of correct labels."""
        return np.interp(confidence, self.confidence, self.rates)


def calibrate(confidence: FloatArray, correct: NDArray[np.bool_]) -> Calibration:
    """Fit the best increasing map from confidence to the rate of correct labels.

    >>> calibration = calibrate(np.array([0.5, 0.6, 0.6, 0.9]), np.array([True, False, False, True]))
    >>> calibration(np.array([0.4, 0.6, 0.75, 1.0])).round(3).tolist()
    [0.333, 0.333, 0.667, 1.0]
    """
    values, numbers = np.unique(confidence, return_inverse=True)
    counts = np.bincount(numbers).astype(np.float64)
    rates = np.bincount(numbers, correct) / counts
    blocks: list[list[float]] = []  # rate, count, number of values
    for rate, count in zip(rates.tolist(), counts.tolist(), strict=True):
        blocks.append([rate, count, 1])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            rate, count, width = blocks.pop()
            before = blocks[-1]
            before[0] = (before[0] * before[1] + rate * count) / (before[1] + count)
            before[1] += count
            before[2] += width
    return Calibration(values, np.repeat([block[0] for block in blocks], [int(block[2]) for block in blocks]))
