"""Calibration: from the share of the votes that a label got to how often such labels are right.

The map rises with the share: isotonic regression by pooling adjacent violators (Ayer et al. 1955), between whose steps is
interpolated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagpool.pools.votes.ballots import FloatArray


@dataclass(frozen=True, eq=False)
class Calibration:
    """Knots of the map, both rising: ``shares`` of the votes, and how often labels with such a share are right."""

    shares: FloatArray
    rates: FloatArray

    def __call__(self, shares: FloatArray) -> FloatArray:
        """How often labels with these shares are right."""
        return np.interp(shares, self.shares, self.rates)


def calibrated(shares: FloatArray, right: NDArray[np.bool_]) -> Calibration:
    """The best rising map from shares to rates of labels that are right.

    >>> made = calibrated(np.array([0.5, 0.6, 0.6, 0.9]), np.array([True, False, False, True]))
    >>> made(np.array([0.4, 0.6, 0.75, 1.0])).round(3).tolist()
    [0.333, 0.333, 0.667, 1.0]
    """
    values, numbers = np.unique(shares, return_inverse=True)
    counts = np.bincount(numbers).astype(np.float64)
    rates = np.bincount(numbers, right) / counts
    blocks: list[list[float]] = []  # rate, count, how many values
    for rate, count in zip(rates.tolist(), counts.tolist(), strict=True):
        blocks.append([rate, count, 1])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            rate, count, width = blocks.pop()
            before = blocks[-1]
            before[0] = (before[0] * before[1] + rate * count) / (before[1] + count)
            before[1] += count
            before[2] += width
    return Calibration(values, np.repeat([block[0] for block in blocks], [int(block[2]) for block in blocks]))


def expected_calibration_error(
    confidence: Sequence[float] | FloatArray, right: Sequence[bool] | NDArray[np.bool_], bins: int = 10
) -> float:
    """How far confidence is from the rate of right labels, on average over tokens put in bins of equal width.

    >>> expected_calibration_error([0.95, 0.95], [True, False])
    0.45
    """
    sure, hit = np.asarray(confidence, np.float64), np.asarray(right, np.float64)
    number = np.minimum((sure * bins).astype(np.int64), bins - 1)
    gaps = np.abs(np.bincount(number, sure, bins) - np.bincount(number, hit, bins))
    return round(float(gaps.sum()) / max(len(sure), 1), 12)
