"""The sentences that a tagger is trained on, and those that decide when to stop, as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.text import SPACE
from tagpool.errors import InputError
from tagpool.evaluation.alignment import Alignment
from tagpool.evaluation.chunks import count_chunks, rates
from tagpool.experts.inputs import are_given_features, as_corpus
from tagpool.experts.tagger import Tagger
from tagpool.features.encoder import Encoder
from tagpool.features.given import GivenEncoder

UNKNOWN = "\ufffdunknown"  # stands for labels given as None


class Learned(Protocol):
    """Features by name, and labels, of a model that training continues from."""

    model: Any
    labels: tuple[str, ...]
    encoder: Encoder | None
    names: list[str]
    history: list[str]


class TrainingData:
    """Training sentences as numbers."""

    def __init__(self, tagger: Tagger, sentences: Any, labels: Any, before: Learned | None) -> None:
        self.tagger = tagger
        self.given = are_given_features(sentences)
        self.known: list[str] = [] if before is None else before.names
        if before is not None and before.model.given != self.given:
            raise InputError("a model of given features goes on with given features, one of words with words")
        self.source: str | None = None
        self.seen_before = 0  # sentences that the weights have learned from already
        self.step_before: float | None = None
        if self.given:
            self._encode_given(sentences, labels)
        else:
            self._encode_corpus(as_corpus(sentences, labels, unknown=UNKNOWN), before)
        old = () if before is None else before.labels
        unknown = (UNKNOWN, tagger.unknown_label)
        self.labels = old + tuple(label for label in self.met if label not in unknown and label not in old)
        if len(self.labels) < 2:
            got = f"only {self.labels[0]!r}" if self.labels else "none"
            raise InputError(f"expected at least two different labels to learn, got {got}", source=self.source)
        self.gold = self.numbers_of()
        self.sentence_count = len(self.encoded.sentences) - 1
        self.token_count = self.encoded.token_count
        self.feature_count = self.encoded.feature_count
        self.history_feature_count = self.encoded.history_feature_count
        if self.feature_count == 0:
            raise InputError(
                f"no feature is left: none was met {tagger.min_count} times; use a smaller min_count, or more sentences",
                source=self.source,
            )

    def _encode_given(self, sentences: Any, labels: Any) -> None:
        if labels is None:
            raise InputError("expected labels beside the features: fit(features, labels)")
        self.encoder: Encoder | GivenEncoder = GivenEncoder(min_count=self.tagger.min_count)
        flat = [[UNKNOWN if label is None else label for label in sentence] for sentence in labels]
        self.encoded = self.encoder.fit_transform(sentences, flat, known=self.known)
        self.met: tuple[str, ...] = self.encoder.labels_
        self.numbers_of = self._given_numbers

    def _encode_corpus(self, corpus: Corpus, before: Learned | None) -> None:
        self.source = corpus.source
        if corpus.label_column is None:
            raise InputError(f"no labels to learn from; the columns are {', '.join(corpus.columns)}", source=corpus.source)
        tagger = self.tagger
        encoder = Encoder(
            tagger._templates(),
            resources=tagger.resources,
            min_count=tagger.min_count,
            history=tagger.chain,
            dimensions=True,
        )
        if before is not None:
            encoder = Encoder.continued(before.encoder, before.model, min_count=tagger.min_count)
        known_history = [] if before is None else before.history
        self.encoded = encoder.fit_transform(corpus, known=self.known, known_history=known_history)
        if tagger._part is not None and before is None:
            self.encoded = encoder.keep(self.encoded, tagger._part.marks(self.encoded.feature_count))
        self.encoder = encoder
        self.corpus = corpus
        self.met = encoder.labels_
        self.numbers_of = lambda: label_numbers(corpus, self.labels)

    def _given_numbers(self) -> NDArray[np.int32]:
        number = {label: index for index, label in enumerate(self.labels)}
        table = np.array([number.get(label, -1) for label in self.met] + [-1], np.int32)
        found: NDArray[np.int32] = table[self.encoded.labels]
        return found

    def release(self) -> None:
        """Free the encoded sentences; the training set has its own layout."""
        del self.encoded

    def dev(self, dev: Any) -> DevData:
        """The held-out sentences, which must have the labels of these."""
        sentences, labels = dev if isinstance(dev, tuple) else (dev, None)
        if are_given_features(sentences) != self.given:
            raise InputError("the dev sentences must be like those of training: both words, or both given features")
        if isinstance(self.encoder, GivenEncoder):
            if labels is None:
                raise InputError("expected the dev set as a pair (features, labels)")
            encoded = self.encoder.transform(sentences, labels)
            missing = sorted({label for sentence in labels for label in sentence} - set(self.labels))
            source = None
            number = {label: index for index, label in enumerate(self.labels)}
            gold = np.array([number.get(label, -1) for sentence in labels for label in sentence], np.int32)
        else:
            corpus = as_corpus(sentences, labels)
            if corpus.label_column is None:
                raise InputError("the dev set has no labels to score", source=corpus.source)
            source = corpus.source
            encoded = self.encoder.transform(corpus)
            strings = corpus.strings(corpus.label_column)
            missing = sorted({strings[n] for n in corpus.native.distinct(corpus.label_column)} - set(self.labels))
            gold = label_numbers(corpus, self.labels)
        if missing:
            shown = ", ".join(map(repr, missing[:5])) + (", ..." if len(missing) > 5 else "")
            raise InputError(
                f"the dev set has labels that training never saw: {shown}; add such sentences to the training data, "
                "or take them out of the dev set",
                source=source,
            )
        return DevData(self.labels, encoded.native, encoded.history, gold)

    def sentence_weights(self, sample_weight: Any) -> NDArray[np.float64]:
        """Weights of the sentences (default: 1)."""
        count = self.sentence_count
        weights = np.ones(count) if sample_weight is None else np.asarray(sample_weight, np.float64)
        if weights.shape != (count,) or not np.isfinite(weights).all() or (weights < 0).any():
            raise InputError(f"sample_weight: expected {count} finite numbers from 0 on, one a sentence")
        return weights

    def summary(self) -> dict[str, Any]:
        """Facts about the training sentences that the model stores."""
        columns = () if self.given else self.corpus.columns
        return {
            "sentences": self.seen_before + self.sentence_count,
            "tokens": self.token_count,
            "columns": [name for name in columns if name != SPACE],
            "label": None if self.given else self.corpus.label_column,
        }


class DevData:
    """The held-out sentences that decide when to stop."""

    def __init__(
        self,
        labels: tuple[str, ...],
        encoding: _native.Encoding,
        history: _native.Encoding | None,
        gold: NDArray[np.int32],
    ) -> None:
        self.labels = labels
        self.encoding = encoding
        self.history = history
        self.gold = gold.astype(np.int64)
        self.offsets = encoding.sentences().astype(np.int64)

    def score(self, predicted: NDArray[np.int32]) -> float:
        """Score label numbers: F1 from 0 to 1, or accuracy for plain labels."""
        alignment = Alignment(self.labels, self.gold, predicted.astype(np.int64), self.offsets)
        counts = count_chunks(alignment)
        return float(rates(len(counts.correct), len(counts.predicted), len(counts.gold))[2])


def label_numbers(corpus: Corpus, labels: Sequence[str]) -> NDArray[np.int32]:
    """The number of every token's label, -1 for labels that are not among these."""
    if corpus.label_column is None:
        raise InputError("no labels", source=corpus.source)
    number = {label: index for index, label in enumerate(labels)}
    return corpus.native.mapped(corpus.label_column, [number.get(text, -1) for text in corpus.strings(corpus.label_column)])
