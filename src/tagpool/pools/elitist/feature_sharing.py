"""Feature sharing: how the members of an elitist pool divide the features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.experts.inside.inspection import template_of

_BATCH = 1 << 16  # features whose weights are read at once


@dataclass(frozen=True, eq=False)
class SupportCounts:
    """Counts of nonzero cells: ``sizes[j]`` in member j, ``used`` in any member, ``exclusive`` in exactly one.

    ``overlap[i][j]`` is the Jaccard index |i ∩ j| / |i ∪ j| of two members.
    """

    sizes: tuple[int, ...]
    used: int
    exclusive: int
    overlap: NDArray[np.float64]

    @property
    def mean_overlap(self) -> float:
        """Mean overlap of two members.

        >>> SupportCounts((3, 1), 4, 4, np.array([[1.0, 0.0], [0.0, 1.0]])).mean_overlap
        0.0
        """
        count = len(self.sizes)
        return float(self.overlap[~np.eye(count, dtype=bool)].mean()) if count > 1 else 1.0


@dataclass(frozen=True, eq=False)
class FeatureSharing:
    """Counts of all features, and by template."""

    total: SupportCounts
    templates: dict[str, SupportCounts]


def feature_sharing(models: Sequence[_native.Model], names: Sequence[str]) -> FeatureSharing:
    """Count the cells of the models with weights; ``names`` are the names of the features."""
    count = len(models)
    keys: dict[str, int] = {}
    of_name = np.array([keys.setdefault(template_of(name), len(keys)) for name in names], np.int64)
    # A set of members is a number with a bit per member; counts[template][set] cells are nonzero in exactly that set.
    counts = np.zeros((len(keys), 2**count), np.int64)
    for begin in range(0, len(names), _BATCH):
        part = list(names[begin : begin + _BATCH])
        sets = np.zeros((len(part), len(models[0].labels)), np.int64)
        for number, model in enumerate(models):
            sets |= (model.weights_of(part).reshape(sets.shape) != 0).astype(np.int64) << number
        np.add.at(counts, (of_name[begin : begin + _BATCH, None], sets), 1)
    order = [key for key in dict.fromkeys(models[0].template_keys) if key in keys] or sorted(keys)
    by_template = {key: _support_counts(counts[keys[key]], count) for key in order}
    return FeatureSharing(_support_counts(counts.sum(axis=0), count), by_template)


def _support_counts(counts: NDArray[np.int64], count: int) -> SupportCounts:
    """Return the statistics of counts by set of members."""
    has = (np.arange(len(counts))[:, None] >> np.arange(count) & 1).astype(np.int64)
    both = has.T @ (has * counts[:, None])
    sizes = np.diagonal(both)
    either = sizes[:, None] + sizes - both
    overlap = np.where(either > 0, both / np.maximum(either, 1), 0.0)
    alone = has.sum(axis=1) == 1
    return SupportCounts(tuple(sizes.tolist()), int(counts[1:].sum()), int(counts[alone].sum()), overlap)
