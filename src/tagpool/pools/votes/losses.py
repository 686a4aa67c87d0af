"""Losses: the cost of each label for each gold label. The loss of a sentence is the mean over its tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from tagpool.errors import InputError
from tagpool.pools.votes.ballots import FloatArray

Loss: TypeAlias = str | Mapping[str, float] | Callable[[str, str], float]


def cost_matrix(loss: Loss, labels: Sequence[str]) -> FloatArray:
    """Return the costs, [gold label][label]: Hamming, weighted by gold label (default: 1), or of a function.

    >>> cost_matrix("hamming", ["A", "B"]).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    >>> cost_matrix({"A": 5.0}, ["A", "B"]).tolist()
    [[0.0, 5.0], [1.0, 0.0]]
    >>> cost_matrix(lambda gold, label: abs(ord(gold) - ord(label)), ["A", "B", "C"]).tolist()
    [[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]]
    """
    if loss == "hamming":
        costs = 1.0 - np.eye(len(labels))
    elif isinstance(loss, Mapping):
        costs = (1.0 - np.eye(len(labels))) * np.array([_number(loss.get(label, 1.0), repr(label)) for label in labels])[:, None]
    elif callable(loss):
        costs = np.array([[_number(loss(gold, label), f"({gold!r}, {label!r})") for label in labels] for gold in labels])
    else:
        expected = "expected 'hamming', a weight for each label, or a function of the gold label and another label"
        raise InputError(f"loss={loss!r}: {expected}")
    if not (np.isfinite(costs).all() and (costs >= 0).all()):
        raise InputError(f"loss: expected finite numbers of at least 0, got {costs.min()} to {costs.max()}")
    return costs.reshape(len(labels), len(labels))


def _number(value: object, where: str) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise InputError(f"loss of {where}: expected a number, got {value!r}") from None
