"""Versions: scores of several versions of the same sentences, and differences between them by the paired bootstrap.

A version may be the sentences with other words, tokens and gold labels, with labels of another tagger, or a part of their spans.
All versions are scored on the same draws of sentences, so their differences are paired.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagpool.errors import InputError
from tagpool.evaluation.alignment import align
from tagpool.evaluation.chunks import ChunkCounts, FloatArray, count_chunks, rates
from tagpool.evaluation.significance import Interval, draw_sums

Rows = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Difference:
    """A sum of scores minus others, from 0 to 1, with its 95% interval and the two-sided p value."""

    value: float
    interval: Interval
    p_value: float


def count_version(gold: Rows, predicted: Rows, *, plain: bool, outside: str | None = None) -> ChunkCounts:
    """Count the chunks of a version; with ``plain``, every token is one, except those labelled ``outside``."""
    return count_chunks(align(gold, predicted), plain=plain, outside=outside)


class Versions:
    """Scores of versions by name: F1, which is the accuracy if every token is a chunk.

    ``tables`` have the numbers of correct, predicted and gold chunks of each sentence, [S][3].

    >>> gold, predicted = [["B-PER"], ["B-PER"]] * 20, [["B-PER"], ["O"]] * 20
    >>> counts = {"clean": count_version(gold, gold, plain=False), "upper": count_version(gold, predicted, plain=False)}
    >>> versions = Versions({name: one.by_sentence() for name, one in counts.items()}, draws=999)
    >>> round(versions.score("upper"), 3), versions.difference(["clean"], ["upper"]).p_value
    (0.667, 0.002)
    """

    def __init__(self, tables: Mapping[str, NDArray[np.int64]], *, draws: int = 10_000, seed: int = 0) -> None:
        sizes = {len(table) for table in tables.values()}
        if len(sizes) != 1:
            raise InputError(f"expected versions of the same sentences, got tables with these numbers of rows: {sorted(sizes)}")
        self._columns = {name: column for column, name in enumerate(tables)}
        joined = np.hstack([table.astype(np.float64) for table in tables.values()])
        self._points = _f1(joined.sum(axis=0, keepdims=True))[0]
        self._draws = np.concatenate([_f1(sums) for sums in draw_sums(joined, draws, seed)])

    def score(self, name: str) -> float:
        """Return the score of a version."""
        return float(self._points[self._columns[name]])

    def interval(self, name: str) -> Interval:
        """Return the 95% interval of the score of a version."""
        low, high = np.quantile(self._draws[:, self._columns[name]], [0.025, 0.975])
        return Interval(float(low), float(high))

    def difference(self, plus: Sequence[str], minus: Sequence[str]) -> Difference:
        """Return the sum of the scores of some versions minus those of others."""
        signs = np.zeros(len(self._columns))
        for names, sign in ((plus, 1.0), (minus, -1.0)):
            for name in names:
                signs[self._columns[name]] += sign
        draws = self._draws @ signs
        value = float(self._points @ signs)
        # Draws without any difference give sums that are only rounded zeros.
        draws[np.abs(draws) < 1e-12] = 0.0
        tail = min(int((draws <= 0).sum()), int((draws >= 0).sum()))
        low, high = np.quantile(draws, [0.025, 0.975])
        p_value = min(1.0, 2 * (1 + tail) / (len(draws) + 1))
        return Difference(0.0 if abs(value) < 1e-12 else value, Interval(float(low), float(high)), p_value)


def _f1(sums: FloatArray) -> FloatArray:
    """Return F1 for sums [N][3·versions], as [N][versions]."""
    correct, predicted, gold = sums[:, 0::3], sums[:, 1::3], sums[:, 2::3]
    return rates(correct, predicted, gold)[2]
