"""Samples of a reference text, of any size: the differences that chance alone makes.

A sample is drawn as text is written: whole documents, or runs of consecutive sentences if documents are not marked, since
sentences of one document are alike. The last unit is cut to the size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from tagpool.corpus.corpus import Corpus
from tagpool.wording import counted

Array = NDArray[np.float64]
DRAWS = 4000
"""Number of samples for every size."""
FEWEST_DOCUMENTS = 10
"""Smallest number of documents that are drawn as a whole; fewer do not show how documents differ."""
_TAIL = 0.025
"""Smallest share of the samples that the tail of a distribution is fitted to: 100 of 4,000."""
_LARGEST_TAIL = 0.2
_MOST_UNITS = 1000  # of a sample: means of more are normal, and the root of their number gives their spread
_TAIL_UNITS = 5  # the tail has the values of this number of units or more, if possible


class Resampler:
    """Draws samples from a table [sentences][columns] whose columns are added over sentences.

    ``sizes`` has the tokens of each sentence, ``units`` the bounds of ``documents`` or of other runs of sentences.

    >>> table = np.array([[1.0], [0.0], [3.0]])
    >>> Resampler(table, np.array([2, 2, 2]), [0, 1, 2, 3], draws=3, seed=0).draw(6).shape
    (3, 1)
    """

    def __init__(
        self,
        table: Array,
        sizes: NDArray[np.int64],
        units: Sequence[int],
        *,
        documents: bool = False,
        draws: int = DRAWS,
        seed: int = 0,
    ) -> None:
        self._sums = np.concatenate([np.zeros((1, table.shape[1])), np.cumsum(table, axis=0)])
        self._tokens = np.concatenate([[0], np.cumsum(sizes)])
        self._middles = (self._tokens[:-1] + self._tokens[1:]) / 2
        self._units = np.asarray(units)
        self.draws, self.seed = draws, seed
        self.draws_documents = documents

    @property
    def token_count(self) -> int:
        """Number of tokens of the reference."""
        return int(self._tokens[-1])

    @property
    def unit_count(self) -> int:
        """Number of documents or runs."""
        return len(self._units) - 1

    @property
    def largest(self) -> int:
        """Number of tokens of the largest samples: the reference, or about 1,000 of its units."""
        return min(self.token_count, math.ceil(self.token_count * _MOST_UNITS / self.unit_count))

    def draw(self, tokens: int, most_units: int | None = None, *, stream: int = 0) -> Array:
        """Return the sums of the columns in samples of about this many tokens, [draws][columns].

        A sample of ``most_units`` ends there, although it may have fewer tokens. The same size and ``stream`` give the same
        samples.
        """
        random = np.random.default_rng([self.seed, stream, tokens, most_units or 0])
        sums = np.zeros((self.draws, self._sums.shape[1]))
        rest = np.full(self.draws, tokens, np.int64)
        active = np.arange(self.draws)
        count = 0
        while len(active) and (most_units is None or count < most_units):
            units = random.integers(self.unit_count, size=len(active))
            first, last = self._units[units], self._units[units + 1]
            sizes = self._tokens[last] - self._tokens[first]
            cut = sizes > rest[active]
            if cut.any():
                first[cut], last[cut] = self._windows(first[cut], last[cut], rest[active][cut], random)
            sums[active] += self._sums[last] - self._sums[first]
            rest[active] -= np.where(cut, rest[active], sizes)
            active = active[rest[active] > 0]
            count += 1
        return sums

    def units_in(self, tokens: int, most_units: int | None = None) -> float:
        """Return the number of units in such a sample, on average; 1 or more."""
        count = max(1.0, tokens * self.unit_count / max(1, self.token_count))
        return count if most_units is None else min(count, most_units)

    def limit(self, values: Array, share: float, units: float) -> float:
        """Return the value that a share of a distribution exceeds, from values of samples with this number of units.

        A sample of few units has the extremes of few units: those of the reference in the tail are counted.
        """
        tail = min(max(_TAIL, _TAIL_UNITS / (units * self.unit_count)), _LARGEST_TAIL)
        return tail_limit(values, share, tail, tail * units * self.unit_count)

    def widening(self, share: float) -> float:
        """Return the factor of a limit for this share that makes up for a spread that is estimated from few units.

        It is that of Student's t. Units of different sizes count as fewer ones of equal size (Kish).
        """
        sizes = np.diff(self._tokens[self._units]).astype(np.float64)
        equal = sizes.sum() ** 2 / (sizes**2).sum()
        return student_factor(share, max(equal - 1, 1.0))

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


def has_documents(corpus: Corpus) -> bool:
    """Return whether a reference has enough documents to draw them."""
    return len(corpus.document_starts) >= FEWEST_DOCUMENTS


def units_of(corpus: Corpus) -> tuple[list[int], str]:
    """Return the bounds of the units to draw, and their description: documents if there are ten or more, or runs of sentences.

    Other sentences are cut into runs. The square root of the number of sentences balances the length of runs, within which
    sentences may be alike, and their number.

    >>> units_of(Corpus.from_lists(word=[["a"]] * 9))
    ([0, 3, 6, 9], '3 runs of about 3 sentences')
    """
    starts = corpus.document_starts
    if has_documents(corpus):
        bounds = [*([0] if starts[0] else []), *starts, len(corpus)]
        return bounds, counted(len(bounds) - 1, "document")
    count = max(1, math.isqrt(len(corpus)))
    bounds = [len(corpus) * number // count for number in range(count + 1)]
    return bounds, f"{counted(count, 'run')} of about {counted(round(len(corpus) / count), 'sentence')}"


def tail_limit(values: Array, share: float, tail: float, count: float) -> float:
    """Return the value that a share of a distribution exceeds, from samples of it.

    The largest values, a share of ``tail``, are taken as exponential: their mean excess gives the values beyond. It is known from
    ``count`` independent values only, so the limit is that of the next value given these: a Lomax distribution, whose tail is
    the longer the fewer they are.

    >>> values = np.random.default_rng(0).normal(size=100_000)
    >>> [round(tail_limit(values, share, 0.025, 1e6), 1) for share in (0.05, 0.001)]
    [1.6, 3.2]
    >>> round(tail_limit(values, 0.001, 0.025, 5), 1)
    3.7
    """
    if share >= tail:
        return float(np.quantile(values, 1 - share))
    start = float(np.quantile(values, 1 - tail))
    beyond = values[values > start]
    excess = float((beyond - start).mean()) if len(beyond) else 0.0
    return start + excess * count * math.expm1(math.log(tail / share) / count)


def student_factor(share: float, freedom: float) -> float:
    """Return the ratio of the quantiles of Student's t and of the normal distribution that this share exceeds.

    The first terms of the expansion in 1/freedom are enough: three digits at 0.001 from 10 degrees of freedom on.

    >>> round(student_factor(0.025, 10) * 1.95996, 2), round(student_factor(0.001, 1e9), 6)
    (2.23, 1.0)
    """
    square = NormalDist().inv_cdf(share) ** 2
    first = (square + 1) / 4
    second = (5 * square**2 + 16 * square + 3) / 96
    third = (3 * square**3 + 19 * square**2 + 17 * square - 15) / 384
    return 1 + first / freedom + second / freedom**2 + third / freedom**3
