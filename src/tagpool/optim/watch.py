"""Watch: reports the progress of a trainer, scores the dev set, and decides when to stop."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.float32]


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


class Watch:
    """Progress of one training.

    ``evaluate`` scores weights on the dev set. After ``patience`` scores without a better one, training stops with the best
    weights. ``on_epoch`` is called after every epoch and may return False to stop.

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
        patience: int | None = None,
        on_epoch: Callable[[Epoch], object] | None = None,
    ) -> None:
        self.evaluate = evaluate
        self.patience = patience
        self.on_epoch = on_epoch
        self.log: list[Epoch] = []
        self.best: Weights | None = None
        self.best_score = -np.inf
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

    def epoch(self, number: int, total: int, loss: float, weights: Callable[[], Weights], *, score: bool = True) -> bool:
        """Log an epoch and score the dev set; return whether to continue.

        ``weights`` returns the current weights, now and later. With ``score`` False the dev set is not scored.
        """
        self._latest = weights
        dev_score = None
        better = False
        if self.evaluate is not None and score:
            current = weights()
            dev_score = self.evaluate(current)
            better = dev_score > self.best_score
            if better:
                self.best, self.best_score, self._without_gain = current, dev_score, 0
            else:
                self._without_gain += 1
        seconds = time.perf_counter() - self._begun
        epoch = Epoch(number, total, float(loss), dev_score, better, seconds, self._note)
        self._note = None
        self.log.append(epoch)
        wanted = self.on_epoch is None or self.on_epoch(epoch) is not False
        return wanted and not (self.patience is not None and self._without_gain >= self.patience > 0)
