"""The sentences of the second training of a robust expert: those of the first, and copies."""

from __future__ import annotations

from dataclasses import replace
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.corpus.concatenation import concatenate
from tagpool.corpus.corpus import Corpus
from tagpool.experts.inputs import as_corpus
from tagpool.experts.robust.copies import Copies
from tagpool.experts.training_data import UNKNOWN, PreviousModel, TrainingData
from tagpool.features.encoded import EncodedCorpus
from tagpool.features.encoder import Encoder
from tagpool.features.groups import SeparateColumns

if TYPE_CHECKING:
    from tagpool.experts.robust.first import FirstTraining
    from tagpool.experts.states import States

_CHUNK = 1 << 22  # ids that are counted at once
_ONLY_KNOWN = (1 << 32) - 1  # minimum count of features that are not known


class RobustData(TrainingData):
    """Sentences of the first training with copies. Templates, labels and states are those of the first training.

    Features of the sentences are those of the first training, too: copies do not count towards ``min_count``. A further feature
    needs this count in the perturbed copies alone.
    """

    def __init__(self, first: FirstTraining, corpus: Corpus, copies: Copies) -> None:
        self.first = first
        self.copies = copies
        self.original = corpus
        super().__init__(first.tagger, concatenate([corpus, copies.corpus]), None, None)
        self.forbidden_edges = first.data.forbidden_edges

    def _choose_min_count(self, previous: PreviousModel | None) -> int:
        return self.first.data.min_count

    def _number_states(self, labels: tuple[str, ...], previous: PreviousModel | None) -> States:
        number = {label: index for index, label in enumerate(labels)}
        table = [number.get(label, -1) for label in self.encoder.labels_]
        self.gold = _native.renumber_labels(self.encoded.label_numbers, table)
        states = self.first.data.states
        if states.merged:
            self.gold = states.refine(self.gold, self.encoded.native.bounds())
        return states

    def _encode_corpus(self, corpus: Corpus, previous: PreviousModel | None) -> EncodedCorpus:
        known = self.first.data.encoder
        assert isinstance(known, Encoder)
        groups = [group for group in dict.fromkeys(self.copies.missing) if group is not None]
        separate = SeparateColumns.of(known.templates_, groups)
        missing = [None] * len(self.original) + self.copies.missing
        options: dict[str, Any] = {"resources": known.resources_, "history": known.history, "dimensions": True}
        encoder = Encoder(separate.templates if groups else known.templates_, min_count=1, **options)
        encoded = encoder.fit_transform(separate.with_columns(corpus, missing) if groups else corpus)
        encoded = self._drop_rare(encoder, encoded)
        self.encoder, self.separate = encoder, separate if groups else None
        return encoded

    @property
    def has_groups(self) -> bool:
        """Whether templates read columns of their own: a model needs the templates as they were."""
        return self.separate is not None

    def encode_dev(self, dev: Any) -> EncodedCorpus:
        """The held-out sentences."""
        corpus = as_corpus(*dev, unknown=UNKNOWN) if isinstance(dev, tuple) else as_corpus(dev)
        if self.separate is not None:
            corpus = self.separate.with_columns(corpus, [None] * len(corpus))
        return super().encode_dev(corpus)

    def rename(self, marks: bytes) -> None:
        """Set an encoder with the templates as they were, and with the marked features."""
        encoder, known = self.encoder, self.first.data.encoder
        assert isinstance(encoder, Encoder)
        assert isinstance(known, Encoder)
        renamed = Encoder(
            known.templates_, resources=known.resources_, min_count=_ONLY_KNOWN, history=known.history, dimensions=True
        )
        names = list(compress(encoder.feature_names, marks))
        renamed.fit_transform(self.original[:1], known=names, known_history=encoder.history_names)
        renamed.labels_ = encoder.labels_
        self.encoder = renamed

    def _drop_rare(self, encoder: Encoder, encoded: EncodedCorpus) -> EncodedCorpus:
        """Keep the features of the first training, and those that the perturbed copies have often enough."""
        encoded = encoder.keep(encoded, self._marks(encoder.feature_count, encoded.native))
        history = encoder.fitted_history
        if history is None or encoded.history is None:
            return encoded
        history.keep(self._marks(history.feature_count, encoded.history), encoded.history)
        return replace(encoded, history_feature_count=history.feature_count)

    def _marks(self, size: int, encoding: Any) -> bytes:
        sentences, starts, ids = encoding.sentences(), encoding.starts(), encoding.ids()
        first, last = len(self.original), len(self.original) + self.copies.perturbed
        of_originals, of_copies = (
            _counts(ids, int(starts[sentences[begin]]), int(starts[sentences[end]]), size)
            for begin, end in ((0, first), (first, last))
        )
        least = self.min_count
        marks: bytes = ((of_originals >= least) | ((of_originals == 0) & (of_copies >= least))).tobytes()
        return marks


def _counts(ids: NDArray[np.uint32], begin: int, end: int, size: int) -> NDArray[np.int64]:
    """Count each id from entry ``begin`` to ``end``, a part at a time: numpy needs 64-bit copies."""
    counts = np.zeros(size, np.int64)
    for at in range(begin, end, _CHUNK):
        counts += np.bincount(ids[at : min(at + _CHUNK, end)], minlength=size)
    return counts
