"""Epochs of stochastic trainers, and the retry with a smaller step when the loss diverges."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from tagpool import _native
from tagpool.errors import TrainingError
from tagpool.optim.watch import Watch, Weights

_RETRIES = 8


@dataclass
class _Attempt:
    """Descent with one step size: 0 lets the learner choose it. ``first`` is the loss of the first epoch."""

    step: float
    chosen: bool
    number: int = 0
    first: float | None = None


@dataclass(frozen=True)
class LossRule:
    """Training ends when an epoch lowers the loss by less than the share ``tolerance`` (0: never).

    It does not end in the first two epochs, nor in the first ``least`` ones, which are more if an epoch has few steps. With a dev
    set, its score must have stopped rising, too; and without patience, training does not end early.
    """

    tolerance: float = 0.0
    least: int = 2

    def ends(self, watch: Watch, number: int) -> bool:
        """Whether training ends before the epoch of this number."""
        if number <= max(2, self.least) or self.tolerance == 0:
            return False
        before, last = (epoch.loss for epoch in watch.log[-2:])
        if before - last >= self.tolerance * before:
            return False
        has_score = watch.evaluate is not None and watch.top_score != 0
        return not has_score or (watch.patience is not None and not watch.is_rising)


def descend(begin: Callable[[float], Any], step: float, epochs: int, watch: Watch, *, rule: LossRule = LossRule()) -> Weights:
    """Run the epochs of a native learner; restart with a smaller step if the loss diverges.

    ``rule`` ends the training. ``begin`` creates the learner for a step size; 0 lets the learner choose it.
    """
    attempt = _Attempt(step, step <= 0)
    learner: Any = None

    def restore(values: dict[str, Any], block: bytes) -> Callable[[], Weights]:
        nonlocal attempt, learner
        attempt = _Attempt(float(values["step"]), bool(values["chosen"]), int(values["number"]), float(values["first"]))
        learner = begin(attempt.step)
        learner.restore(block)
        return lambda: _weights_of(learner)

    finished = watch.restore(restore)
    while attempt.number < _RETRIES:
        learner = learner or begin(attempt.step)
        weights = _run_epochs(learner, range(finished + 1, epochs + 1), attempt, watch, rule)
        if weights is not None:
            watch.step = learner.step
            return weights
        # Replace a step size set by the user by the default one, and a default one by a tenth of it.
        smaller_step = learner.step / 10 if attempt.chosen else 0.0
        smaller = f"a step of {smaller_step:.3g}" if smaller_step else "the default step"
        note = f"the loss diverged with a step of {learner.step:.3g}; restarting with {smaller}"
        watch.note(note)
        warnings.warn(note, RuntimeWarning, stacklevel=2)
        attempt, learner, finished = _Attempt(smaller_step, True, attempt.number + 1), None, 0
    raise TrainingError(f"the loss diverged with every step size down to {attempt.step:.3g}; check the values of the features")


def _run_epochs(learner: Any, numbers: range, attempt: _Attempt, watch: Watch, rule: LossRule) -> Weights | None:
    """Return the weights; None if the loss diverged."""
    epochs = numbers.stop - 1
    for number in numbers:
        if rule.ends(watch, number):  # here, so that a resumed training ends, too
            break
        loss = learner.epoch()
        attempt.first = loss if attempt.first is None else attempt.first
        # A step that is too large overshoots further with every epoch; smaller variations are harmless.
        if not math.isfinite(loss) or loss > 10 * attempt.first + 1:
            return None
        if not watch.epoch(number, epochs, loss, lambda: _weights_of(learner), state=lambda: (asdict(attempt), learner.state())):
            break
    weights = _weights_of(learner)
    return weights if _native.are_finite(weights) else None


def _weights_of(learner: Any) -> Weights:
    weights: Weights = learner.weights()
    return weights
