"""Given features, as in python-crfsuite: a list of strings or a dict for each token.

=====================  ==================================
given                  feature
=====================  ==================================
``"name"`` in a list   ``name`` with value 1.0
``{"key": "value"}``   ``key:value`` with value 1.0
``{"key": 2.5}``       ``key`` with value 2.5
``{"key": True}``      ``key`` with value 1.0 (False: 0.0)
``{"key": ["a"]}``     ``key:a`` with value 1.0, also for sets and tuples
``{"key": {...}}``     the same recursively, names joined by ``:``
=====================  ==================================

A feature that occurs twice counts twice.
"""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tagpool import _native
from tagpool.corpus.faults import NameFaults
from tagpool.corpus.rows import as_rows
from tagpool.errors import InputError, MemoryFor
from tagpool.features.encoded import EncodedCorpus, FeatureEncoder
from tagpool.wording import counted

GivenToken = Iterable[str] | Mapping[str, Any]
GivenSentences = Iterable[Iterable[GivenToken]]


class GivenEncoder(FeatureEncoder[_native.GivenFeatures]):
    """Number given features and encode them.

    >>> encoder = GivenEncoder()
    >>> encoded = encoder.fit_transform([[{"word": "Ann", "caps": True}, ["word:left"]]], [["PER", "O"]])
    >>> encoder.feature_names, encoded.labels.tolist()
    (['word:Ann', 'caps', 'word:left'], [0, 1])
    """

    def __init__(self, *, min_count: int = 1) -> None:
        super().__init__(min_count)

    def fit(self, sentences: GivenSentences, labels: Iterable[Iterable[str]] | None = None) -> GivenEncoder:
        """Number the features and labels."""
        self.fit_transform(sentences, labels)
        return self

    @MemoryFor("encode the sentences")
    def fit_transform(
        self, sentences: GivenSentences, labels: Iterable[Iterable[str]] | None = None, *, known: Sequence[str] = ()
    ) -> EncodedCorpus:
        """Fit and encode. Features ``known`` by name come first and are always kept."""
        self._check_min_count()
        native = _native.GivenFeatures()
        with _name_errors():
            encoding = native.fit(sentences, self.min_count, list(known))
        if encoding.token_count == 0:
            raise InputError("expected sentences, got none")
        flat = _flat_labels(encoding, labels)
        self.labels_ = tuple(dict.fromkeys(flat or ()))
        self._native = native
        return self._encoded(encoding, flat)

    @MemoryFor("encode the sentences")
    def transform(self, sentences: GivenSentences, labels: Iterable[Iterable[str]] | None = None) -> EncodedCorpus:
        """Encode; features that are not in the index are dropped."""
        native = self.fitted_native
        with _name_errors():
            encoding = native.encode(sentences)
        return self._encoded(encoding, _flat_labels(encoding, labels))

    @property
    def feature_counts(self) -> list[int]:
        """Number of occurrences of each feature in fitting."""
        return self.fitted_native.counts()

    def _encoded(self, encoding: _native.Encoding, labels: list[str] | None) -> EncodedCorpus:
        numbers = {label: number for number, label in enumerate(self.labels_)}
        ids = None if labels is None else array("i", [numbers.get(label, -1) for label in labels])
        return EncodedCorpus(native=encoding, feature_count=self.feature_count, label_numbers=ids)


def _flat_labels(encoding: _native.Encoding, labels: Iterable[Iterable[str]] | None) -> list[str] | None:
    """Return the labels of all tokens; raise an error unless there is one per token."""
    if labels is None:
        return None
    bounds = encoding.bounds().tolist()
    lengths = [end - begin for begin, end in itertools.pairwise(bounds)]
    labels = as_rows(labels, "labels")
    if len(labels) != len(lengths):
        raise InputError(f"expected labels for {counted(len(lengths), 'sentence')}, got {len(labels)}")
    flat: list[str] = []
    for number, (length, sentence) in enumerate(zip(lengths, labels, strict=True), 1):
        if len(sentence) != length:
            raise InputError(f"sentence {number}: expected {counted(length, 'label')}, one per token, got {len(sentence)}")
        for token, label in enumerate(sentence, 1):
            if not isinstance(label, str):
                raise InputError(f"sentence {number}, token {token}: expected text as label, got {type(label).__name__}")
        flat.extend(sentence)
    return flat


@contextmanager
def _name_errors() -> Iterator[None]:
    try:
        with NameFaults():
            yield
    except TypeError as error:
        raise InputError(f"expected a list of sentences, each a list of tokens: {error}") from None
