"""Samples of a reference text, of any size: the differences that chance alone makes.

A sample is drawn as text is written: whole documents, or runs of consecutive sentences if documents are not marked, since
sentences of one document are alike. The last unit is cut to the size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tagpool.corpus.corpus import Corpus

Array = NDArray[np.float64]
DRAWS = 4000
"""Number of samples for every size."""
_TAIL = 0.025
"""Share of the samples that the tail of a distribution is fitted to: 100 of 4,000."""


class Resampler:
    """Draws samples from a table [sentences][columns] whose columns are added over sentences.

    ``sizes`` has the tokens of each sentence, ``units`` the bounds of documents or of other runs of sentences.

    >>> table = np.array([[1.0], [0.0], [3.0]])
    >>> Resampler(table, np.array([2, 2, 2]), [0, 1, 2, 3], draws=3, seed=0).draw(6).shape
    (3, 1)
    """

    def __init__(
        self, table: Array, sizes: NDArray[np.int64], units: Sequence[int], *, draws: int = DRAWS, seed: int = 0
    ) -> None:
        self._sums = np.concatenate([np.zeros((1, table.shape[1])), np.cumsum(table, axis=0)])
        self._tokens = np.concatenate([[0], np.cumsum(sizes)])
        self._middles = (self._tokens[:-1] + self._tokens[1:]) / 2
        self._units = np.asarray(units)
        self.draws, self.seed = draws, seed

    @property
    def token_count(self) -> int:
        """Number of tokens of the reference."""
        return int(self._tokens[-1])

    @property
    def unit_count(self) -> int:
        """Number of documents or runs."""
        return len(self._units) - 1

    def draw(self, tokens: int, *, stream: int = 0) -> Array:
        """Return the sums of the columns in samples of about this many tokens, [draws][columns].

        The same size and ``stream`` give the same samples.
        """
        random = np.random.default_rng([self.seed, stream, tokens])
        sums = np.zeros((self.draws, self._sums.shape[1]))
        rest = np.full(self.draws, tokens, np.int64)
        active = np.arange(self.draws)
        while len(active):
            units = random.integers(self.unit_count, size=len(active))
            first, last = self._units[units], self._units[units + 1]
            sizes = self._tokens[last] - self._tokens[first]
            cut = sizes > rest[active]
            if cut.any():
                first[cut], last[cut] = self._windows(first[cut], last[cut], rest[active][cut], random)
            sums[active] += self._sums[last] - self._sums[first]
            rest[active] -= np.where(cut, rest[active], sizes)
            active = active[rest[active] > 0]
        return sums

    def _windows(
        self, first: NDArray[np.int64], last: NDArray[np.int64], tokens: NDArray[np.int64], random: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return runs of sentences with about these numbers of tokens, anywhere in the units; one sentence at least."""
        begin, end = self._tokens[first], self._tokens[last]
        start = begin + np.floor(random.random(len(first)) * (end - begin - tokens + 1)).astype(np.int64)
        low = np.clip(np.searchsorted(self._middles, start), first, last - 1)
        high = np.clip(np.searchsorted(self._middles, start + tokens), low + 1, last)
        return low, high


def sentence_lengths(corpus: Corpus) -> NDArray[np.int64]:
    """Return the number of words of each sentence.

    >>> sentence_lengths(Corpus.from_lists(word=[["Ann", "left"], []])).tolist()
    [2, 0]
    """
    offsets = corpus.offsets().astype(np.int64)
    return np.asarray(offsets[1:] - offsets[:-1])


def units_of(corpus: Corpus) -> tuple[list[int], str]:
    """Return the bounds of the units to draw, and their name: documents, or runs of sentences.

    Sentences without marked documents are cut into runs. The square root of the number of sentences balances the length of runs,
    within which sentences may be alike, and their number.

    >>> units_of(Corpus.from_lists(word=[["a"]] * 9))
    ([0, 3, 6, 9], '3 sentences')
    """
    starts = corpus.document_starts
    if len(starts) > 1:
        return [*([0] if starts[0] else []), *starts, len(corpus)], "documents"
    count = max(1, math.isqrt(len(corpus)))
    return [len(corpus) * number // count for number in range(count + 1)], f"{round(len(corpus) / count)} sentences"


def tail_limit(values: Array, share: float) -> float:
    """Return the value that a share of a distribution exceeds, from samples of it.

    Beyond the largest 2.5% of the samples, the tail is that of an exponential distribution with their mean excess. It is
    longer than that of a normal distribution, so the limit is rather too large than too small.

    >>> values = np.random.default_rng(0).normal(size=100_000)
    >>> round(tail_limit(values, 0.05), 1), 3.0 < tail_limit(values, 0.001) < 3.5
    (1.6, True)
    """
    if share >= _TAIL:
        return float(np.quantile(values, 1 - share))
    start = float(np.quantile(values, 1 - _TAIL))
    beyond = values[values > start]
    excess = float((beyond - start).mean()) if len(beyond) else 0.0
    return start + excess * math.log(_TAIL / share)
