"""The sentences of the second training of a robust expert: those of the first, perturbed copies, and ones without a group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.corpus.concatenation import concatenate
from tagpool.corpus.corpus import Corpus
from tagpool.experts.robust.copies import Copies
from tagpool.experts.robust.missing import Missing, feature_marks
from tagpool.experts.training_data import PreviousModel, TrainingData, check_weights
from tagpool.features.encoded import EncodedCorpus
from tagpool.features.encoder import Encoder

if TYPE_CHECKING:
    from tagpool.experts.robust.first import FirstTraining
    from tagpool.experts.states import States

_Numbers = NDArray[np.uint32]


class RobustData(TrainingData):
    """Sentences of the first training with copies. Templates, labels and states are those of the first training.

    Features of the sentences are those of the first training, too; further features need ``min_count`` in the copies.
    ``sources`` has the sentence that each is, or is a copy of.
    """

    def __init__(self, first: FirstTraining, corpus: Corpus, copies: Copies, missing: Missing) -> None:
        self.first = first
        self.copies = copies
        self.missing = missing
        self.sources: NDArray[np.int64] = np.zeros(0, np.int64)
        self.original_count = len(corpus)
        super().__init__(first.tagger, corpus, None, None)
        self.forbidden_edges = first.data.forbidden_edges

    def _choose_min_count(self, previous: PreviousModel | None) -> int:
        return self.first.data.min_count

    def _number_states(self, labels: tuple[str, ...], previous: PreviousModel | None) -> States:
        self.gold = self.encoded.label_numbers
        states = self.first.data.states
        if states.merged:
            self.gold = states.refine(self.gold, self.encoded.native.bounds())
        return states

    def _encode_corpus(self, corpus: Corpus, previous: PreviousModel | None) -> EncodedCorpus:
        first = self.first
        self.encoder = encoder = first.data.encoder
        assert isinstance(encoder, Encoder)
        known = np.arange(len(corpus)) if first.numbers is None else np.array(first.numbers, np.int64)
        others = np.setdiff1d(np.arange(len(corpus)), known)
        further = [corpus.select(others.tolist())] if len(others) else []
        further += [self.copies.corpus] if self.copies.sources else []
        parts = [(first.take_encoding(), known)]
        if further:
            added = encoder.extend(concatenate(further))
            parts.append((added, np.concatenate([others, np.array(self.copies.sources, np.int64)])))
        return self._gathered(encoder, parts, [len(known), len(others)])

    def _gathered(
        self, encoder: Encoder, parts: list[tuple[EncodedCorpus, NDArray[np.int64]]], originals: list[int]
    ) -> EncodedCorpus:
        """Return the sentences of the parts, then those that lack a group; without those whose features are in the latter.

        ``originals`` has for each part the number of its sentences that are no copies; they are the first ones.
        """
        covered = self.missing.covered(self.original_count)
        sparse: list[tuple[_native.Encoding, _Numbers, bytes | None]] = []
        history: list[tuple[_native.Encoding, _Numbers, bytes | None]] = []
        labels, sources = [], []
        for group in (None, *self.missing.sentences):
            marks, marks_of_history = (None, None) if group is None else feature_marks(encoder, group)
            for (encoded, numbers), count in zip(parts, originals, strict=False):
                if group is None:
                    chosen = np.concatenate([np.flatnonzero(~covered[numbers[:count]]), np.arange(count, len(numbers))])
                else:
                    chosen = np.flatnonzero(np.isin(numbers[:count], self.missing.sentences[group]))
                sparse.append((encoded.native, chosen.astype(np.uint32), marks))
                if encoded.history is not None:
                    history.append((encoded.history, chosen.astype(np.uint32), marks_of_history))
                labels.append(_tokens_of(encoded, chosen))
                sources.append(numbers[chosen])
        self.sources = np.concatenate(sources)
        fitted = encoder.fitted_history
        return EncodedCorpus(
            native=_native.Encoding.gather(sparse),
            feature_count=encoder.feature_count,
            label_numbers=np.concatenate(labels),
            history=_native.Encoding.gather(history) if history else None,
            history_feature_count=0 if fitted is None else fitted.feature_count,
        )

    def sentence_weights(self, sample_weight: Any) -> NDArray[np.float64]:
        """Weights of the sentences (default: 1); a copy has that of its sentence."""
        return check_weights(sample_weight, self.original_count)[self.sources]


def _tokens_of(encoded: EncodedCorpus, numbers: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the labels of sentences."""
    assert encoded.labels is not None
    bounds = encoded.sentences.astype(np.int64)
    lengths = bounds[numbers + 1] - bounds[numbers]
    ends = np.cumsum(lengths)
    labels: NDArray[np.int32] = encoded.labels[np.repeat(bounds[numbers] - ends + lengths, lengths) + np.arange(lengths.sum())]
    return labels
