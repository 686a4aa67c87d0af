"""Approximate randomisation (Noreen 1989): whether two kinds of models differ in F1, each trained with several seeds.

Under the null hypothesis the predictions of both are exchangeable. So each draw swaps them at random, sentence by sentence (all
seeds of a sentence together), and the observed difference of the mean F1 is compared with those of the draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tagpool.errors import InputError
from tagpool.evaluation.alignment import LabelSequences, align
from tagpool.evaluation.chunks import FloatArray, count_chunks, rates

_BLOCK = 1 << 20  # random bits per block
_ROUNDING = 1e-11  # sums of counts are exact, their ratios are rounded


@dataclass(frozen=True)
class Randomisation:
    """The outcome of :func:`randomisation_test`: mean F1 of both (0 to 1), second − first, and the two-sided p value."""

    first: float
    second: float
    difference: float
    p_value: float


def randomisation_test(
    gold: LabelSequences,
    first: Sequence[LabelSequences],
    second: Sequence[LabelSequences],
    *,
    draws: int = 10_000,
    seed: int = 0,
    plain: bool | None = None,
    outside: str | None = "O",
) -> Randomisation:
    """Compare two kinds of models on the same sentences; ``first`` and ``second`` have their predictions for every seed.

    p = (1 + #{|d*| ≥ |d|}) / (draws + 1), where d is the difference and d* are those of the draws.

    >>> gold = [["B-PER", "O"], ["O", "B-LOC"]] * 20
    >>> silent = [["O", "O"]] * 40
    >>> randomisation_test(gold, [silent], [gold], draws=999)
    Randomisation(first=0.0, second=1.0, difference=1.0, p_value=0.001)
    """
    if not first or len(first) != len(second):
        raise InputError(f"expected as many predictions of both, at least one, got {len(first)} and {len(second)}")
    if draws < 1:
        raise InputError(f"expected at least 1 draw, got {draws}")
    alignments = [align(gold, labels) for labels in (*first, *second)]
    if plain is None:  # all must be read the same way
        plain = all(alignment.plain for alignment in alignments)
    tables = [count_chunks(aligned, plain=plain, outside=outside).by_sentence().astype(np.float64) for aligned in alignments]
    ones, others = np.hstack(tables[: len(first)]), np.hstack(tables[len(first) :])
    if len(ones) == 0:
        raise InputError("expected at least one sentence to draw from, got none")
    total_one, total_other, swapped = ones.sum(axis=0), others.sum(axis=0), others - ones
    means = [float(_mean_f1(total[None])[0]) for total in (total_one, total_other)]
    difference = means[1] - means[0]
    random = np.random.default_rng(seed)
    block = max(1, _BLOCK // len(ones))
    as_far = 0
    for begin in range(0, draws, block):
        coins = random.integers(0, 2, (min(block, draws - begin), len(ones))).astype(np.float64)
        moved = coins @ swapped
        drawn = _mean_f1(total_other - moved) - _mean_f1(total_one + moved)
        as_far += int((np.abs(drawn) >= abs(difference) - _ROUNDING).sum())
    return Randomisation(means[0], means[1], difference, (1 + as_far) / (draws + 1))


def _mean_f1(sums: FloatArray) -> FloatArray:
    """Return the mean F1 over seeds for each row of sums: correct, predicted and gold chunks, seed by seed."""
    correct, predicted, gold = sums.reshape(len(sums), -1, 3).transpose(2, 0, 1)
    mean: FloatArray = rates(correct, predicted, gold)[2].mean(axis=1)
    return mean
