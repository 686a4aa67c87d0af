"""Significance: bootstrap intervals, the paired bootstrap, approximate randomisation, and McNemar's test.

The bootstrap (Efron and Tibshirani 1993) draws as many sentences as there are, with replacement, and scores each draw. Every
score is a ratio of sums over sentences, so a draw needs only the number of times that each sentence was drawn. Draws come in
blocks, and the sums of a block are one matrix product. The block bounds the memory; results depend on the seed only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tagpool.errors import InputError
from tagpool.evaluation.alignment import LabelSequences, align
from tagpool.evaluation.chunks import ChunkCounts, FloatArray, count_chunks, rates, ratio
from tagpool.lazy import TYPE_CHECKING, LazyModule
from tagpool.wording import counted

if TYPE_CHECKING:
    import numpy as np
else:
    np = LazyModule("numpy")

METRICS = ("precision", "recall", "f1", "accuracy")
_BLOCK = 1 << 20  # numbers drawn at once: a few megabytes, small enough for the cache
_LEVEL = 0.95
_ROUNDING = 1e-11  # sums of counts are exact, their ratios are rounded


class Interval(NamedTuple):
    """Ends of a confidence interval."""

    low: float
    high: float


@dataclass(frozen=True)
class PairedBootstrap:
    """Result of :func:`paired_bootstrap`; scores are from 0 to 1."""

    metric: str
    first: float
    second: float
    difference: float
    interval: Interval
    p_value: float
    standard_error: float = 0.0


@dataclass(frozen=True)
class Randomisation:
    """Result of :func:`randomisation_test`: mean F1 of both (0 to 1), second − first, and the two-sided p value."""

    first: float
    second: float
    difference: float
    p_value: float


@dataclass(frozen=True)
class McNemar:
    """Result of :func:`mcnemar`: numbers of tokens that only one of the systems has right, and the p value.

    ``statistic`` is the chi-square, None if the exact binomial was used.
    """

    first_only: int
    second_only: int
    statistic: float | None
    p_value: float


def count_intervals(counts: ChunkCounts, *, draws: int = 10_000, level: float = _LEVEL, seed: int = 0) -> dict[str, Interval]:
    """Return percentile intervals of precision, recall, f1 and accuracy by the bootstrap over sentences."""
    table = _sentence_table(counts)
    scores = np.concatenate([_scores(sums) for sums in draw_sums(table, draws, seed)])
    return {metric: _interval(scores[:, column], level) for column, metric in enumerate(METRICS)}


def paired_bootstrap(
    gold: LabelSequences,
    first: LabelSequences,
    second: LabelSequences,
    *,
    metric: str = "f1",
    draws: int = 10_000,
    seed: int = 0,
    plain: bool | None = None,
    outside: str | None = "O",
) -> PairedBootstrap:
    """Compare two systems on the same sentences: both are scored on every draw. The interval is that of 95%.

    The difference is second − first. The p value is two-sided: with d* the differences of the B draws,
    p = min(1, 2·(1 + min(#{d* ≤ 0}, #{d* ≥ 0})) / (B + 1)). So it is below 0.05 if and only if the percentile interval does not
    contain zero (up to one draw), it is never 0, and it is 1 for systems that never differ.

    >>> gold = [["B-PER", "O"], ["O", "B-LOC"]] * 20
    >>> silent = [["O", "O"]] * 40
    >>> outcome = paired_bootstrap(gold, silent, gold, draws=999)
    >>> outcome.difference, outcome.p_value
    (1.0, 0.002)
    """
    if metric not in METRICS:
        raise InputError(f"unknown metric {metric!r}; use one of {', '.join(METRICS)}")
    tables = [_sentence_table(counts) for counts in _count_all(gold, [first, second], plain, outside)]
    return _compare_tables(tables, metric, draws, seed)


def document_bootstrap(
    gold: LabelSequences, first: LabelSequences, second: LabelSequences, documents: Sequence[int], *, draws: int, seed: int
) -> PairedBootstrap:
    """Compare the F1 of two systems as :func:`paired_bootstrap` does, but draw whole documents.

    ``documents`` are the numbers of the documents of the sentences. Errors in a document are alike, so that sentences of one
    document are not independent.

    >>> gold, silent = [["B-PER", "O"], ["O", "B-LOC"]] * 20, [["O", "O"]] * 40
    >>> document_bootstrap(gold, silent, gold, [number // 4 for number in range(40)], draws=100, seed=1).difference
    1.0
    """
    counts = _count_all(gold, [first, second], None, "O")
    return _compare_tables([_sum_units(_sentence_table(one), documents) for one in counts], "f1", draws, seed)


def _compare_tables(tables: Sequence[FloatArray], metric: str, draws: int, seed: int) -> PairedBootstrap:
    """Compare the second table with the first; rows are sentences or documents."""
    column = METRICS.index(metric)
    width = tables[0].shape[1]
    points = [float(_scores(table.sum(axis=0, keepdims=True))[0, column]) for table in tables]
    differences = np.concatenate(
        [
            _scores(sums[:, width:])[:, column] - _scores(sums[:, :width])[:, column]
            for sums in draw_sums(np.hstack(tables), draws, seed)
        ]
    )
    tail = min(int((differences <= 0).sum()), int((differences >= 0).sum()))
    return PairedBootstrap(
        metric=metric,
        first=points[0],
        second=points[1],
        difference=points[1] - points[0],
        interval=_interval(differences, _LEVEL),
        p_value=min(1.0, 2 * (1 + tail) / (draws + 1)),
        standard_error=float(differences.std()),
    )


def _sum_units(table: FloatArray, units: Sequence[int]) -> FloatArray:
    """Return the sums of the rows of each unit."""
    if len(units) != len(table):
        raise InputError(f"documents: expected {counted(len(table), 'number')}, one per sentence, got {len(units)}")
    names, rows = np.unique(np.asarray(units), return_inverse=True)
    sums = np.zeros((len(names), table.shape[1]))
    np.add.at(sums, rows, table)
    return sums


def randomisation_test(
    gold: LabelSequences,
    first: Sequence[LabelSequences],
    second: Sequence[LabelSequences],
    *,
    draws: int = 10_000,
    seed: int = 0,
) -> Randomisation:
    """Test whether two kinds of models differ in F1 by approximate randomisation (Noreen 1989).

    ``first`` and ``second`` have the predictions for every seed. Under the null hypothesis the predictions of both are
    exchangeable. So each draw swaps them at random, sentence by sentence (all seeds of a sentence together).
    p = (1 + #{|d*| ≥ |d|}) / (draws + 1), where d is the difference of the mean F1 and d* are those of the draws.

    >>> gold = [["B-PER", "O"], ["O", "B-LOC"]] * 20
    >>> silent = [["O", "O"]] * 40
    >>> randomisation_test(gold, [silent], [gold], draws=999)
    Randomisation(first=0.0, second=1.0, difference=1.0, p_value=0.001)
    """
    if not first or len(first) != len(second):
        raise InputError(f"expected as many predictions of both, at least one, got {len(first)} and {len(second)}")
    tables = [counts.by_sentence().astype(np.float64) for counts in _count_all(gold, [*first, *second])]
    ones, others = np.hstack(tables[: len(first)]), np.hstack(tables[len(first) :])
    total_one, total_other, swapped = ones.sum(axis=0), others.sum(axis=0), others - ones
    means = [float(_mean_f1(total[None])[0]) for total in (total_one, total_other)]
    difference = means[1] - means[0]
    random = np.random.default_rng(seed)
    as_far = 0
    for rows in _block_sizes(len(ones), draws):
        moved = random.integers(0, 2, (rows, len(ones))).astype(np.float64) @ swapped
        drawn = _mean_f1(total_other - moved) - _mean_f1(total_one + moved)
        as_far += int((np.abs(drawn) >= abs(difference) - _ROUNDING).sum())
    return Randomisation(means[0], means[1], difference, (1 + as_far) / (draws + 1))


def _mean_f1(sums: FloatArray) -> FloatArray:
    """Return the mean F1 over seeds for each row of sums: correct, predicted and gold chunks, seed by seed."""
    correct, predicted, gold = sums.reshape(len(sums), -1, 3).transpose(2, 0, 1)
    mean: FloatArray = rates(correct, predicted, gold)[2].mean(axis=1)
    return mean


def mcnemar(gold: LabelSequences, first: LabelSequences, second: LabelSequences, *, exact_below: int = 25) -> McNemar:
    """Test whether two systems are right on the same number of tokens (McNemar 1947), two-sided.

    Only tokens that one system has right and the other wrong count. With fewer than ``exact_below`` of them the p value is that
    of the exact binomial with ½; otherwise that of chi-square with one degree of freedom and Edwards' continuity correction,
    (|b − c| − 1)² / (b + c). The test assumes independent tokens, unlike :func:`paired_bootstrap`.

    >>> mcnemar([["a"] * 8], [["a"] * 8], [["a"] * 2 + ["b"] * 6])
    McNemar(first_only=6, second_only=0, statistic=None, p_value=0.03125)
    """
    right, other = align(gold, first).right, align(gold, second).right
    first_only, second_only = int((right & ~other).sum()), int((other & ~right).sum())
    total = first_only + second_only
    if total < exact_below:
        ways = sum(math.comb(total, k) for k in range(min(first_only, second_only) + 1))
        return McNemar(first_only, second_only, None, float(min(1.0, 2 * ways / 2**total)))
    statistic = max(abs(first_only - second_only) - 1, 0) ** 2 / total if total else 0.0
    # P(χ²₁ > x) = P(|Z| > √x) = erfc(√(x / 2))
    return McNemar(first_only, second_only, statistic, math.erfc(math.sqrt(statistic / 2)))


def _count_all(
    gold: LabelSequences, systems: Sequence[LabelSequences], plain: bool | None = None, outside: str | None = "O"
) -> list[ChunkCounts]:
    """Return the counts of systems, whose labels are all read in the same way: plain if those of every system are."""
    alignments = [align(gold, labels) for labels in systems]
    if plain is None:
        plain = all(alignment.plain for alignment in alignments)
    return [count_chunks(alignment, plain=plain, outside=outside) for alignment in alignments]


def _sentence_table(counts: ChunkCounts) -> FloatArray:
    """Return for each sentence: correct, predicted and gold chunks, right tokens, tokens."""
    alignment = counts.alignment
    right = alignment.sum_by_sentence(alignment.right)
    return np.column_stack([counts.by_sentence(), right, alignment.lengths]).astype(np.float64)


def _scores(sums: FloatArray) -> FloatArray:
    """Return the metrics, one row for each row of sums of a sentence table."""
    correct, predicted, gold, right, tokens = sums.T
    return np.stack([*rates(correct, predicted, gold), ratio(right, tokens)], axis=1)


def draw_sums(table: FloatArray, draws: int, seed: int) -> Iterator[FloatArray]:
    """Yield the column sums of ``draws`` bootstrap samples of the rows, in blocks."""
    random = np.random.default_rng(seed)
    size = len(table)
    for rows in _block_sizes(size, draws):
        chosen = random.integers(0, size, (rows, size)) + size * np.arange(rows)[:, None]
        times = np.bincount(chosen.ravel(), minlength=rows * size).reshape(rows, size)
        yield times.astype(np.float64) @ table


def _block_sizes(sentences: int, draws: int) -> Iterator[int]:
    """Yield the number of draws in each block."""
    if draws < 1:
        raise InputError(f"expected at least 1 draw, got {draws}")
    if not sentences:
        raise InputError("expected at least one sentence to draw from, got none")
    block = max(1, _BLOCK // sentences)
    for begin in range(0, draws, block):
        yield min(block, draws - begin)


def _interval(values: FloatArray, level: float) -> Interval:
    if not 0 < level < 1:
        raise InputError(f"expected a confidence level between 0 and 1, got {level}")
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))
