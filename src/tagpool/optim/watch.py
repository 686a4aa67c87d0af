"""Watch: reports the progress of a trainer, scores the dev set, and decides when to stop."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from tagpool.errors import OutputError
from tagpool.lazy import TYPE_CHECKING, LazyModule
from tagpool.optim.checkpoint import TrainingState

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Weights = NDArray[np.float32]
else:
    np = LazyModule("numpy")
    Weights = object  # a NumPy array; of native learners by epochs a memoryview, which needs no import of NumPy

TrainerState = tuple[dict[str, Any], bytes]
"""State of a trainer for a checkpoint: values for JSON, and the state of the native learner."""
_RECENT = 3  # scores that show whether they are rising


@dataclass(frozen=True)
class Epoch:
    """State of a training after an epoch (stochastic trainers) or an iteration (others).

    ``total`` is the maximum number of epochs, ``loss`` the objective (for a perceptron, the number of wrong tokens), ``score``
    the F1 of the dev set from 0 to 1 if it was scored, ``best`` whether that is the best so far, ``seconds`` the time since
    training began, ``note`` a remark on an unusual event.
    """

    number: int
    total: int
    loss: float
    score: float | None = None
    best: bool = False
    seconds: float = 0.0
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return one line of a training log.

        >>> Epoch(1, 10, 25.5).to_dict()
        {'number': 1, 'total': 10, 'loss': 25.5, 'best': False, 'seconds': 0.0}
        """
        return {name: value for name, value in asdict(self).items() if value is not None}

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Epoch:
        """Return the epoch of a line; raise a ValueError if it is damaged.

        >>> Epoch.from_dict({"number": 1, "total": 10, "loss": 25.5}).total
        10
        """
        epoch = cls(**fields)
        numbers = (epoch.loss, epoch.seconds, 0.0 if epoch.score is None else epoch.score)
        are_counts = type(epoch.number) is int and type(epoch.total) is int and 1 <= epoch.number <= epoch.total
        if not are_counts or not all(isinstance(value, (int, float)) for value in numbers):
            raise ValueError("an epoch of the log is damaged")
        return epoch


