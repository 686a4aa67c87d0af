"""Problem: what a trainer minimises. The summed negative log-likelihood of encoded sentences, with its penalties."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tagpool import _native


def _none() -> NDArray[np.float32]:
    return np.zeros(0, np.float32)


@dataclass(frozen=True, eq=False)
class Problem:
    """A training set with labels, and its penalties.

    f(w) = sum_i c_i * -log p(y_i | x_i) + l2/2 * |w|^2 + l1 * |w|_1

    ``chain`` is False for models whose tokens stand alone. ``example_weights`` (the c_i) are one a sentence in chains, one a
    token without; none: all are 1. ``start`` holds the parameters to begin with; none: zero. ``groups`` are numbers of features
    that belong together, for trainers that leave some out.
    """

    training: _native.TrainingSet
    chain: bool
    l2: float = 1.0
    l1: float = 0.0
    example_weights: NDArray[np.float32] = field(default_factory=_none)
    start: NDArray[np.float32] | None = None
    groups: NDArray[np.uint16] | None = None
    seed: int = 1
    threads: int = 1

    @property
    def parameter_count(self) -> int:
        """Number of weights: cells (feature, label), and for chains label bigrams, first and last labels."""
        return self.training.parameter_count if self.chain else self.training.cell_count

    def objective(self) -> _native.Objective:
        """The smooth part of f, with its gradient."""
        return _native.Objective(self.training, self.chain, self.l2, self.example_weights, self.threads)
