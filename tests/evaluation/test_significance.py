from __future__ import annotations

import itertools
import random
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, chi2

from tagpool.errors import InputError
from tagpool.evaluation import significance
from tagpool.evaluation.alignment import align
from tagpool.evaluation.chunks import count_chunks
from tagpool.evaluation.scores import score
from tagpool.evaluation.significance import METRICS, Interval, count_intervals, mcnemar, paired_bootstrap, randomisation_test

LABELS = ["O", "B-X", "I-X", "B-Y", "I-Y"]
Labels = list[list[str]]


def corpus(sentences: int, seed: int = 0) -> Labels:
    draw = random.Random(seed)
    return [draw.choices(LABELS, [6, 2, 1, 2, 1], k=draw.randint(3, 20)) for _ in range(sentences)]


def noisy(gold: Labels, rate: float, seed: int) -> Labels:
    draw = random.Random(seed)
    return [[draw.choice(LABELS) if draw.random() < rate else label for label in labels] for labels in gold]


def bootstrap_intervals(gold: Labels, predicted: Labels, *, draws: int = 10_000, **options: Any) -> Mapping[str, Interval]:
    return score(gold, predicted, draws=draws, **options).intervals


def test_intervals_contain_the_point_and_shrink_with_more_data() -> None:
    widths = []
    for sentences in (50, 800):
        gold = corpus(sentences)
        predicted = noisy(gold, 0.2, 1)
        result = score(gold, predicted, draws=2000)
        for metric in METRICS:
            low, high = result.intervals[metric]
            assert low < getattr(result, metric) < high
        widths.append(result.intervals["f1"].high - result.intervals["f1"].low)
    # 16 times the data: a quarter of the width
    assert widths[1] == pytest.approx(widths[0] / 4, rel=0.35)


def test_intervals_are_the_percentiles_of_all_possible_draws() -> None:
    gold = [["B-X", "O"], ["B-X", "B-Y", "O"], ["O"], ["B-Y"]]
    predicted = [["B-X", "O"], ["B-X", "O", "B-X"], ["O"], ["B-Y"]]
    every = [score([gold[i] for i in chosen], [predicted[i] for i in chosen]) for chosen in itertools.product(range(4), repeat=4)]
    result = bootstrap_intervals(gold, predicted, draws=40_000, level=0.8)
    for metric in METRICS:
        exact = np.quantile([getattr(one, metric) for one in every], [0.1, 0.9])
        assert list(result[metric]) == pytest.approx(exact, abs=1e-9)


def test_a_narrower_level_gives_a_narrower_interval() -> None:
    gold = corpus(100)
    predicted = noisy(gold, 0.2, 1)
    wide, narrow = (bootstrap_intervals(gold, predicted, draws=500, level=level)["f1"] for level in (0.99, 0.5))
    assert wide.low < narrow.low < narrow.high < wide.high


def test_results_depend_on_the_seed_only(monkeypatch: pytest.MonkeyPatch) -> None:
    gold = corpus(60)
    predicted = noisy(gold, 0.2, 1)
    first = bootstrap_intervals(gold, predicted, draws=300, seed=4)
    assert bootstrap_intervals(gold, predicted, draws=300, seed=4) == first
    assert bootstrap_intervals(gold, predicted, draws=300, seed=5) != first
    paired = paired_bootstrap(gold, predicted, gold, draws=300, seed=4)
    assert paired_bootstrap(gold, predicted, gold, draws=300, seed=4) == paired
    monkeypatch.setattr(significance, "_BLOCK", 100)  # not on the size of the blocks either
    assert bootstrap_intervals(gold, predicted, draws=300, seed=4) == first


def test_paired_bootstrap_sees_a_real_difference_and_not_a_small_one() -> None:
    gold = corpus(300)
    bad, good, as_good = noisy(gold, 0.3, 1), noisy(gold, 0.1, 2), noisy(gold, 0.1, 3)
    for metric in METRICS:
        outcome = paired_bootstrap(gold, bad, good, metric=metric, draws=1999)
        assert outcome.first == pytest.approx(getattr(score(gold, bad), metric))
        assert outcome.second == pytest.approx(getattr(score(gold, good), metric))
        assert outcome.difference == outcome.second - outcome.first
        assert 0 < outcome.interval.low < outcome.difference < outcome.interval.high
        assert outcome.p_value == pytest.approx(2 / 2000)
    alike = paired_bootstrap(gold, good, as_good, draws=1999)
    assert alike.interval.low < 0 < alike.interval.high
    assert alike.p_value > 0.05


