"""Significance: bootstrap intervals over sentences, the paired bootstrap, and McNemar's test.

The bootstrap (Efron and Tibshirani 1993) draws as many sentences as there are, with
replacement, and scores each draw. Since every score is a ratio of sums over sentences, a draw needs only how often each
sentence was drawn: draws are made in blocks, and a block's sums are one matrix product. Memory is bounded by the block;
results depend on the seed only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tagpool.errors import InputError
from tagpool.evaluation.alignment import LabelSequences, align
from tagpool.evaluation.chunks import ChunkCounts, FloatArray, count_chunks, rates, ratio

METRICS = ("precision", "recall", "f1", "accuracy")
_BLOCK = 1 << 20  # numbers drawn at once: a few megabytes, small enough for the cache


class Interval(NamedTuple):
    """The two ends of a confidence interval."""

    low: float
    high: float


@dataclass(frozen=True)
class PairedBootstrap:
    """The outcome of :func:`paired_bootstrap`; scores are from 0 to 1."""

    metric: str
    first: float
    second: float
    difference: float
    interval: Interval
    p_value: float


@dataclass(frozen=True)
class McNemar:
    """The outcome of :func:`mcnemar`: how many tokens only one of the systems has right, and the p value.

    ``statistic`` is the chi-square, None if the exact binomial was used.
    """

    first_only: int
    second_only: int
    statistic: float | None
    p_value: float


def bootstrap_intervals(
    gold: LabelSequences,
    predicted: LabelSequences,
    *,
    draws: int = 10_000,
    level: float = 0.95,
    seed: int = 0,
    plain: bool | None = None,
    outside: str | None = "O",
) -> dict[str, Interval]:
    """Return percentile intervals of precision, recall, f1 and accuracy by the bootstrap over sentences.

    ``plain`` and ``outside`` are those of :func:`tagpool.evaluation.scores.score`.

    >>> gold = [["B-PER", "O"], ["O", "B-LOC"]] * 20
    >>> bootstrap_intervals(gold, gold, draws=100)["f1"]
    Interval(low=1.0, high=1.0)
    """
    counts = count_chunks(align(gold, predicted), plain=plain, outside=outside)
    return count_intervals(counts, draws=draws, level=level, seed=seed)


def count_intervals(counts: ChunkCounts, *, draws: int = 10_000, level: float = 0.95, seed: int = 0) -> dict[str, Interval]:
    """Return the intervals of :func:`bootstrap_intervals` from counts.

    >>> counts = count_chunks(align([["NN"], ["VB"]] * 50, [["NN"], ["NN"]] * 50))
    >>> low, high = count_intervals(counts)["accuracy"]
    >>> low < 0.5 < high
    True
    """
    table = _sentence_table(counts)
    scores = np.concatenate([_scores(sums) for sums in _draw(table, draws, seed)])
    return {metric: _interval(scores[:, column], level) for column, metric in enumerate(METRICS)}


def paired_bootstrap(
    gold: LabelSequences,
    first: LabelSequences,
    second: LabelSequences,
    *,
    metric: str = "f1",
    draws: int = 10_000,
    level: float = 0.95,
    seed: int = 0,
    plain: bool | None = None,
    outside: str | None = "O",
) -> PairedBootstrap:
    """Compare two systems on the same sentences: both are scored on every draw.

    The difference is second − first. The p value is two-sided: with d* the differences of the B draws,
    p = min(1, 2·(1 + min(#{d* ≤ 0}, #{d* ≥ 0})) / (B + 1)), so it is below 1 − level just when the percentile interval
    leaves out zero (up to one draw), never 0, and 1 for systems that never differ.

    >>> gold = [["B-PER", "O"], ["O", "B-LOC"]] * 20
    >>> silent = [["O", "O"]] * 40
    >>> outcome = paired_bootstrap(gold, silent, gold, draws=999)
    >>> outcome.difference, outcome.p_value
    (1.0, 0.002)
    """
    if metric not in METRICS:
        raise InputError(f"unknown metric {metric!r}; use one of {', '.join(METRICS)}")
    column = METRICS.index(metric)
    alignments = [align(gold, first), align(gold, second)]
    if plain is None:  # the two systems must be read the same way
        plain = all(alignment.plain for alignment in alignments)
    tables = [_sentence_table(count_chunks(aligned, plain=plain, outside=outside)) for aligned in alignments]
    width = tables[0].shape[1]
    points = [float(_scores(table.sum(axis=0, keepdims=True))[0, column]) for table in tables]
    differences = np.concatenate(
        [
            _scores(sums[:, width:])[:, column] - _scores(sums[:, :width])[:, column]
            for sums in _draw(np.hstack(tables), draws, seed)
        ]
    )
    tail = min(int((differences <= 0).sum()), int((differences >= 0).sum()))
    return PairedBootstrap(
        metric=metric,
        first=points[0],
        second=points[1],
        difference=points[1] - points[0],
        interval=_interval(differences, level),
        p_value=min(1.0, 2 * (1 + tail) / (draws + 1)),
    )


def mcnemar(gold: LabelSequences, first: LabelSequences, second: LabelSequences, *, exact_below: int = 25) -> McNemar:
    """Test whether two systems are right on equally many tokens (McNemar 1947), two-sided.

    Only tokens that one system has right and the other wrong count. With fewer than ``exact_below`` of them the p value
    is that of the exact binomial with ½; otherwise that of chi-square with one degree of freedom and Edwards'
    continuity correction, (|b − c| − 1)² / (b + c). The test takes tokens as independent, which those of a
    sentence are not; :func:`paired_bootstrap` does not.

    >>> mcnemar([["a"] * 8], [["a"] * 8], [["a"] * 2 + ["b"] * 6])
    McNemar(first_only=6, second_only=0, statistic=None, p_value=0.03125)
    """
    right, other = align(gold, first).right, align(gold, second).right
    first_only, second_only = int((right & ~other).sum()), int((other & ~right).sum())
    total = first_only + second_only
    if total < exact_below:
        return McNemar(first_only, second_only, None, _binomial(min(first_only, second_only), total))
    statistic = max(abs(first_only - second_only) - 1, 0) ** 2 / total if total else 0.0
    # P(χ²₁ > x) = P(|Z| > √x) = erfc(√(x / 2))
    return McNemar(first_only, second_only, statistic, math.erfc(math.sqrt(statistic / 2)))


def _binomial(successes: int, trials: int) -> float:
    """Return the two-sided p value of at most ``successes`` of ``trials`` with probability ½, in exact arithmetic."""
    ways = sum(math.comb(trials, k) for k in range(successes + 1))
    return float(min(1.0, 2 * ways / 2**trials))


def _sentence_table(counts: ChunkCounts) -> FloatArray:
    """Return for each sentence: correct, predicted and gold chunks, right tokens, tokens."""
    alignment = counts.alignment
    if alignment.sentences == 0:
        raise InputError("expected at least one sentence to draw from, got none")
    right = alignment.sum_by_sentence(alignment.right)
    return np.column_stack([counts.by_sentence(), right, alignment.lengths]).astype(np.float64)


def _scores(sums: FloatArray) -> FloatArray:
    """Return the metrics, one row for each row of sums of a sentence table."""
    correct, predicted, gold, right, tokens = sums.T
    return np.stack([*rates(correct, predicted, gold), ratio(right, tokens)], axis=1)


def _draw(table: FloatArray, draws: int, seed: int) -> Iterator[FloatArray]:
    """Yield the column sums of ``draws`` bootstrap samples of the rows, in blocks."""
    if draws < 1:
        raise InputError(f"expected at least 1 bootstrap draw, got {draws}")
    random = np.random.default_rng(seed)
    size = len(table)
    block = max(1, _BLOCK // size)
    for begin in range(0, draws, block):
        rows = min(block, draws - begin)
        chosen = random.integers(0, size, (rows, size)) + size * np.arange(rows)[:, None]
        times = np.bincount(chosen.ravel(), minlength=rows * size).reshape(rows, size)
        yield times.astype(np.float64) @ table


def _interval(values: FloatArray, level: float) -> Interval:
    if not 0 < level < 1:
        raise InputError(f"expected a confidence level between 0 and 1, got {level}")
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))
