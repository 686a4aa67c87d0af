"""The compact layout of training sets for L-BFGS: the same values, gradients and minima."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.training import Problem, problems, random_problem

from tagpool import _native

NONE = np.zeros(0, np.float32)


def plainly(problem: Problem) -> Problem:
    """With all values 1."""
    rows = [[[(k, 1.0) for k, _ in token] for token in sentence] for sentence in problem.rows]
    return Problem(rows, problem.gold, problem.features, problem.labels)


@settings(max_examples=60, deadline=None)
@given(
    problem=problems(),
    chain=st.booleans(),
    all_pairs=st.booleans(),
    twins=st.booleans(),
    valued=st.booleans(),
    dense_from=st.integers(1, 5),
)
def test_values_and_gradients_are_the_same(
    problem: Problem, chain: bool, all_pairs: bool, twins: bool, valued: bool, dense_from: int
) -> None:
    if not valued:
        problem = plainly(problem)
    options = {"all_pairs": all_pairs, "dense_from": dense_from, "merge_twins": twins}
    usual, lean = (problem.training_set(lean=item, **options) for item in (False, True))
    assert lean.parameter_count == usual.parameter_count
    one, two = (_native.Objective(item, chain, 0.8, NONE, 1) for item in (usual, lean))
    start = np.zeros(one.parameter_count)
    minimum, _, value, _, _ = one.minimise(
        start, _native.LbfgsOptions(iterations=100, memory=6, gradient_tolerance=1e-9, value_tolerance=0.0)
    )
    for at in (start, minimum, 0.5 * minimum):
        assert two(at)[0] == pytest.approx(one(at)[0], rel=1e-6)  # √c is a value, and values have single precision
        np.testing.assert_allclose(two(at)[1], one(at)[1], atol=1e-5)
    result, _, other, _, _ = two.minimise(
        start, _native.LbfgsOptions(iterations=100, memory=6, gradient_tolerance=1e-9, value_tolerance=0.0)
    )
    assert other == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(result, minimum, atol=1e-3)
    np.testing.assert_array_equal(two.here(), result)


def test_sentences_too_long_to_be_packed_are_not() -> None:
    """A place and a score in 32 bits: here they need more."""
    tokens, labels = 70_000, 60
    random = np.random.default_rng(1)
    gold = random.integers(0, labels, tokens).tolist()
    rows = [[[(int(k), 1.0)] for k in random.integers(0, 2000, tokens)]]
    problem = Problem(rows, [gold], 2000, labels)
    usual, lean = (problem.training_set(all_pairs=False, dense_from=50, lean=item) for item in (False, True))
    one, two = (_native.Objective(item, True, 0.8, NONE, 1) for item in (usual, lean))
    at = random.normal(size=one.parameter_count)
    assert two(at)[0] == one(at)[0]
    np.testing.assert_array_equal(two(at)[1], one(at)[1])


@pytest.mark.parametrize(
    "make",
    [
        lambda each: _native.Sgd(each, True, _native.SgdOptions(l2=1.0, step=0.1, average_from=1, seed=1), NONE),
        lambda each: _native.Perceptron(each, True, 1, NONE),
        lambda each: _native.Fobos(
            each, True, _native.FobosOptions(penalty="l1", strength=1.0, ridge=0.0, step=0.1, seed=1), NONE
        ),
        lambda each: each.keep_shards_only(),
    ],
)
def test_other_learners_refuse_it(make: Callable[[_native.TrainingSet], object]) -> None:
    with pytest.raises(_native.InputFault, match="for the objective"):
        make(random_problem(5, 4, 3, 10, seed=1).training_set(all_pairs=False, lean=True))


@pytest.mark.parametrize("twins", [False, True])
def test_bundles_replace_the_lists_of_tokens(twins: bool) -> None:
    rows = [[[(word, 1.0), (10 + word % 4, 1.0), (20 + word % 3, 1.0)] for word in range(10)] for _ in range(20)]
    gold = [[(number + word) % 3 for word in range(10)] for number in range(20)]
    problem = Problem(rows, gold, 23, 3)
    plain, lean = (problem.training_set(all_pairs=False, merge_twins=twins, lean=item, bundle=item) for item in (False, True))
    assert lean.bundle_count > 0
    at = np.random.default_rng(3).normal(size=plain.parameter_count)
    (one, first), (two, second) = (_native.Objective(item, True, 0.7, NONE, 1)(at) for item in (plain, lean))
    assert two == pytest.approx(one, rel=1e-6)
    np.testing.assert_allclose(second, first, atol=1e-5)
    with pytest.raises(_native.InputFault, match="for the objective"):
        lean.keep_shards_only()
    assert lean.bundle_count > 0


def cells_of(training: _native.TrainingSet) -> list[tuple[int, int]]:
    return list(zip(training.cell_features().tolist(), training.cell_labels().tolist(), strict=True))


@pytest.mark.parametrize("lean", [False, True])
def test_values_of_zero_have_weights_and_take_no_time(lean: bool) -> None:
    """Values of 0 and 1 alone are plain features with bundles, and every cell has a weight."""
    sentence = [[(word, 1.0), (10, float(word % 2)), (11, 0.0), (12 + word % 4, 1.0), (16 + word % 3, 1.0)] for word in range(10)]
    gold = [[(number + word) % 3 for word in range(10)] for number in range(20)]
    with_zeros = Problem([sentence] * 20, gold, 19, 3)
    without = Problem([[[item for item in token if item[1]] for token in sentence]] * 20, gold, 19, 3)
    zeros = with_zeros.training_set(all_pairs=False, lean=lean, bundle=True)
    assert zeros.bundle_count > 0
    assert zeros.cell_count == without.training_set(all_pairs=False).cell_count + 3
    reference = with_zeros.training_set(all_pairs=True)
    at = np.random.default_rng(3).normal(size=zeros.parameter_count)
    places = {cell: i for i, cell in enumerate(cells_of(reference))}
    wide = np.zeros(reference.parameter_count)
    indices = [*(places[cell] for cell in cells_of(zeros)), *range(reference.cell_count, reference.parameter_count)]
    wide[indices] = at
    value, gradient = _native.Objective(zeros, True, 0.7, NONE, 1)(at)
    expected, slopes = _native.Objective(reference, True, 0.7, NONE, 1)(wide)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(gradient, slopes[indices], rtol=1e-9, atol=1e-10)
