"""The first training of a robust expert: the ordinary one, whose weights the second training begins with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.experts.linear.training import LinearTraining
from tagpool.experts.robust.dev_sets import DevSets, DevTexts, Scores
from tagpool.features.encoded import EncodedCorpus
from tagpool.features.encoder import Encoder, label_ids
from tagpool.optim.watch import Epoch, Watch, Weights

_Cells = NDArray[np.int64]
_DENSE = 4  # times the number of cells: the largest table of all pairs of a feature and a label


@dataclass(frozen=True)
class Start:
    """Weights of a training.

    ``cells`` are numbers of features times the number of labels, plus the number of a label. ``further`` are numbers of
    transition features times the number of bigrams, plus the number of a bigram.
    """

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
        return cls(cells, weights[:count].copy(), edges, further, further_weights)

    def weights_in(self, training: LinearTraining) -> Weights:
        """The weights in the order of another training, which has the same numbers of these features."""
        cells, further = _cells_of(training)
        parts = [_looked_up(cells, self.cells, self.weights)]
        if training.tagger.chain:
            parts += [self.edges[training.training.edges()], _looked_up(further, self.further, self.further_weights)]
        return np.concatenate(parts)


class FirstTraining(LinearTraining):
    """An ordinary training that keeps its weights; :meth:`finish` sets the model of the tagger.

    ``numbers`` has the numbers of its sentences (None: it has all). ``audit_on`` has changed dev sets to try; ``audited`` has
    the scores.
    """

    numbers: list[int] | None = None
    audit_on: DevTexts | None = None
    audited: Scores | None = None
    start: Start
    facts_of_training: dict[str, Any]
    log: list[Epoch]
    _parts: tuple[Any, ...] | None = None
    _encoded: EncodedCorpus | None = None

    def _training_set(self) -> _native.TrainingSet:
        self._encoded = self.data.encoded
        return super()._training_set()

    def take_encoding(self) -> EncodedCorpus:
        """Return the encoded sentences with the numbers of the labels, once: they take much memory."""
        encoded, self._encoded = self._encoded, None
        assert encoded is not None
        assert self.data.corpus is not None
        return replace(encoded, label_numbers=label_ids(self.data.corpus, self.data.encoder.labels_))

    def install(self, learned: Weights, watch: Watch) -> None:
        """Keep the result: a model of it takes time, and is needed only if there is no second training."""
        if self.audit_on is not None:
            self.audited = DevSets.of(self, self.audit_on).audit(self, learned)
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
        self._forget_further(encoder)
        model = self.model_of(self._parts)
        if isinstance(encoder, Encoder):
            encoder.fitted_native.keep(model.has_weights(encoder.fitted_native), None)
        tagger._model, tagger._encoder, tagger._names = model, encoder, None
        tagger._summary, tagger.log_, tagger.configuration_ = self.facts_of_training | (facts or {}), self.log, None

    def _forget_further(self, encoder: Any) -> None:
        """Remove the features that a second training added."""
        sizes = (self.data.feature_count, self.data.history_feature_count)
        for native, size in zip((encoder.fitted_native, encoder.fitted_history), sizes, strict=True):
            if native is not None and native.feature_count > size:
                native.keep(bytes(1 if number < size else 0 for number in range(native.feature_count)), None)


def _cells_of(training: LinearTraining) -> tuple[_Cells, _Cells]:
    """The cells of a training, and those of its transition features."""
    labels, native = len(training.data.labels), training.training
    cells = native.cell_features().astype(np.int64) * labels + native.cell_labels()
    if not training.tagger.chain:
        return cells, np.zeros(0, np.int64)
    features, bigrams = (numbers.astype(np.int64) for numbers in native.transition_cells())
    return cells, features * labels**2 + bigrams


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