def test_swapping_the_systems_mirrors_the_outcome() -> None:
    gold = corpus(80)
    first, second = noisy(gold, 0.2, 1), noisy(gold, 0.15, 2)
    one = paired_bootstrap(gold, first, second, draws=999)
    other = paired_bootstrap(gold, second, first, draws=999)
    assert one.difference == -other.difference
    assert one.interval == pytest.approx((-other.interval.high, -other.interval.low))
    assert one.p_value == other.p_value


def test_systems_that_never_differ_have_p_one() -> None:
    gold = corpus(30)
    predicted = noisy(gold, 0.2, 1)
    outcome = paired_bootstrap(gold, predicted, predicted, draws=100)
    assert (outcome.difference, tuple(outcome.interval), outcome.p_value) == (0.0, (0.0, 0.0), 1.0)


def test_p_value_and_interval_agree() -> None:
    gold = corpus(60)
    seen = set()
    for seed in range(12):
        outcome = paired_bootstrap(gold, noisy(gold, 0.30, seed), noisy(gold, 0.22, seed + 100), draws=999)
        outside = not outcome.interval.low <= 0 <= outcome.interval.high
        if not 0.045 < outcome.p_value < 0.055:
            assert outside == (outcome.p_value < 0.05)
            seen.add(outside)
    assert seen == {True, False}


def test_paired_bootstrap_is_calibrated_when_there_is_no_difference() -> None:
    small = 0
    for seed in range(60):
        gold = corpus(60, seed)
        outcome = paired_bootstrap(gold, noisy(gold, 0.2, 2 * seed), noisy(gold, 0.2, 2 * seed + 1), draws=199, seed=seed)
        small += outcome.p_value <= 0.1
    assert small <= 15  # expected 6; more than 15 has a probability below 0.001


def test_defaults_of_the_bootstrap() -> None:
    gold = corpus(40)
    predicted, other = noisy(gold, 0.2, 1), noisy(gold, 0.1, 2)
    defaults = {"draws": 10_000, "level": 0.95, "seed": 0}
    options = {"plain": None, "outside": "O"}
    expected = bootstrap_intervals(gold, predicted, **defaults, **options)
    assert bootstrap_intervals(gold, predicted) == expected
    counts = count_chunks(align(gold, predicted))
    assert count_intervals(counts) == count_intervals(counts, **defaults) == expected
    assert paired_bootstrap(gold, predicted, other) == paired_bootstrap(
        gold, predicted, other, metric="f1", draws=10_000, seed=0, **options
    )


def test_plain_labels_and_the_label_of_tokens_outside() -> None:
    gold = [["NN", "O", "VB", "O"]] * 5
    one_wrong, none_outside = [["NN", "O", "NN", "O"]] * 5, [["NN", "NN", "VB", "NN"]] * 5
    for outside, first, second in [("O", 1 / 2, 2 / 3), (None, 3 / 4, 1 / 2), ("NN", 4 / 5, 1 / 2)]:
        outcome = paired_bootstrap(gold, one_wrong, none_outside, draws=9, outside=outside)
        intervals = bootstrap_intervals(gold, one_wrong, draws=9, outside=outside)
        assert (outcome.first, outcome.second) == pytest.approx((first, second))
        assert intervals["f1"] == pytest.approx((first, first))
    spans = [["B-X", "I-X"]] * 5
    halves = [["B-X", "O"]] * 5
    assert paired_bootstrap(spans, halves, spans, draws=9).first == 0.0
    assert paired_bootstrap(spans, halves, spans, draws=9, plain=True).first == pytest.approx(2 / 3)
    assert bootstrap_intervals(spans, halves, draws=9, plain=True)["f1"].low == pytest.approx(2 / 3)


def test_the_labels_of_two_systems_are_read_in_the_same_way() -> None:
    """Alone, the first system has plain labels: most have no letter of a scheme. The labels of the second have spans."""
    gold = [["B-X", "O", "O", "O"]] * 5
    stray = [["B-X", "NN", "NN", "NN"]] * 5
    assert align(gold, stray).plain
    assert not align(gold, gold).plain
    for first, second in [(stray, gold), (gold, stray)]:
        outcome = paired_bootstrap(gold, first, second, draws=9)
        assert (outcome.first, outcome.second) == (1.0, 1.0)


def tokens(first_only: int, second_only: int, both: int = 3) -> tuple[Labels, Labels, Labels]:
    gold = [["a"] * (first_only + second_only + both)]
    first = [["a"] * first_only + ["b"] * second_only + ["a"] * both]
    second = [["b"] * first_only + ["a"] * second_only + ["a"] * both]
    return gold, first, second


