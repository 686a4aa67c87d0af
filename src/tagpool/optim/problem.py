"""Problem: the objective of a trainer, the negative log-likelihood of encoded sentences with penalties."""

from __future__ import annotations

from dataclasses import dataclass

from tagpool import _native
from tagpool.lazy import TYPE_CHECKING, LazyModule

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = LazyModule("numpy")


@dataclass(frozen=True, eq=False)
class Problem:
    """Training set with labels and penalties.

    f(w) = sum_i c_i * -log p(y_i | x_i) + l2/2 * |w|^2 + l1 * |w|_1

    ``chain`` is False for models of independent tokens. ``example_weights`` are the c_i, one per sentence in chains and one per
    token otherwise (None: all 1). ``start`` has the initial weights (default: zero), which
    were trained on ``trained_on`` sentences. ``groups`` has a group number for each
    feature, for dropout of groups.
    """

    training: _native.TrainingSet
    chain: bool
    l2: float = 1.0
    l1: float = 0.0
    example_weights: NDArray[np.float32] | None = None
    start: NDArray[np.float32] | None = None
    trained_on: int = 0
    groups: NDArray[np.uint16] | None = None
    seed: int = 1
    threads: int = 1

    @property
    def parameter_count(self) -> int:
        """Number of weights: cells (feature, label), and for chains label bigrams, first and last labels."""
        return self.training.parameter_count if self.chain else self.training.cell_count

    def objective(self) -> _native.Objective:
        """Return the smooth part of f, with its gradient."""
        return _native.Objective(self.training, self.chain, self.l2, self.example_weights, self.threads)
