"""Features that always occur together are trained as one: the same losses, gradients, minima and steps as apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.training import Problem, random_problem

from tagpool import CRF, LBFGS, _native, builtin_corpus

NONE = np.zeros(0, np.float32)


def with_twins(problem: Problem, copies: list[int]) -> Problem:
    """Feature k occurs ``copies[k]`` times over, under numbers of their own."""
    firsts = np.cumsum([0, *copies])
    rows = [
        [[(int(firsts[k]) + i, v) for k, v in token for i in range(copies[k])] for token in sentence] for sentence in problem.rows
    ]
    return Problem(rows, problem.gold, int(firsts[-1]), problem.labels)


copies_of = st.lists(st.integers(1, 4), min_size=20, max_size=20)


@pytest.mark.parametrize("chain", [True, False])
@pytest.mark.parametrize("all_pairs", [True, False])
@settings(max_examples=20, deadline=None)
@given(copies=copies_of, seed=st.integers(0, 100))
def test_twins_trained_as_one_are_trained_the_same(chain: bool, all_pairs: bool, copies: list[int], seed: int) -> None:
    problem = with_twins(random_problem(12, 5, 3, 20, seed=seed), copies)
    apart, merged = (problem.training_set(all_pairs=all_pairs, merge_twins=merge) for merge in (False, True))
    assert apart.parameter_count == merged.parameter_count
    one, two = (_native.Objective(item, chain, 0.8, NONE, 1) for item in (apart, merged))
    minimum, _, value, _, _ = one.minimise(
        np.zeros(one.parameter_count),
        _native.LbfgsOptions(iterations=300, memory=6, gradient_tolerance=1e-10, value_tolerance=0.0),
    )
    # At the minimum twins weigh the same: there both must agree on value and gradient.
    assert two(minimum)[0] == pytest.approx(one(minimum)[0], rel=1e-6)
    np.testing.assert_allclose(two(minimum)[1], one(minimum)[1], atol=1e-4)
    result, _, other, _, _ = two.minimise(
        np.zeros(two.parameter_count),
        _native.LbfgsOptions(iterations=300, memory=6, gradient_tolerance=1e-10, value_tolerance=0.0),
    )
    assert other == pytest.approx(value, rel=1e-7)  # √c is a value, and values have single precision
    np.testing.assert_allclose(result, minimum, atol=1e-4)


def test_almost_twins_stay_apart() -> None:
    rows = [[[(0, 1.0), (1, 1.0)], [(0, 1.0)]], [[(2, 1.0), (3, 0.5)], [(4, 1.0), (5, 1.0)]]]
    problem = Problem(rows, [[0, 1], [1, 0]], 6, 2)
    merged = problem.training_set(all_pairs=True, merge_twins=True)
    result = _native.Objective(merged, True, 1.0, NONE, 1).minimise(
        np.zeros(merged.parameter_count),
        _native.LbfgsOptions(iterations=300, memory=6, gradient_tolerance=1e-10, value_tolerance=0.0),
    )[0]
    pairs = result[: merged.cell_count].reshape(6, 2)
    assert np.array_equal(pairs[4], pairs[5])
    assert not np.allclose(pairs[0], pairs[1])
    assert not np.allclose(pairs[2], pairs[3])


def test_an_expert_trained_by_lbfgs_keeps_every_feature() -> None:
    corpus = builtin_corpus(80)
    crf = CRF("word[-1..1]\nsuffix(word, 1..3)[0]", trainer=LBFGS(tolerance=1e-8)).fit(corpus)
    plain = CRF("word[-1..1]\nsuffix(word, 1..3)[0]", trainer=_Apart(tolerance=1e-8)).fit(corpus)
    assert crf.feature_count == plain.feature_count
    assert crf.log_[-1].loss == pytest.approx(plain.log_[-1].loss, rel=1e-6)


class _Apart(LBFGS):
    merges_twins = False
