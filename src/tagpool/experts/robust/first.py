"""The first training of a robust expert: the ordinary one, whose weights the second training begins with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError
from tagpool.experts.linear.training import LinearTraining
from tagpool.experts.robust.dev_sets import DevSets, Scores
from tagpool.features.encoder import Encoder
from tagpool.features.template import TemplateSet
from tagpool.optim.watch import Epoch, Watch, Weights

_Keys = NDArray[np.uint64]
_Cells = NDArray[np.int64]
_DENSE = 4  # times the number of cells: the largest table of all pairs of a feature and a label


@dataclass(frozen=True)
class Start:
    """Weights of a training. ``keys`` are the hashes of its features, and of those that are combined with previous labels.

    ``cells`` are numbers of features times the number of labels, plus the number of a label. ``further`` are numbers of
    transition features times the number of bigrams, plus the number of a bigram.
    """

    keys: tuple[_Keys, _Keys]
    cells: _Cells
    weights: Weights
    edges: Weights
    further: _Cells
    further_weights: Weights

    @classmethod
    def of(cls, training: LinearTraining, weights: Weights) -> Start:
        """The weights of a training."""
        count = training.training.cell_count
        edges = further_weights = np.zeros(0, np.float32)
        if training.tagger.chain:
            edges, further_weights = map(np.asarray, training.edges_of(weights))
        cells, further = _cells_of(training)
        return cls(_keys_of(training), cells, weights[:count].copy(), edges, further, further_weights)

    def weights_in(self, training: LinearTraining) -> Weights:
        """The weights in the order of another training, which has all of these features."""
        labels = len(training.data.labels)
        old, new = self.keys, _keys_of(training)
        cells, further = _cells_of(training)
        parts = [_looked_up(cells, _renumbered(self.cells, labels, old[0], new[0]), self.weights)]
        if training.tagger.chain:
            moved = _renumbered(self.further, labels**2, old[1], new[1])
            parts += [self.edges[training.training.edges()], _looked_up(further, moved, self.further_weights)]
        return np.concatenate(parts)


class FirstTraining(LinearTraining):
    """An ordinary training that keeps its weights; :meth:`finish` sets the model of the tagger.

    ``audit_on`` has a dev set, the changes to try on it, and the training sentences; ``audited`` has the scores.
    """

    audit_on: tuple[Any, list[str], Corpus] | None = None
    audited: Scores | None = None
    start: Start
    facts_of_training: dict[str, Any]
    log: list[Epoch]
    _parts: tuple[Any, ...] | None = None

    @property
    def templates(self) -> TemplateSet:
        """The templates of the features."""
        assert isinstance(self.data.encoder, Encoder)
        return self.data.encoder.templates_

    def install(self, learned: Weights, watch: Watch) -> None:
        """Keep the result: a model of it takes time, and is needed only if there is no second training."""
        if self.audit_on is not None:
            dev, changes, train = self.audit_on
            self.audited = DevSets.of(self, dev, changes, train=train, templates=self.templates).audit(self, learned)
        weights = np.asarray(self.trainer.model_weights(learned))
        self.start = Start.of(self, weights)
        encoder = self.data.encoder
        self._parts = self.parts(weights, getattr(encoder, "fitted_history", None))
        self.facts_of_training, self.log = self.summary(watch), watch.log
        del self.training

    def finish(self, facts: dict[str, Any] | None = None) -> None:
        """Set the model of the tagger, unless the training ended before its first epoch. ``facts`` are added to the summary."""
        if self._parts is None:
            return
        tagger, encoder = self.tagger, self.data.encoder
        model = self.model_of(self._parts)
        if isinstance(encoder, Encoder):
            encoder.fitted_native.keep(model.has_weights(encoder.fitted_native), None)
        tagger._model, tagger._encoder, tagger._names = model, encoder, None
        tagger._summary, tagger.log_, tagger.configuration_ = self.facts_of_training | (facts or {}), self.log, None


def _keys_of(training: LinearTraining) -> tuple[_Keys, _Keys]:
    encoder = training.data.encoder
    assert isinstance(encoder, Encoder)
    history = encoder.fitted_history
    return encoder.fitted_native.keys(), np.zeros(0, np.uint64) if history is None else history.keys()


def _cells_of(training: LinearTraining) -> tuple[_Cells, _Cells]:
    """The cells of a training, and those of its transition features."""
    labels, native = len(training.data.labels), training.training
    cells = native.cell_features().astype(np.int64) * labels + native.cell_labels()
    if not training.tagger.chain:
        return cells, np.zeros(0, np.int64)
    features, bigrams = (numbers.astype(np.int64) for numbers in native.transition_cells())
    return cells, features * labels**2 + bigrams


def _renumbered(cells: _Cells, size: int, old: _Keys, new: _Keys) -> _Cells:
    """Return the cells with the new numbers of their features, which have ``size`` cells each."""
    if np.array_equal(old, new[: len(old)]):  # the usual case: copies follow the sentences
        return cells
    order = np.argsort(new)
    numbers = order[np.searchsorted(new, old, sorter=order).clip(max=len(new) - 1)]
    if not np.array_equal(new[numbers], old):
        raise InputError("robust: the second training lacks features of the first one; please report this")
    moved: _Cells = numbers[cells // size] * size + cells % size
    return moved


def _looked_up(wanted: _Cells, keys: _Cells, weights: Weights) -> Weights:
    """Return the weights of the wanted cells, zero for those that are not among the keys.

    >>> _looked_up(np.array([4, 2, 9]), np.array([9, 4]), np.array([0.5, 1.5], np.float32)).tolist()
    [1.5, 0.0, 0.5]
    """
    if not len(wanted) or not len(keys):
        return np.zeros(len(wanted), np.float32)
    size = int(max(wanted.max(), keys.max())) + 1
    if size <= _DENSE * len(wanted):
        table = np.zeros(size, np.float32)
        table[keys] = weights
        return table[wanted]
    order = np.argsort(keys)
    places = order[np.searchsorted(keys, wanted, sorter=order).clip(max=len(keys) - 1)]
    values: Weights = np.where(keys[places] == wanted, weights[places], np.float32(0))
    return values
