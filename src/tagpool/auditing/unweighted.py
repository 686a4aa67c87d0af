"""Features of a text that a model has no weights for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.corpus.corpus import Corpus
from tagpool.experts.sequence_tagger import SequenceTagger

_TOKENS = 100_000  # of a block, which bounds the memory for its features


def counts_unweighted(tagger: SequenceTagger, corpus: Corpus) -> bool:
    """Return whether :func:`count_unweighted` works: every model has templates, and the corpus has their columns."""
    models = [one._fitted() for one in tagger.single_taggers()]
    return bool(models) and all(
        hasattr(model, "has_weights") and not model.given and set(model.columns) <= set(corpus.columns) for model in models
    )


def count_unweighted(tagger: SequenceTagger, corpus: Corpus) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each sentence the number of features without weights, and of all features; those of members are added.

    >>> from tagpool import CRF
    >>> crf = CRF("word[0]\\nsuffix(word, 1)[0]").fit(Corpus.from_lists(word=[["Ann", "left"]], label=[["PER", "O"]]))
    >>> [counts.tolist() for counts in count_unweighted(crf, Corpus.from_lists(word=[["Ann", "slept"], ["Bea"]]))]
    [[1, 2], [4, 2]]
    """
    missing, total = np.zeros(len(corpus), np.int64), np.zeros(len(corpus), np.int64)
    for one in tagger.single_taggers():
        model = one._fitted()
        for first, last in _blocks(corpus):
            block = corpus if last - first == len(corpus) else corpus[first:last]
            counts = _count(one, model, block)
            missing[first:last] += counts[0]
            total[first:last] += counts[1]
    return missing, total


def _count(tagger: Any, model: Any, corpus: Corpus) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    encoder = model.encoder(1)
    try:
        encoding = encoder.fit(corpus.native)  # numbers all features of the text, also those that the model does not have
    except _native.InputFault as fault:
        raise tagger._explained(fault, corpus) from None
    has_weights = np.frombuffer(model.has_weights(encoder.keys()), np.uint8)
    is_missing = np.concatenate([[0], np.cumsum(has_weights[encoding.ids()] == 0)])
    bounds = encoding.starts()[encoding.sentences()].astype(np.int64)
    return np.diff(is_missing[bounds]), np.diff(bounds)


def _blocks(corpus: Corpus) -> Iterator[tuple[int, int]]:
    """Yield runs of sentences with about 100,000 tokens; documents stay together."""
    offsets = corpus.offsets().astype(np.int64)
    ends = [*corpus.document_starts[1:], len(corpus)] if corpus.document_starts else range(1, len(corpus) + 1)
    first = 0
    for end in ends:
        if offsets[end] - offsets[first] >= _TOKENS:
            yield first, end
            first = end
    if first < len(corpus):
        yield first, len(corpus)
