"""Parts that are computed anywhere sum up to the same bits as in one process, at every point and in whole trainings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles.slices import slices_of, weights_of
from oracles.training import NONE, Problem, random_problem

from tagpool import _native

Sums = tuple[float, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


def workers(problem: Problem, options: dict[str, Any], chain: bool, count: int) -> tuple[_native.WeightLayout, list[Any]]:
    """The layout, and for each worker its parts with their gradients. Slices consist of whole parts."""
    weights = weights_of(problem, slices_of(problem, []), options)
    limits, starts = weights.part_tokens(), np.cumsum([0, *map(len, problem.rows)])
    first = [int(np.searchsorted(starts[:-1], limit)) for limit in limits]
    out = []
    for numbers in np.array_split(np.arange(weights.parts), count):
        if not len(numbers):
            continue
        begin, end = first[numbers[0]], first[numbers[-1] + 1]
        rows = Problem(problem.rows[begin:end], problem.gold[begin:end], problem.features, problem.labels)
        one = slices_of(rows, [])[0]
        training = _native.TrainingSet.slice(weights, one.encoding, one.gold, begin=int(starts[begin]))
        out.append((numbers.tolist(), _native.PartGradients(training, chain)))
    return weights, out


def distributed(problem: Problem, options: dict[str, Any], chain: bool, count: int) -> _native.Objective:
    weights, parts = workers(problem, options, chain, count)

    def evaluate(at: NDArray[np.float64]) -> Iterator[Sums]:
        for numbers, gradients in parts:
            gradients.move_to(at)
            yield from (gradients.part(number) for number in numbers)

    return _native.Objective.of_parts(weights, chain, 0.7, evaluate)


def local(problem: Problem, options: dict[str, Any], chain: bool, threads: int) -> _native.Objective:
    one = slices_of(problem, [])[0]
    training = _native.TrainingSet(one.encoding, one.gold, problem.features, problem.labels, _native.Layout(**options))
    return _native.Objective(training, chain, 0.7, NONE, threads)


OPTIONS = st.fixed_dictionaries(
    {
        "all_cells": st.booleans(),
        "dense_from": st.integers(1, 5),
        "merge_twins": st.booleans(),
        "bundle": st.booleans(),
        "lean": st.booleans(),
    }
)


@settings(max_examples=60, deadline=None)
@given(
    options=OPTIONS,
    chain=st.booleans(),
    seed=st.integers(0, 100),
    labels=st.integers(2, 6),
    features=st.sampled_from([12, 300]),
    count=st.sampled_from([1, 2, 4]),
)
def test_sums_of_parts_are_the_same_bits(
    options: dict[str, Any], chain: bool, seed: int, labels: int, features: int, count: int
) -> None:
    problem = random_problem(60, 5, labels, features, seed)
    here, there = local(problem, options, chain, 2), distributed(problem, options, chain, count)
    at = np.random.default_rng(seed).normal(size=here.parameter_count)
    (value, gradient), (far_value, far_gradient) = here(at), there(at)
    assert far_value == value
    assert far_gradient.tobytes() == gradient.tobytes()


@pytest.mark.parametrize("l1", [0.0, 0.3])
@pytest.mark.parametrize("chain", [True, False])
@pytest.mark.parametrize("bundle", [True, False])
def test_trainings_are_the_same_bits(l1: float, chain: bool, bundle: bool) -> None:
    problem = random_problem(80, 6, 4, 60, seed=3)
    options = {"bundle": bundle, "merge_twins": l1 == 0, "dense_from": 2, "all_cells": l1 == 0}
    settings = _native.LbfgsOptions(iterations=20, l1=l1)
    results = []
    for objective in (local(problem, options, chain, 1), *(distributed(problem, options, chain, n) for n in (1, 2, 4))):
        found, reason, value, *counts = objective.minimise(np.zeros(objective.parameter_count), settings)
        results.append((found.tobytes(), reason, value, counts))
    assert results[0][3][0] > 3
    assert all(result == results[0] for result in results)


def test_wrong_parts_are_errors() -> None:
    problem = random_problem(40, 5, 3, 12, seed=1)
    weights, parts = workers(problem, {}, True, 1)
    (numbers, gradients) = parts[0]
    objective = _native.Objective.of_parts(weights, True, 1.0, lambda at: [])
    at = np.zeros(objective.parameter_count)
    with pytest.raises(_native.InputFault, match=r"expected \d parts?, got 0"):
        objective(at)
    gradients.move_to(np.zeros(gradients.free_count))
    too_many = [gradients.part(number) for number in numbers] * 2
    with pytest.raises(_native.InputFault, match="got more than"):
        _native.Objective.of_parts(weights, True, 1.0, lambda at: too_many)(at)
    loss, _shared, own, edges = gradients.part(0)
    with pytest.raises(_native.InputFault, match="shared gradient of a part"):
        _native.Objective.of_parts(weights, True, 1.0, lambda at: [(loss, edges[:1], own, edges)])(at)
    with pytest.raises(_native.InputFault, match="out of range"):
        gradients.part(99)
    with pytest.raises(ZeroDivisionError):
        _native.Objective.of_parts(weights, True, 1.0, lambda at: [1 / 0])(at)
