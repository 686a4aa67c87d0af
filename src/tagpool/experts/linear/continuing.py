"""Weights of an expert whose training continues, at their positions in the new problem."""

from __future__ import annotations

from tagpool import _native
from tagpool.experts.training_data import PreviousModel
from tagpool.lazy import TYPE_CHECKING, LazyModule

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    _Weights = NDArray[np.float32]
else:
    np = LazyModule("numpy")


class PreviousWeights(PreviousModel):
    """The weights of a model whose training continues. New features and labels begin at zero.

    ``count`` is the number of labels in the new problem; the old labels come first.
    """

    def known(self, count: int) -> _native.KnownWeights:
        """The cells and transition features with weights, which the new training set always has."""
        features, labels = np.nonzero(self._cells(count))
        transitions, bigrams, _ = self._transition_features(count)
        return _native.KnownWeights(
            features=features.astype(np.uint32),
            labels=labels.astype(np.uint16),
            transition_features=transitions.astype(np.uint32) if self.history else None,
            transition_bigrams=bigrams.astype(np.uint32) if self.history else None,
        )

    def start(self, training: _native.TrainingSet, count: int) -> _Weights:
        """The weights in the order of the parameters of the new training set."""
        cells = np.vstack([self._cells(count), np.zeros((1, count), np.float32)])  # the last row: new features
        parts = [cells[np.minimum(training.cell_features(), len(self.names)), training.cell_labels()]]
        if self.model.chain:
            parts.append(self._edges(count)[training.edges()])
            transitions, bigrams, weights = self._transition_features(count)
            new_transitions, new_bigrams = (numbers.astype(np.int64) for numbers in training.transition_cells())
            parts.append(_look_up(new_transitions * count**2 + new_bigrams, transitions * count**2 + bigrams, weights))
        return np.concatenate(parts)

    def _cells(self, count: int) -> _Weights:
        """The weights of the cells, [features][labels]."""
        cells = np.zeros((len(self.names), count), np.float32)
        cells[:, : len(self.labels)] = self.model.weights_of(self.names).reshape(len(self.names), -1)
        return cells

    def _edges(self, count: int) -> _Weights:
        """The weights of bigrams, [labels][labels], then those of the first and of the last label."""
        old = len(self.labels)
        old_edges = self.model.edges().reshape(old + 2, old)
        edges = np.zeros((count + 2, count), np.float32)
        edges[:old, :old] = old_edges[:old]
        edges[-2:, :old] = old_edges[old:]
        return edges.ravel()

    def _transition_features(self, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64], _Weights]:
        """The feature, the bigram and the weight of each transition feature."""
        features, bigrams, weights = self.model.history_weights_of(self.history)
        before, after = np.divmod(bigrams.astype(np.int64), len(self.labels))
        return features.astype(np.int64), before * count + after, weights


def _look_up(wanted: NDArray[np.int64], keys: NDArray[np.int64], weights: _Weights) -> _Weights:
    """The weights of the wanted keys, zero if missing."""
    order = np.argsort(keys)
    places = np.append(order, -1)[np.searchsorted(keys, wanted, sorter=order)]
    is_known = np.append(keys, -1)[places] == wanted
    values: _Weights = np.where(is_known, np.append(weights, np.float32(0))[places], np.float32(0))
    return values
