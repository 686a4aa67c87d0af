"""Sharing: how the experts of a pool have shared the features out among themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.experts.inside.inspection import template_of

_AT_ONCE = 1 << 16  # features whose weights are looked at together


@dataclass(frozen=True, eq=False)
class Shares:
    """Of some weights of features: ``sizes[j]`` are not zero in expert j, ``overlap[i, j]`` is |i ∩ j| / |i ∪ j| of two supports.

    ``used`` are those that any expert has, ``exclusive`` those that only one has.
    """

    sizes: tuple[int, ...]
    used: int
    exclusive: int
    overlap: NDArray[np.float64]

    @property
    def mean_overlap(self) -> float:
        """The mean over pairs of experts; 0 if no expert has anything.

        >>> Shares((3, 1), 4, 4, np.array([[1.0, 0.0], [0.0, 1.0]])).mean_overlap
        0.0
        """
        count = len(self.sizes)
        return float(self.overlap[~np.eye(count, dtype=bool)].mean()) if count > 1 else 1.0


@dataclass(frozen=True, eq=False)
class Sharing:
    """How the weights are shared out: of all features, and of each template's."""

    total: Shares
    templates: dict[str, Shares]


def sharing(models: Sequence[_native.Model], names: Sequence[str]) -> Sharing:
    """Counts which experts have which weights; ``names`` are those of the features."""
    count = len(models)
    keys: dict[str, int] = {}
    of_name = np.array([keys.setdefault(template_of(name), len(keys)) for name in names], np.int64)
    # Every set of experts is a number, a bit each: how many weights of a template have exactly that set.
    met = np.zeros((len(keys), 2**count), np.int64)
    for begin in range(0, len(names), _AT_ONCE):
        part = list(names[begin : begin + _AT_ONCE])
        sets = np.zeros((len(part), len(models[0].labels)), np.int64)
        for number, model in enumerate(models):
            sets |= (model.weights_of(part).reshape(sets.shape) != 0).astype(np.int64) << number
        np.add.at(met, (of_name[begin : begin + _AT_ONCE, None], sets), 1)
    order = [key for key in dict.fromkeys(models[0].template_keys) if key in keys] or sorted(keys)
    return Sharing(_shares(met.sum(axis=0), count), {key: _shares(met[keys[key]], count) for key in order})


def _shares(met: NDArray[np.int64], count: int) -> Shares:
    """From how many weights have each set of experts."""
    has = (np.arange(len(met))[:, None] >> np.arange(count) & 1).astype(np.int64)
    both = has.T @ (has * met[:, None])
    sizes = np.diagonal(both)
    either = sizes[:, None] + sizes - both
    overlap = np.where(either > 0, both / np.maximum(either, 1), 0.0)
    alone = has.sum(axis=1) == 1
    return Shares(tuple(sizes.tolist()), int(met[1:].sum()), int(met[alone].sum()), overlap)
