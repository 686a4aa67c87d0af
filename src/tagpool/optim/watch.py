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

    ``total`` is how many there will be at most, ``loss`` what the trainer minimises (or how many tokens were wrong, for a
    perceptron), ``score`` the F1 of the dev set from 0 to 1 where it was looked at, ``best`` whether that is the best so far,
    ``seconds`` the time since training began, ``note`` anything out of the ordinary.
    """

    number: int
    total: int
    loss: float
    score: float | None = None
    best: bool = False
    seconds: float = 0.0
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Content of one line of a training log.

        >>> Epoch(1, 10, 25.5).to_dict()
        {'number': 1, 'total': 10, 'loss': 25.5, 'best': False, 'seconds': 0.0}
        """
        return {name: value for name, value in asdict(self).items() if value is not None}


class Watch:
    """Follows one training.

    ``evaluate`` scores weights on the dev set; after ``patience`` scores without a better one training stops, and the best
    weights are kept. ``on_epoch`` is told of every epoch and may return False to stop.

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
        self.step: float | None = None  # the step size a stochastic trainer went with
        self._without_gain = 0
        self._begun = time.perf_counter()
        self._note: str | None = None
        self._latest: Callable[[], Weights] | None = None

    def note(self, text: str) -> None:
        """Something to be said with the next epoch."""
        self._note = text

    def kept(self) -> Weights | None:
        """The best weights, or the latest ones where nothing was scored: what is left of a training that was interrupted."""
        if self.best is not None or self._latest is None:
            return self.best
        return self._latest()

    def release(self) -> None:
        """Forgets the learner, whose memory others need."""
        self._latest = None

    def epoch(self, number: int, total: int, loss: float, weights: Callable[[], Weights], *, score: bool = True) -> bool:
        """Takes note of an epoch; returns whether to go on.

        ``weights`` gives those there are, now and later; ``score`` False spares looking at the dev set this time.
        """
        self._latest = weights
        found = None
        better = False
        if self.evaluate is not None and score:
            at = weights()
            found = self.evaluate(at)
            better = found > self.best_score
            if better:
                self.best, self.best_score, self._without_gain = at, found, 0
            else:
                self._without_gain += 1
        seconds = time.perf_counter() - self._begun
        told = Epoch(number, total, float(loss), found, better, seconds, self._note)
        self._note = None
        self.log.append(told)
        go_on = self.on_epoch is None or self.on_epoch(told) is not False
        return go_on and not (self.patience is not None and self._without_gain >= self.patience > 0)
