"""Order in which sentences should be checked by hand, so that few checked tokens teach a pool most.

Sentences with most expected errors are a bad sample: they are long and odd, and a pool that learns from them distrusts experts
that are right elsewhere. Here a sentence is worth what it shows for the first times. A word, or a pattern of votes, is worth the
sum of its weights in all sentences; a token weighs 1 where an expert has a span, plus the probability that the pool is wrong.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np

from tagpool.corpus.corpus import Corpus
from tagpool.pools.beliefs import wrong_probabilities
from tagpool.pools.cover import Cover
from tagpool.pools.unsupervised.pool import word_rows
from tagpool.pools.votes.ballots import FloatArray, Predictions, ballots_of, predictions_by_name

_COST = 3  # tokens that opening a sentence is worth
_FEW_EXPERTS = 5  # patterns of more experts are without their names, as in a stack
_OUTSIDE = "O"


def checking_order(
    pool: Any,
    predictions: Predictions,
    *,
    words: Corpus | Iterable[Iterable[str]] | None = None,
    confidence: Any = None,
    checked: Collection[int] = (),
    count: int | None = None,
) -> list[int]:
    """Return the numbers of the sentences to check first, ``count`` of them, without those that were ``checked``.

    >>> from tagpool import UnsupervisedPool
    >>> votes = {"a": [["O", "O"], ["B-X"], ["B-X"]] * 5, "b": [["O", "O"], ["O"], ["B-X"]] * 5}
    >>> pool = UnsupervisedPool().fit(votes)
    >>> checking_order(pool, votes, count=2)
    [1, 2]
    """
    rows = word_rows(words)
    wrong = wrong_probabilities(pool, predictions, words=rows, confidence=confidence)
    cover = Cover(_keys(predictions, rows), _weights(predictions, rows, wrong), opening=_COST)
    return list(islice(cover.rank(checked), count))


def _keys(predictions: Predictions, words: Sequence[Sequence[str]] | None) -> list[list[list[Hashable]]]:
    """Return what every token of every sentence shows: its pattern of votes, and its word."""
    by_name = predictions_by_name(predictions)
    lengths = ballots_of(by_name, None, words=words).lengths.tolist()
    sentences: list[list[list[Hashable]]] = []
    for number, length in enumerate(lengths):
        votes = [row if (row := rows[number]) is not None else [None] * length for rows in by_name.values()]
        patterns = [tuple(labels) for labels in zip(*votes, strict=True)]
        if len(votes) > _FEW_EXPERTS:
            patterns = [tuple(sorted(label for label in labels if label is not None)) for labels in patterns]
        keys: list[list[Hashable]] = [[pattern] for pattern in patterns]
        for token, word in enumerate(words[number] if words is not None else ()):
            keys[token].append(word.lower())
        sentences.append(keys)
    return sentences


def _weights(predictions: Predictions, words: Any, wrong: Sequence[FloatArray]) -> list[FloatArray]:
    """Return the weight of every token."""
    ballots = ballots_of(predictions_by_name(predictions), None, words=words)
    outside = ballots.labels.index(_OUTSIDE) if _OUTSIDE in ballots.labels else -1
    has_span = ((ballots.votes >= 0) & (ballots.votes != outside)).any(axis=1).astype(np.float64)
    offsets = ballots.offsets.tolist()
    return [has_span[start : start + len(part)] + part for start, part in zip(offsets[:-1], wrong, strict=True)]
