"""Member weights: the grid, the projection, and maximisation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from tagpool.errors import InputError
from tagpool.pools.member_weights import (
    check_weights,
    em_weights,
    maximise,
    no_projection,
    project_to_simplex,
    uniform,
    weight_grid,
)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 20, 150])
def test_the_grid_covers_the_simplex(count):
    points = list(weight_grid(count))
    assert points[0].tolist() == uniform(count).tolist()
    assert all(point.sum() == pytest.approx(1) and (point >= 0).all() for point in points)
    assert len({tuple(point) for point in points[1:]}) == len(points) - 1
    assert all(any(np.array_equal(point, corner) for point in points) for corner in np.eye(count))
    assert len(points) <= max(102, count + 1)


@pytest.mark.parametrize("values", [[0.25, 0.75], (1, 0), np.array([0.5, 0.5]), [0.5, 0.5 + 9e-7]])
def test_weights_that_sum_to_one(values):
    assert check_weights(values, 2).tolist() == list(values)
    assert check_weights(values, 2).dtype == np.float64
    assert check_weights(values, 2) is not values


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("10", "weights='10': expected a list of numbers"),
        (b"10", "weights=b'10': expected a list of numbers"),
        ({0.5, 0.25}, "expected a list of numbers"),
        (["a", "b"], r"weights=\['a', 'b'\]: expected numbers"),
        ([None, 1.0], "expected numbers|expected finite numbers"),
        ([1.0], r"weights=\[1.0\]: expected 2 numbers, one per member"),
        ([[0.5, 0.5]], "expected 2 numbers"),
        ([1.5, -0.5], "expected finite numbers of at least 0"),
        ([math.nan, 1.0], "expected finite numbers"),
        ([math.inf, 0.0], "expected finite numbers"),
        ([0.5, 0.6], r"weights=\[0.5, 0.6\]: expected a sum of 1, got 1.1"),
        ([0.5, 0.5 - 2e-6], "expected a sum of 1"),
    ],
)
def test_other_weights_are_errors(values, message):
    with pytest.raises(InputError, match=message):
        check_weights(values, 2)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=6))
def test_the_projection_is_the_nearest_point(values):
    point = np.array(values)
    result = project_to_simplex(point)
    assert result.sum() == pytest.approx(1)
    assert (result >= 0).all()
    for other in np.random.default_rng(0).dirichlet(np.ones(len(point)), 50):
        assert np.linalg.norm(result - point) <= np.linalg.norm(other - point) + 1e-9
    assert project_to_simplex(result) == pytest.approx(result)


@given(st.integers(0, 10_000), st.integers(2, 6))
def test_maximising_a_quadratic(seed, count):
    random = np.random.default_rng(seed)
    root = random.normal(size=(count, count))
    curvature, goal = root @ root.T + 0.1 * np.eye(count), random.normal(size=count)

    def function(x):
        return float(-0.5 * (x - goal) @ curvature @ (x - goal)), -curvature @ (x - goal)

    assert maximise(function, uniform(count), no_projection) == pytest.approx(goal, abs=1e-2)
    bounds, sums = [(0, None)] * count, {"type": "eq", "fun": lambda x: x.sum() - 1}
    expected = minimize(lambda x: -function(x)[0], uniform(count), bounds=bounds, constraints=[sums], tol=1e-12)
    assert function(maximise(function, uniform(count)))[0] >= -expected.fun - 1e-5


def test_a_member_that_is_never_right_gets_weight_0():
    logs = np.array([[-1.0, -2.0, -3.0], [-1000.0, -900.0, -np.inf]])
    assert em_weights(logs, uniform(2)).round(6).tolist() == [1.0, 0.0]
    assert em_weights(np.full((2, 3), -np.inf), uniform(2)).tolist() == [0.5, 0.5]


def test_expectation_maximisation_does_not_underflow():
    logs = np.log(np.array([[0.9, 0.9, 0.1], [0.1, 0.1, 0.9]]))
    expected = em_weights(logs, uniform(2))
    assert em_weights(logs - 2000, uniform(2)) == pytest.approx(expected)
    assert em_weights(np.column_stack([logs, [-np.inf, -np.inf]]), uniform(2)) == pytest.approx(expected)


@pytest.mark.parametrize("start", [[0.2, 0.5, 0.3], [1.0, 0.0, 0.0]])
def test_the_maximum_of_a_linear_function_is_a_corner(start):
    slope = np.array([1.0, 3.0, 2.0])
    assert maximise(lambda x: (float(slope @ x), slope), np.array(start)) == pytest.approx([0.0, 1.0, 0.0])