@given(st.integers(0, 24), st.integers(0, 24))
def test_mcnemar_exact_is_scipys_binomial(first_only: int, second_only: int) -> None:
    outcome = mcnemar(*tokens(first_only, second_only), exact_below=100)
    assert (outcome.first_only, outcome.second_only, outcome.statistic) == (first_only, second_only, None)
    total = first_only + second_only
    expected = binomtest(first_only, total).pvalue if total else 1.0
    assert outcome.p_value == pytest.approx(expected, rel=1e-12)


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_with_many_disagreements_is_scipys_chi_square(first_only: int, second_only: int) -> None:
    outcome = mcnemar(*tokens(first_only, second_only))
    total = first_only + second_only
    if total < 25:
        assert outcome.statistic is None
        return
    corrected = max(abs(first_only - second_only) - 1, 0) ** 2 / total
    assert (outcome.first_only, outcome.second_only) == (first_only, second_only)
    assert outcome.statistic == pytest.approx(corrected)
    assert outcome.p_value == pytest.approx(chi2.sf(corrected, 1), rel=1e-9, abs=1e-300)


def test_mcnemar_without_exact_and_without_disagreement() -> None:
    assert mcnemar(*tokens(0, 0), exact_below=0).p_value == 1.0
    assert mcnemar(*tokens(0, 0)).p_value == 1.0
    assert mcnemar(*tokens(13, 12)).statistic == 0.0
    assert mcnemar(*tokens(12, 12)).statistic is None


def test_bad_arguments() -> None:
    gold = [["B-X"]]
    with pytest.raises(InputError, match="unknown metric 'f2'; use one of precision, recall, f1, accuracy"):
        paired_bootstrap(gold, gold, gold, metric="f2")
    with pytest.raises(InputError, match="at least 1 draw, got 0"):
        count_intervals(count_chunks(align(gold, gold)), draws=0)
    for level in (95, 0, 1):
        with pytest.raises(InputError, match=f"level between 0 and 1, got {level}"):
            bootstrap_intervals(gold, gold, level=level)
    with pytest.raises(InputError, match="at least one sentence"):
        bootstrap_intervals([], [])
    with pytest.raises(InputError, match="sentence 1: expected 1 predicted label, as in gold, got 2"):
        mcnemar(gold, gold, [["O", "O"]])


def test_draws_are_vectorised() -> None:
    """A loop over draws would make at least one call for each."""
    gold = corpus(350)
    predicted = noisy(gold, 0.1, 1)
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    def calls_of(draws: int) -> int:
        nonlocal calls
        calls = 0
        sys.setprofile(count)
        try:
            bootstrap_intervals(gold, predicted, draws=draws)
        finally:
            sys.setprofile(None)
        return calls

    assert calls_of(10_000) - calls_of(100) < 1000


def test_scipy_is_not_needed_at_run_time() -> None:
    code = "import sys, tagpool.evaluation.scores, tagpool.evaluation.breakdown; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# Approximate randomisation ------------------------------------------------------------------------------------------------


def mean_f1(gold: Labels, predictions: list[Labels]) -> float:
    return float(np.mean([score(gold, labels).f1 for labels in predictions]))


@pytest.mark.parametrize("seeds", [1, 2])
def test_randomisation_is_what_all_tosses_give(seeds: int) -> None:
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
    assert (result.first, result.second) == (pytest.approx(mean_f1(gold, first)), pytest.approx(mean_f1(gold, second)))
    assert result.difference == pytest.approx(difference)
    assert result.p_value == pytest.approx(as_far / 2 ** len(gold), abs=0.015)


def test_randomisation_is_symmetric_and_depends_on_the_seed_alone() -> None:
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


def test_randomisation_does_not_depend_on_the_block_size(monkeypatch: pytest.MonkeyPatch) -> None:
    gold = corpus(60)
    first, second = [noisy(gold, 0.3, 1)], [noisy(gold, 0.25, 2)]
    whole = randomisation_test(gold, first, second, draws=500)
    monkeypatch.setattr(significance, "_BLOCK", 60 * 100)
    assert randomisation_test(gold, first, second, draws=500) == whole


def test_randomisation_of_plain_labels_leaves_out_the_outside_label() -> None:
    gold = [["NN", "O", "O"], ["VB", "NN", "O"]]
    result = randomisation_test(gold, [[["NN", "O", "O"], ["VB", "VB", "O"]]], [gold], draws=9)
    assert result.first == pytest.approx(2 / 3)


def test_bad_arguments_of_randomisation() -> None:
    gold = corpus(3)
    for first, second in (([], []), ([gold], [gold, gold])):
        with pytest.raises(InputError, match="as many predictions"):
            randomisation_test(gold, first, second)
    with pytest.raises(InputError, match="at least 1 draw"):
        randomisation_test(gold, [gold], [gold], draws=0)
    with pytest.raises(InputError, match="at least one sentence"):
        randomisation_test([], [[]], [[]])
