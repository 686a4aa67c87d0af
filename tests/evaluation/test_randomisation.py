"""Approximate randomisation against all tosses of a few coins, and laws it must keep."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from tagpool.errors import InputError
from tagpool.evaluation.scores import score
from tagpool.evaluation.significance import randomisation_test

LABELS = ["O", "B-X", "I-X", "B-Y"]
Labels = list[list[str]]


def corpus(sentences: int, seed: int = 0) -> Labels:
    draw = random.Random(seed)
    return [draw.choices(LABELS, [5, 2, 1, 2], k=draw.randint(3, 12)) for _ in range(sentences)]


def noisy(gold: Labels, rate: float, seed: int) -> Labels:
    draw = random.Random(seed)
    return [[draw.choice(LABELS) if draw.random() < rate else label for label in labels] for labels in gold]


def mean_f1(gold: Labels, said: list[Labels]) -> float:
    return float(np.mean([score(gold, labels).f1 for labels in said]))


@pytest.mark.parametrize("seeds", [1, 2])
def test_it_is_what_all_tosses_give(seeds: int) -> None:
    gold = corpus(8, seed=3)
    first = [noisy(gold, 0.5, 10 + n) for n in range(seeds)]
    second = [noisy(gold, 0.3, 20 + n) for n in range(seeds)]
    difference = mean_f1(gold, second) - mean_f1(gold, first)
    as_far = 0
    for coins in itertools.product((False, True), repeat=len(gold)):
        one = [[b if coin else a for coin, a, b in zip(coins, x, y, strict=True)] for x, y in zip(first, second, strict=True)]
        two = [[a if coin else b for coin, a, b in zip(coins, x, y, strict=True)] for x, y in zip(first, second, strict=True)]
        as_far += abs(mean_f1(gold, two) - mean_f1(gold, one)) >= abs(difference) - 1e-11
    result = randomisation_test(gold, first, second, draws=20_000)
    assert result.difference == pytest.approx(difference)
    assert result.p_value == pytest.approx(as_far / 2 ** len(gold), abs=0.015)


def test_it_is_symmetric_and_depends_on_the_seed_alone() -> None:
    gold = corpus(60)
    first, second = [noisy(gold, 0.3, 1)], [noisy(gold, 0.25, 2)]
    one, other = randomisation_test(gold, first, second, draws=500), randomisation_test(gold, second, first, draws=500)
    assert (one.difference, one.p_value) == (pytest.approx(-other.difference), other.p_value)
    assert randomisation_test(gold, first, second, draws=500) == one
    assert randomisation_test(gold, first, second, draws=500, seed=1).p_value != one.p_value


def test_equal_models_never_differ_and_a_real_difference_is_found() -> None:
    gold = corpus(200)
    same = [noisy(gold, 0.3, 1), noisy(gold, 0.3, 2)]
    assert randomisation_test(gold, same, same, draws=200).p_value == 1.0
    better = [noisy(gold, 0.1, 3), noisy(gold, 0.1, 4)]
    assert randomisation_test(gold, same, better, draws=999).p_value == 0.001


def test_under_the_null_small_p_values_are_rare() -> None:
    small = 0
    for number in range(200):
        gold = corpus(40, seed=1000 + number)
        result = randomisation_test(gold, [noisy(gold, 0.3, number)], [noisy(gold, 0.3, 5000 + number)], draws=200)
        small += result.p_value < 0.1
    assert 5 <= small <= 40  # a tenth of 200 is expected; both bounds are over three standard deviations away


def test_bad_input() -> None:
    gold = corpus(3)
    for first, second in (([], []), ([gold], [gold, gold])):
        with pytest.raises(InputError, match="as many predictions"):
            randomisation_test(gold, first, second)
    with pytest.raises(InputError, match="at least 1 draw"):
        randomisation_test(gold, [gold], [gold], draws=0)
    with pytest.raises(InputError, match="at least one sentence"):
        randomisation_test([], [[]], [[]])