class Watch:
    """Progress of one training.

    ``evaluate`` scores weights on the dev set. After ``patience`` scores without a better one, training stops with the best
    weights. ``margin`` returns how far two scores differ by chance; with ``prefers_latest``, the result is the latest weights
    whose score is within it of the best one. ``on_epoch`` is called after every epoch and may return False to stop. ``state`` is
    the checkpoint file of the training.

    >>> watch = Watch(evaluate=lambda weights: float(weights[0]), patience=1)
    >>> [watch.epoch(n, 10, 0.0, lambda value=value: np.array([value])) for n, value in enumerate([1.0, 3.0, 2.0], 1)]
    [True, True, False]
    >>> watch.best.tolist()
    [3.0]
    """

    def __init__(
        self,
        *,
        evaluate: Callable[[Weights], float] | None = None,
        margin: Callable[[float], float] | None = None,
        patience: int | None = None,
        on_epoch: Callable[[Epoch], object] | None = None,
        state: TrainingState | None = None,
    ) -> None:
        self.evaluate = evaluate
        self.margin = margin
        self.prefers_latest = False  # set by trainers whose weights are averages
        self.state = state
        self.was_stopped = False  # by on_epoch
        self.is_restored = False  # from the checkpoint
        self.patience = patience
        self.on_epoch = on_epoch
        self.log: list[Epoch] = []
        self.best: Weights | None = None  # the weights to return
        self.best_score = -math.inf  # their score
        self.top_score = -math.inf  # the largest score
        self.step: float | None = None  # step size of a stochastic trainer
        self._without_gain = 0
        self._begun = time.perf_counter()
        self._note: str | None = None
        self._latest: Callable[[], Weights] | None = None

    def note(self, text: str) -> None:
        """Add a remark to the next epoch."""
        self._note = text

    def best_or_latest(self) -> Weights | None:
        """Return the best weights, or the latest ones if none were scored; for a training that was interrupted."""
        if self.best is not None or self._latest is None:
            return self.best
        return self._latest()

    def release(self) -> None:
        """Drop the reference to the learner, to free its memory."""
        self._latest = None

    def epoch(
        self,
        number: int,
        total: int,
        loss: float,
        weights: Callable[[], Weights],
        *,
        score: bool = True,
        state: Callable[[], TrainerState] | None = None,
    ) -> bool:
        """Log an epoch and score the dev set; return whether to continue.

        ``weights`` returns the current weights, now and later. With ``score`` False the dev set is not scored. ``state`` returns
        the state of the trainer, which a checkpoint stores.
        """
        self._latest = weights
        dev_score = None
        better = False
        if self.evaluate is not None and score:
            current = weights()
            dev_score = self.evaluate(current)
            better = dev_score > self.top_score
            if better:
                self.top_score, self._without_gain = dev_score, 0
            elif self.top_score != 0:  # the first epochs may find no span at all
                self._without_gain += 1
            if better or (self.prefers_latest and dev_score >= self.top_score - self._chance()):
                self.best, self.best_score = current, dev_score
        seconds = time.perf_counter() - self._begun
        epoch = Epoch(number, total, float(loss), dev_score, better, seconds, self._note)
        self._note = None
        self.log.append(epoch)
        self.was_stopped = self.on_epoch is not None and self.on_epoch(epoch) is False
        goes_on = not self.was_stopped and not (self.patience is not None and self._without_gain >= self.patience > 0)
        if goes_on and state is not None and self.state is not None and self.state.is_due():
            values, block = state()
            best = {} if self.best is None else {"best": self.state.pack(self.best)}
            self._write(values, {"state": block, **best})
        return goes_on

    @property
    def is_rising(self) -> bool:
        """Whether the last two epochs raised the score by more than chance."""
        scores = [epoch.score for epoch in self.log[-_RECENT:] if epoch.score is not None]
        return len(scores) < _RECENT or scores[-1] - scores[0] > self._chance()

    def _chance(self) -> float:
        return 0.0 if self.margin is None else self.margin(self.top_score)

    # Checkpoints --------------------------------------------------------------------------------------------------------

    def part(self, name: str) -> Watch:
        """Return a watch without a dev set, for a training that precedes this one."""
        return Watch(state=None if self.state is None else self.state.part(name))

    @property
    def is_restorable(self) -> bool:
        """Whether the checkpoint has a state of the trainer."""
        return self.state is not None and self.state.block("state") is not None

    def restore(self, apply: Callable[[dict[str, Any], bytes], Callable[[], Weights]]) -> int:
        """Continue from the checkpoint, if it has a state; return the number of finished epochs.

        ``apply`` sets the state of the trainer and returns a function that returns its weights. Epochs of the log are reported
        again.
        """
        block = None if self.state is None else self.state.block("state")
        if self.state is None or block is None:
            return 0
        try:
            self._read(self.state.block("best"))
            self._latest = apply(self.state.json("trainer"), block)
        except (AttributeError, KeyError, TypeError, ValueError) as error:  # InputFault is a ValueError
            raise self.state.checkpoint.damaged(error) from None
        self.state.forget()
        return self.log[-1].number

    def restore_result(self) -> Any:
        """Return the result of a training that was finished; None if the checkpoint has none."""
        block = None if self.state is None else self.state.block("result")
        if self.state is None or block is None:
            return None
        try:
            self._read(block if self.state.json("progress")["scored"] else None)
            return self.state.unpack(block)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise self.state.checkpoint.damaged(error) from None

    def store_result(self, learned: Any) -> None:
        """Write the result of the training to the checkpoint, unless ``on_epoch`` ended the training early."""
        if self.state is not None and not self.was_stopped:
            self._write({}, {"result": self.state.pack(learned)})

    def _write(self, trainer: dict[str, Any], arrays: dict[str, bytes]) -> None:
        assert self.state is not None
        progress = {
            "log": [epoch.to_dict() for epoch in self.log],
            "best_score": self.best_score,
            "top_score": self.top_score,
            "scored": self.best is not None,
            "without_gain": self._without_gain,
            "step": self.step,
        }
        try:
            self.state.write(progress, trainer, arrays)
        except OutputError as error:  # a full disk does not end the training; the last checkpoint remains
            self.note(f"no checkpoint was written: {error}")
            warnings.warn(f"no checkpoint was written: {error}", RuntimeWarning, stacklevel=3)

    def _read(self, best: bytes | None) -> None:
        assert self.state is not None
        progress = self.state.json("progress")
        self.is_restored = True
        self.log = [Epoch.from_dict(fields) for fields in progress["log"]]
        self.best = None if best is None else self.state.unpack(best)
        self.best_score, self.top_score = float(progress["best_score"]), float(progress["top_score"])
        self._without_gain = int(progress["without_gain"])
        self.step = None if progress["step"] is None else float(progress["step"])
        if not self.log:
            raise ValueError("the log has no epoch")
        self._begun -= self.log[-1].seconds
        if self.on_epoch is not None:
            for epoch in self.log:
                self.on_epoch(epoch)
