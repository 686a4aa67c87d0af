"""Sentences that lack a group of features in the second training of a robust expert."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.features.compiler import SparseTemplate
from tagpool.features.encoded import EncodedCorpus
from tagpool.features.encoder import Encoder
from tagpool.features.groups import group_of
from tagpool.perturbations.registry import PERTURBATIONS

SHARE = 1.0
"""Share of the sentences that are added without a group: then the features meet as many sentences with it as without."""
MOST = 3.0
"""Sentences that are added for all groups of a kind, as a multiple of the sentences: it bounds time and memory."""


@dataclass(frozen=True)
class Missing:
    """Numbers of the sentences that are added without each group of features; ``counts`` has their number by kind."""

    sentences: dict[str, list[int]]
    counts: dict[str, int]

    def covered(self, size: int) -> NDArray[np.bool_]:
        """Return which of the sentences are added without one group and without another: together they have all features.

        >>> Missing({"words": [0, 2], "shapes": [1, 2]}, {"groups": 4}).covered(4).tolist()
        [False, False, True, False]
        """
        versions = np.zeros(size, np.int64)
        for numbers in self.sentences.values():
            versions[numbers] += 1
        return versions >= 2


def choose_missing(size: int, changes: Mapping[str, Sequence[str]], *, seed: int) -> Missing:
    """Choose sentences for each group by their numbers.

    ``changes`` has the perturbations and groups of features of each kind; only the groups count.

    >>> choose_missing(3, {"lists": ("lists",), "case": ("lower",)}, seed=1).sentences
    {'lists': [0, 1, 2]}
    """
    sentences: dict[str, list[int]] = {}
    counts: dict[str, int] = {}
    for kind, names in changes.items():
        groups = [name for name in names if name not in PERTURBATIONS]
        for group in groups:
            random = Random(f"{seed} {group}")
            share = min(SHARE, MOST / len(groups))
            sentences[group] = [number for number in range(size) if random.random() < share]
            counts[kind] = counts.get(kind, 0) + len(sentences[group])
    return Missing(sentences, counts)


def feature_marks(encoder: Encoder, group: str) -> tuple[bytes, bytes | None]:
    """Return marks of the features that are not in a group; also of those that are combined with previous labels."""
    gone = {key for template in encoder.templates_ if group in map(group_of, template.terms) for key, _ in template.expand()}
    history = encoder.fitted_history
    of_history = None if history is None else _marks(history, encoder.history_templates, gone)
    return _marks(encoder.fitted_native, encoder.sparse_templates, gone), of_history


def without_group(encoder: Encoder, encoded: EncodedCorpus, group: str) -> EncodedCorpus:
    """Return encoded sentences without the features of a group of templates."""
    sparse, of_history = feature_marks(encoder, group)
    history = encoded.history if encoded.history is None or of_history is None else encoded.history.restricted(of_history)
    return replace(encoded, native=encoded.native.restricted(sparse), history=history)


def _marks(native: _native.Encoder, templates: Sequence[SparseTemplate], gone: set[str]) -> bytes:
    is_kept = np.array([template.key not in gone for template in templates], np.uint8)
    marks: bytes = is_kept[native.template_numbers()].tobytes()
    return marks
