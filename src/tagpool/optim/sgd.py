"""Averaged stochastic gradient descent, the default trainer: the accuracy of L-BFGS in a small fraction of its time."""

from __future__ import annotations

import warnings

import numpy as np

from tagpool import _native
from tagpool.errors import InputError, TrainingError
from tagpool.optim.problem import Problem
from tagpool.optim.trainer import Trainer, check_positive, check_whole
from tagpool.optim.watch import Watch, Weights

_RETRIES = 8


class SGD(Trainer):
    """Averaged stochastic gradient descent (Bottou 2010; Xu 2011) with lazy ℓ2, on the problem's own objective.

    ``epochs`` passes over the sentences; ``step`` is the first step size, calibrated on a sample when not given;
    averaging begins after ``average_from`` epochs.
    """

    def __init__(self, *, epochs: int = 10, step: float | None = None, average_from: int = 1) -> None:
        self.epochs = epochs
        self.step = step
        self.average_from = average_from

    def _run(self, problem: Problem, watch: Watch) -> Weights:
        check_whole(self, "epochs", 1)
        check_whole(self, "average_from", 0)
        if self.step is not None:
            check_positive(self, "step")
        if problem.l1:
            raise InputError(f"the trainer sgd has no l1 penalty (got l1={problem.l1:g}): use owlqn or fobos")
        step = self.step or 0.0
        for _ in range(_RETRIES):
            native = self._begun(problem, step)
            weights = self._epochs(native, watch)
            if weights is not None:
                return weights
            step = native.step / 10
            note = f"the loss diverged with a step of {native.step:.3g}; trying again with {step:.3g}"
            watch.note(note)
            warnings.warn(note, RuntimeWarning, stacklevel=2)
        raise TrainingError(f"the loss diverged with every step size down to {step:.3g}; check the values of the features")

    def _begun(self, problem: Problem, step: float) -> _native.Sgd:
        native = _native.Sgd(
            problem.training, problem.chain, problem.l2, step, self.average_from, problem.seed, problem.example_weights
        )
        if problem.start is not None:
            native.start_from(problem.start)
        return native

    def _epochs(self, native: _native.Sgd, watch: Watch) -> Weights | None:
        """The weights, None if the loss diverged."""
        first = None
        for number in range(1, self.epochs + 1):
            loss = native.epoch()
            first = loss if first is None else first
            # A step that is too large overshoots further with every epoch; one that merely wavers comes back.
            if not np.isfinite(loss) or loss > 10 * first + 1:
                return None
            if not watch.epoch(number, self.epochs, loss, native.parameters):
                break
        weights = native.parameters()
        return weights if np.isfinite(weights).all() else None
