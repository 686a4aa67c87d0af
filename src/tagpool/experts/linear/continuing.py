"""Weights of a model that training continues from, by name, and their positions in the new problem."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.experts.linear.expert import Expert
from tagpool.experts.saving import feature_names, history_names
from tagpool.features.encoder import Encoder

_Weights = NDArray[np.float32]


class PreviousWeights:
    """The weights of an expert whose training continues.

    Features are known by name; the old ones come first in the new problem, and so do the old labels (``count`` is the number
    of all labels there). Whatever had a weight has one again; what is new begins at zero.
    """

    def __init__(self, expert: Expert) -> None:
        self.model = expert._fitted()
        self.labels = expert.labels_
        self.encoder = expert._encoder if isinstance(expert._encoder, Encoder) else None
        self.names = feature_names(expert)
        self.history = history_names(expert) if self.model.has_history else []
        self.summary = expert.summary_

    def known(self, count: int) -> _native.KnownWeights:
        """The weights of the model, which the new training set has in any case."""
        features, labels = np.nonzero(self._of_pairs(count))
        numbers, bigrams = self._triples(count)[:2] if self.history else (None, None)
        return _native.KnownWeights(
            features=features.astype(np.uint32),
            labels=labels.astype(np.uint16),
            transition_features=None if numbers is None else numbers.astype(np.uint32),
            transition_bigrams=None if bigrams is None else bigrams.astype(np.uint32),
        )

    def start(self, training: _native.TrainingSet, count: int) -> _Weights:
        """The old weights at the places of the new problem."""
        padded = np.vstack([self._of_pairs(count), np.zeros((1, count), np.float32)])
        parts = [padded[np.minimum(training.cell_features(), len(self.names)), training.cell_labels()]]
        if self.model.chain:
            parts.append(self._edges(count)[training.edges()])
            numbers, pairs, weights = self._triples(count)
            features, cells = (each.astype(np.int64) for each in training.transition_cells())
            parts.append(_looked_up(features * count**2 + cells, numbers * count**2 + pairs, weights))
        return np.concatenate(parts)

    def _of_pairs(self, count: int) -> _Weights:
        """Features by labels."""
        found = np.zeros((len(self.names), count), np.float32)
        found[:, : len(self.labels)] = self.model.weights_of(self.names).reshape(len(self.names), -1)
        return found

    def _edges(self, count: int) -> _Weights:
        """Transitions, start and end, one after another."""
        old = len(self.labels)
        kept = self.model.edges().reshape(old + 2, old)
        found = np.zeros((count + 2, count), np.float32)
        found[:old, :old] = kept[:old]
        found[-2:, :old] = kept[old:]
        return found.ravel()

    def _triples(self, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64], _Weights]:
        """Feature, pair of labels and weight of features of transitions."""
        numbers, pairs, weights = self.model.history_weights_of(self.history)
        before, after = np.divmod(pairs.astype(np.int64), len(self.labels))
        return numbers.astype(np.int64), before * count + after, weights


def _looked_up(wanted: NDArray[np.int64], keys: NDArray[np.int64], weights: _Weights) -> _Weights:
    """The weights of the wanted keys, zero if missing."""
    order = np.argsort(keys)
    place = np.searchsorted(keys, wanted, sorter=order)
    padded = np.append(order, -1)[place]
    found: _Weights = np.where(np.append(keys, -1)[padded] == wanted, np.append(weights, np.float32(0))[padded], np.float32(0))
    return found
