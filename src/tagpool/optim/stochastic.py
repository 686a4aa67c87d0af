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
    """Runs the epochs of a native learner; with a smaller step from the start again if the loss diverges.

    ``begin`` makes the learner for a step size, 0 for one that it finds itself.
    """
    given = step > 0
    for _ in range(_RETRIES):
        learner = begin(step)
        weights = _epochs(learner, epochs, watch)
        if weights is not None:
            watch.step = learner.step
            return weights
        # Replace a step size set by the user by the calibrated one, and a calibrated one by a tenth of it.
        step, given = (learner.step / 10, False) if not given else (0.0, False)
        smaller = f"{step:.3g}" if step else "one found by trying"
        note = f"the loss diverged with a step of {learner.step:.3g}; beginning again with {smaller}"
        watch.note(note)
        warnings.warn(note, RuntimeWarning, stacklevel=2)
    raise TrainingError(f"the loss diverged with every step size down to {step:.3g}; check the values of the features")


def _epochs(learner: Any, epochs: int, watch: Watch) -> Weights | None:
    """The weights, None if the loss diverged."""
    first = None
    for number in range(1, epochs + 1):
        loss = learner.epoch()
        first = loss if first is None else first
        # A step that is too large overshoots further with every epoch; one that merely wavers comes back.
        if not np.isfinite(loss) or loss > 10 * first + 1:
            return None
        if not watch.epoch(number, epochs, loss, lambda: as_weights(learner)):
            break
    weights = as_weights(learner)
    return weights if np.isfinite(weights).all() else None


def as_weights(learner: Any) -> Weights:
    """A learner's parameters in single precision."""
    found: Weights = learner.parameters().astype(np.float32, copy=False)
    return found
