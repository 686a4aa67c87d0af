"""Slices: parts of a test set, scored by themselves. A span, gold or predicted, belongs to one part of each kind.

Spans with a word that is rare in training, spans in short or long sentences, spans by the value of a column at their first token.
With plain labels, a span is a token.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tagpool.corpus.corpus import Corpus
from tagpool.evaluation.alignment import IntArray
from tagpool.evaluation.chunks import ChunkCounts, Chunks

_FREQUENCIES = ((0, 0), (1, 1), (2, 4), (5, 9), (10, None))
_LENGTHS = ((1, 9), (10, 19), (20, 39), (40, None))  # words; every step doubles the length
_MOST_VALUES = 10
OTHER = "(other)"


@dataclass(frozen=True)
class Slice:
    """Part of a test set: its ``kind`` (unknown, length, column), its title, and its counts by sentence [S][3]."""

    kind: str
    title: str
    table: IntArray

    @property
    def gold(self) -> int:
        """Number of gold spans."""
        return int(self.table[:, 2].sum())


def slices_of(test: Corpus, counts: ChunkCounts, train: Corpus | None, columns: Sequence[str]) -> Iterator[Slice]:
    """Yield the slices of a test set; those by frequency need the training text."""
    if train is not None:
        known = Counter(word for row in train.words for word in row)
        bins = _bins([known[word] for row in test.words for word in row], _FREQUENCIES)
        split = _Split(counts, bins, rarest=True)
        for number, (low, high) in enumerate(_FREQUENCIES):
            yield Slice("unknown", f"word frequency {_bounds(low, high)}", split.table(number))
    lengths = counts.alignment.lengths
    split = _Split(counts, _bins(np.repeat(lengths, lengths), _LENGTHS))
    for number, (low, high) in enumerate(_LENGTHS):
        yield Slice("length", f"sentence length {_bounds(low, high)}", split.table(number))
    for column in columns:
        yield from _by_column(test, counts, column)


def _by_column(test: Corpus, counts: ChunkCounts, column: str) -> Iterator[Slice]:
    values = [value for row in test.column(column) for value in row]
    # The most frequent values, counted at gold spans.
    at_spans = Counter(values[start] for start in counts.gold.starts.tolist())
    common = [value for value, _ in sorted(at_spans.items(), key=lambda item: (-item[1], item[0]))]
    if len(common) > _MOST_VALUES + 1:
        common = common[:_MOST_VALUES]
    number = {value: index for index, value in enumerate(common)}
    split = _Split(counts, np.array([number.get(value, len(common)) for value in values], np.int64))
    for index, value in enumerate([*common, OTHER] if len(at_spans) > len(common) else common):
        yield Slice("column", f"{column} = {value}", split.table(index))


class _Split:
    """Counts of the spans in each bin, by the bin of their first token, or by the lowest one of their tokens (``rarest``)."""

    def __init__(self, counts: ChunkCounts, bins: IntArray, *, rarest: bool = False) -> None:
        self._counts = counts
        self._chunks = (counts.gold, counts.predicted, counts.correct)
        self._bins = [_lowest(chunks, bins) if rarest else bins[chunks.starts] for chunks in self._chunks]

    def table(self, number: int) -> IntArray:
        """Return the counts of a bin by sentence, [S][3]."""
        gold, predicted, correct = (chunks.where(bins == number) for chunks, bins in zip(self._chunks, self._bins, strict=True))
        return ChunkCounts(self._counts.types, gold, predicted, correct, self._counts.alignment).by_sentence()


def _lowest(chunks: Chunks, bins: IntArray) -> IntArray:
    """Return the lowest bin of the tokens of each chunk."""
    if not len(chunks):
        return np.zeros(0, np.int64)
    bounds = np.stack([chunks.starts, chunks.ends], axis=1).ravel()
    padded = np.append(bins, np.iinfo(np.int64).max)  # reduceat takes no end behind the last token
    lowest: IntArray = np.minimum.reduceat(padded, bounds)[::2]
    return lowest


def _bins(values: Sequence[int] | IntArray, bounds: Sequence[tuple[int, int | None]]) -> IntArray:
    lows = np.array([low for low, _ in bounds])
    numbers: IntArray = np.searchsorted(lows, np.asarray(values, np.int64), side="right") - 1
    return numbers


def _bounds(low: int, high: int | None) -> str:
    if high is None:
        return f"{low}+"
    return str(low) if high == low else f"{low}–{high}"
