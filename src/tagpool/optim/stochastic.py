"""Epochs of stochastic trainers, and the retry with a smaller step when the loss diverges."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from tagpool.errors import TrainingError
from tagpool.optim.watch import Watch, Weights

_RETRIES = 8


def descend(begin: Callable[[float], Any], step: float, epochs: int, watch: Watch) -> Weights:
    """Run the epochs of a native learner; restart with a smaller step if the loss diverges.

    ``begin`` creates the learner for a step size; 0 calibrates it.
    """
    calibrated = step <= 0
    for _ in range(_RETRIES):
        learner = begin(step)
        weights = _run_epochs(learner, epochs, watch)
        if weights is not None:
            watch.step = learner.step
            return weights
        # Replace a step size set by the user by the calibrated one, and a calibrated one by a tenth of it.
        step, calibrated = learner.step / 10 if calibrated else 0.0, True
        smaller = f"a step of {step:.3g}" if step else "a calibrated step"
        note = f"the loss diverged with a step of {learner.step:.3g}; restarting with {smaller}"
        watch.note(note)
        warnings.warn(note, RuntimeWarning, stacklevel=2)
    raise TrainingError(f"the loss diverged with every step size down to {step:.3g}; check the values of the features")


def _run_epochs(learner: Any, epochs: int, watch: Watch) -> Weights | None:
    """Return the weights; None if the loss diverged."""

    def current() -> Weights:
        weights: Weights = learner.parameters().astype(np.float32, copy=False)
        return weights

    first = None
    for number in range(1, epochs + 1):
        loss = learner.epoch()
        first = loss if first is None else first
        # A step that is too large overshoots further with every epoch; smaller variations are harmless.
        if not np.isfinite(loss) or loss > 10 * first + 1:
            return None
        if not watch.epoch(number, epochs, loss, current):
            break
    weights = current()
    return weights if np.isfinite(weights).all() else None
