"""Order in which sentences should be checked by hand, so that few checked tokens teach a pool most.

Sentences with most expected errors are a bad sample: they are long and odd, and a pool that learns from them distrusts experts
that are right elsewhere. Here a sentence is worth what it shows for the first times. A word, or a pattern of votes, is worth the
sum of its weights in all sentences; a token weighs 1 where an expert has a span, plus the probability that the pool is wrong.
After n tokens with the word, 1 - exp(-n / 2) of its worth is known. Sentences are taken greedily by worth per token.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from tagpool.corpus.corpus import Corpus
from tagpool.pools.beliefs import wrong_probabilities
from tagpool.pools.unsupervised.pool import word_rows
from tagpool.pools.votes.ballots import FloatArray, Predictions, ballots_of, predictions_by_name

_KNOWN_AFTER = 2.0  # tokens
_COST = 3  # tokens that opening a sentence is worth
_LEAST = 0.02  # weight of a token that counts
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
    cover = _Cover(_keys(predictions, rows), _weights(predictions, rows, wrong))
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


class _Cover:
    """Keys of sentences with their worth, and how often each was shown already."""

    def __init__(self, keys: Sequence[Sequence[Sequence[Hashable]]], weights: Sequence[FloatArray]) -> None:
        self.worth: Counter[Hashable] = Counter()
        self.shown: Counter[Hashable] = Counter()
        self.counts: list[Counter[Hashable]] = []
        self.costs = [len(sentence) + _COST for sentence in keys]
        for sentence, values in zip(keys, weights, strict=True):
            counts: Counter[Hashable] = Counter()
            for token, value in zip(sentence, values.tolist(), strict=True):
                for key in token:
                    self.worth[key] += value
                    counts[key] += value > _LEAST
            self.counts.append(+counts)

    def gain(self, number: int) -> float:
        """Return the worth of a sentence that is not known yet, per token."""
        total = 0.0
        for key, count in self.counts[number].items():
            known = math.exp(-self.shown[key] / _KNOWN_AFTER)
            total += self.worth[key] * known * (1 - math.exp(-count / _KNOWN_AFTER))
        return total / self.costs[number]

    def rank(self, checked: Collection[int]) -> Iterator[int]:
        """Yield all sentences but the ``checked`` ones, the greatest gain first.

        Gains only fall. So a sentence that still leads after an update of its gain is the best.
        """
        for number in checked:
            self.shown.update(self.counts[number])
        numbers = set(range(len(self.counts))).difference(checked)
        heap = [(-self.gain(number), number) for number in numbers]
        heapq.heapify(heap)
        while heap:
            _, number = heapq.heappop(heap)
            gain = self.gain(number)
            if heap and (-gain, number) > heap[0]:
                heapq.heappush(heap, (-gain, number))
                continue
            self.shown.update(self.counts[number])
            yield number
