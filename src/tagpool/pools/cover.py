"""Cover: sentences in an order in which few tokens show much that was not seen before.

Every token shows keys, such as its word. A key is worth the sum of its weights in all sentences. After n tokens with the key,
1 - exp(-n / 2) of its worth is known. Sentences are taken greedily by new worth per cost, so that the next one is useful by what
is frequent and doubtful, and unlike the ones before it.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

_KNOWN_AFTER = 2.0  # tokens
_LEAST = 0.02  # weight of a token that counts


class Cover:
    """Keys of the tokens of sentences with their worth, and how often each was shown already.

    ``weights`` has the weight of every token. A sentence costs its tokens and ``opening``.

    >>> keys = [[["a"], ["b"]], [["a"]], [["c"]]]
    >>> weights = [np.array([0.5, 0.1]), np.array([0.5]), np.array([0.6])]
    >>> list(Cover(keys, weights, opening=3).rank())
    [1, 2, 0]
    """

    def __init__(
        self, keys: Sequence[Sequence[Sequence[Hashable]]], weights: Sequence[NDArray[np.float64]], *, opening: float
    ) -> None:
        self.worth: Counter[Hashable] = Counter()
        self.shown: Counter[Hashable] = Counter()
        self.counts: list[Counter[Hashable]] = []
        self.costs = [len(sentence) + opening for sentence in keys]
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

    def rank(self, checked: Collection[int] = ()) -> Iterator[int]:
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
