"""Learning curve: how much more gold data would help."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_MOST_FACTOR = 4  # an extrapolation further than this says little


@dataclass(frozen=True)
class LearningCurve:
    """F1 by number of gold sentences, and the power law error = a · n^-b through them."""

    points: tuple[tuple[int, float], ...]
    scale: float
    power: float

    def f1_at(self, sentences: int) -> float:
        """Return the expected F1 of a number of sentences, up to four times the largest."""
        most = _MOST_FACTOR * max(count for count, _ in self.points)
        error: float = self.scale * min(sentences, most) ** -self.power
        return max(0.0, 1 - error)

    def gain(self, factor: float) -> float:
        """Return the expected F1 gained by ``factor`` times as many sentences.

        >>> round(fit_curve([(100, 0.8), (200, 0.9)]).gain(2), 3)
        0.05
        """
        count = max(count for count, _ in self.points)
        return self.f1_at(round(factor * count)) - self.f1_at(count)


def fit_curve(points: Sequence[tuple[int, float]]) -> LearningCurve:
    """Fit a power law to points (sentences, F1), by least squares of the logarithms. The error does not grow."""
    logs = [(math.log(count), math.log(max(1 - f1, 1e-4))) for count, f1 in points]
    mean_x, mean_y = (sum(values) / len(logs) for values in zip(*logs, strict=True))
    spread = sum((x - mean_x) ** 2 for x, _ in logs)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in logs) / spread if spread else 0.0
    power = max(0.0, -slope)
    return LearningCurve(tuple(points), math.exp(mean_y + power * mean_x), power)
