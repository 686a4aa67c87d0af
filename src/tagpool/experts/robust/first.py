"""The first training of a robust expert: the ordinary one, whose weights the second training begins with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.corpus.corpus import Corpus
from tagpool.experts.linear.training import LinearTraining
from tagpool.experts.robust.dev_sets import DevSets, Scores
from tagpool.features.encoder import Encoder
from tagpool.optim.watch import Weights

_Keys = NDArray[np.uint64]


@dataclass(frozen=True)
class Start:
    """Weights of a training by the hashes of their features.

    ``cells`` are numbers of features times the number of labels, plus the number of a label.
    """

    keys: _Keys
    history_keys: _Keys
    cells: NDArray[np.int64]
    weights: Weights
    edges: Weights
    further: NDArray[np.int64]  # transition features times the number of bigrams, plus the number of a bigram
    further_weights: Weights

    def weights_in(self, training: LinearTraining) -> Weights:
        """The weights in the order of another training, which may have further features."""
        labels = len(training.data.labels)
        keys, history_keys = _keys_of(training)
        cells, further = _cells_of(training)
        parts = [_moved(self.cells, self.weights, self.keys, labels, cells, keys)]
        if training.tagger.chain:
            parts.append(self.edges[training.training.edges()])
            parts.append(_moved(self.further, self.further_weights, self.history_keys, labels**2, further, history_keys))
        return np.concatenate(parts)


class FirstTraining(LinearTraining):
    """An ordinary training that remembers its weights.

    ``audit_on`` has a dev set, the changes to try on it, and the training sentences; ``audited`` has the scores.
    """

    start: Start
    audit_on: tuple[Any, list[str], Corpus] | None = None
    audited: Scores | None = None

    def model(self, learned: Weights) -> _native.Model:
        """The model of the expert."""
        if self.audit_on is not None:
            dev, changes, train = self.audit_on
            self.audited = DevSets.of(self, dev, changes, train=train).audit(self, learned)
        weights = self.trainer.model_weights(learned)
        cells, further = _cells_of(self)
        keys, history_keys = _keys_of(self)
        count = self.training.cell_count
        edges, further_weights = self.edges_of(weights) if self.tagger.chain else (np.zeros(0, np.float32),) * 2
        self.start = Start(keys, history_keys, cells, weights[:count].copy(), edges, further, further_weights)
        return super().model(learned)


def _keys_of(training: LinearTraining) -> tuple[_Keys, _Keys]:
    encoder = training.data.encoder
    assert isinstance(encoder, Encoder)
    history = encoder.fitted_history
    return encoder.fitted_native.keys().copy(), np.zeros(0, np.uint64) if history is None else history.keys().copy()


def _cells_of(training: LinearTraining) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The cells of a training, and those of its transition features."""
    labels, native = len(training.data.labels), training.training
    cells = native.cell_features().astype(np.int64) * labels + native.cell_labels()
    if not training.tagger.chain:
        return cells, np.zeros(0, np.int64)
    features, bigrams = (numbers.astype(np.int64) for numbers in native.transition_cells())
    return cells, features * labels**2 + bigrams


def _moved(
    old: NDArray[np.int64], weights: Weights, old_keys: _Keys, size: int, new: NDArray[np.int64], new_keys: _Keys
) -> Weights:
    """Return the weights of the new cells; zero for those that are not among the old ones. A feature has ``size`` cells."""
    order = np.argsort(new_keys)
    number_of = order[np.searchsorted(new_keys, old_keys, sorter=order).clip(max=max(len(order) - 1, 0))] if len(order) else order
    values = np.zeros(len(new), np.float32)
    if not len(number_of):
        return values
    moved = number_of[old // size] * size + old % size
    if _is_sorted(new):
        places = np.searchsorted(new, moved)
    else:
        by_cell = np.argsort(new)
        places = by_cell[np.searchsorted(new, moved, sorter=by_cell).clip(max=len(new) - 1)]
    is_there = (new[places.clip(max=len(new) - 1)] == moved) & (new_keys[number_of] == old_keys)[old // size]
    values[places[is_there]] = weights[is_there]
    return values


def _is_sorted(numbers: NDArray[np.int64]) -> bool:
    return bool((numbers[1:] >= numbers[:-1]).all())
