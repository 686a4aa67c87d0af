"""Feature sharing: how the members of an elitist pool divide the features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.errors import InputError
from tagpool.experts.inside.inspection import iterate_weights, template_of
from tagpool.wording import counted

_MOST_COUNTS = 1 << 22  # 32 MB; a damaged file may name any number of templates


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
    keys = {key: number for number, key in enumerate(dict.fromkeys(map(template_of, names)))}
    if len(keys) * 2**count > _MOST_COUNTS:
        raise InputError(
            f"too many to compare: {counted(len(keys), 'template')} of {counted(count, 'member')}; use fewer templates"
        )
    # A set of members is a number with a bit per member; counts[template][set] cells are nonzero in exactly that set.
    counts = np.zeros((len(keys), 2**count), np.int64)
    for chunks in zip(*(iterate_weights(model, names) for model in models), strict=True):
        chunk = chunks[0][0]
        sets = sum(((weights != 0).astype(np.int64) << number) for number, (_, weights) in enumerate(chunks))
        np.add.at(counts, (np.array([keys[template_of(name)] for name in chunk])[:, None], sets), 1)
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
