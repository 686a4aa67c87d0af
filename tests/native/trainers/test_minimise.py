"""The minimisers: L-BFGS and OWL-QN find minima, the same bits with any number of threads, and stop when asked to."""

from __future__ import annotations

import signal
from types import FrameType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles.training import random_problem

from tagpool import _native

NONE = np.zeros(0, np.float32)


@pytest.mark.parametrize("chain", [True, False])
def test_lbfgs_finds_the_minimum(chain: bool) -> None:
    problem = random_problem(60, 6, 4, 9, seed=3)
    training = problem.training_set(all_pairs=False)
    objective = _native.Objective(training, chain, 0.7, NONE, 1)
    seen: list[float] = []
    result, end, value, iterations, evaluations = objective.minimise(
        np.zeros(objective.parameter_count),
        _native.LbfgsOptions(iterations=500, memory=6, gradient_tolerance=1e-9, value_tolerance=0.0),
        lambda _, now, *__: bool(seen.append(now) or True),
    )
    assert end in ("converged", "no progress")
    assert objective(result)[0] == pytest.approx(value, rel=1e-13)  # summed in another order
    assert float(np.abs(objective(result)[1]).max()) < 1e-5
    assert seen == sorted(seen, reverse=True)
    assert len(seen) == iterations <= evaluations
    stopped = objective.minimise(
        np.zeros(objective.parameter_count),
        _native.LbfgsOptions(iterations=500, memory=6, gradient_tolerance=1e-9, value_tolerance=0.0),
        lambda i, *_: i < 3,
    )
    assert stopped[1] == "stopped"
    assert stopped[3] == 3


def two_loops(pairs: list[tuple[NDArray[np.float64], NDArray[np.float64]]], gradient: NDArray[np.float64]) -> NDArray[np.float64]:
    """-H g as the textbook has it (Nocedal and Wright, algorithm 7.4); the oldest pair first."""
    q = gradient.copy()
    alphas = []
    for step, change in reversed(pairs):
        alphas.append(step @ q / (step @ change))
        q -= alphas[-1] * change
    if pairs:
        step, change = pairs[-1]
        q *= step @ change / (change @ change)
    for (step, change), alpha in zip(pairs, reversed(alphas), strict=True):
        q += (alpha - change @ q / (step @ change)) * step
    return -q


@pytest.mark.parametrize("memory", [1, 3, 6])
def test_directions_are_those_of_the_textbook(memory: int) -> None:
    objective = _native.Objective(random_problem(60, 6, 4, 20, seed=12).training_set(all_pairs=False), True, 0.3, NONE, 1)
    points = [np.zeros(objective.parameter_count)]
    points += [
        objective.minimise(
            points[0], _native.LbfgsOptions(iterations=count, memory=memory, gradient_tolerance=0.0, value_tolerance=0.0)
        )[0]
        for count in range(1, 12)
    ]
    gradients = [objective(point)[1] for point in points]
    for k in range(len(points) - 1):
        pairs = [(points[i + 1] - points[i], gradients[i + 1] - gradients[i]) for i in range(max(k - memory, 0), k)]
        expected, created = two_loops(pairs, gradients[k]), points[k + 1] - points[k]
        assert np.allclose(created / np.linalg.norm(created), expected / np.linalg.norm(expected), atol=1e-7)


@given(st.integers(0, 2**32 - 1), st.booleans(), st.floats(0.05, 5), st.sampled_from([0.0, 0.1, 1.0]), st.integers(1, 8))
@settings(max_examples=25)
def test_owlqn_meets_the_conditions_of_a_minimum(seed: int, chain: bool, l1: float, l2: float, memory: int) -> None:
    """At a minimum of f + l1 |w|, the slope of f is -l1 sign(w) where w is not zero, and at most l1 elsewhere."""
    training = random_problem(30, 4, 3, 12, seed).training_set(all_pairs=False)
    objective = _native.Objective(training, chain, l2, NONE, 1)
    result, _, value, _, _ = objective.minimise(
        np.zeros(objective.parameter_count),
        _native.LbfgsOptions(iterations=3000, memory=memory, gradient_tolerance=1e-9, value_tolerance=0.0, l1=l1),
    )
    smooth, slope = objective(result)
    assert value == pytest.approx(smooth + l1 * float(np.abs(result).sum()), rel=1e-12)
    held = result == 0
    assert np.abs(slope[held]).max(initial=0) <= l1 * (1 + 1e-9) + 1e-9
    assert np.abs(slope[~held] + l1 * np.sign(result[~held])).max(initial=0) < 1e-3


def test_more_l1_leaves_fewer_weights_and_none_at_last() -> None:
    objective = _native.Objective(random_problem(60, 5, 4, 12, 2).training_set(all_pairs=True), True, 0.0, NONE, 1)
    start = np.zeros(objective.parameter_count)
    stored = [
        int(
            np.count_nonzero(
                objective.minimise(
                    start, _native.LbfgsOptions(iterations=2000, memory=6, gradient_tolerance=1e-8, value_tolerance=0.0, l1=l1)
                )[0]
            )
        )
        for l1 in (0.1, 1.0, 5.0)
    ]
    assert stored[0] > stored[1] > stored[2] > 0
    steepest = float(np.abs(objective(start)[1]).max())
    assert not objective.minimise(
        start, _native.LbfgsOptions(iterations=2000, memory=6, gradient_tolerance=1e-8, value_tolerance=0.0, l1=steepest)
    )[0].any()
    assert objective.minimise(
        start, _native.LbfgsOptions(iterations=2000, memory=6, gradient_tolerance=1e-8, value_tolerance=0.0, l1=0.99 * steepest)
    )[0].any()


def test_a_vanishing_l1_changes_nothing() -> None:
    objective = _native.Objective(random_problem(60, 5, 4, 12, 2).training_set(all_pairs=True), True, 0.5, NONE, 1)
    start = np.zeros(objective.parameter_count)
    plain = objective.minimise(
        start, _native.LbfgsOptions(iterations=2000, memory=6, gradient_tolerance=1e-10, value_tolerance=0.0)
    )
    nearly = objective.minimise(
        start, _native.LbfgsOptions(iterations=2000, memory=6, gradient_tolerance=1e-10, value_tolerance=0.0, l1=1e-12)
    )
    assert nearly[2] == pytest.approx(plain[2], rel=1e-9)
    assert np.allclose(nearly[0], plain[0], atol=1e-4)
    with pytest.raises(_native.InputFault, match="l1"):
        objective.minimise(
            start, _native.LbfgsOptions(iterations=2000, memory=6, gradient_tolerance=1e-10, value_tolerance=0.0, l1=-1.0)
        )


@pytest.mark.parametrize("l1", [0.0, 0.3])
@pytest.mark.parametrize("all_pairs", [True, False])
def test_threads_change_no_bit(l1: float, all_pairs: bool) -> None:
    """With enough weights for several blocks, and features that several parts share."""
    problem = random_problem(200, 5, 20, 2500, 4)
    training = problem.training_set(all_pairs=all_pairs)

    def run(threads: int) -> tuple[NDArray[np.float64], str, float, int, int]:
        objective = _native.Objective(training, True, 0.2, NONE, threads)
        return objective.minimise(
            np.zeros(objective.parameter_count),
            _native.LbfgsOptions(iterations=15, memory=4, gradient_tolerance=0.0, value_tolerance=0.0, l1=l1),
        )

    first = run(1)
    assert first[3] == 15
    for threads in (2, 3):
        again = run(threads)
        assert again[0].tobytes() == first[0].tobytes()
        assert again[1:] == first[1:]


def long_objective() -> _native.Objective:
    return _native.Objective(random_problem(2000, 20, 12, 300, 6).training_set(all_pairs=True), True, 1e-6, NONE, 1)


def test_a_stop_returns_the_best_point_so_far() -> None:
    objective = long_objective()
    values: list[float] = []
    stopped = objective.minimise(
        np.zeros(objective.parameter_count),
        _native.LbfgsOptions(iterations=1000, memory=6, gradient_tolerance=0.0, value_tolerance=0.0),
        lambda _, now, *__: not values.append(now) and len(values) < 4,
    )
    assert stopped[1] == "stopped"
    assert stopped[2] == values[-1] == min(values)
    assert objective(stopped[0])[0] == pytest.approx(values[-1], rel=1e-13)


def test_interrupts_and_errors_of_the_report_come_through() -> None:
    objective = long_objective()
    start = np.zeros(objective.parameter_count)

    def broken(*_: object) -> bool:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        objective.minimise(
            start, _native.LbfgsOptions(iterations=1000, memory=6, gradient_tolerance=0.0, value_tolerance=0.0), broken
        )

    def interrupt(_: int, __: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            objective.minimise(
                start, _native.LbfgsOptions(iterations=100_000, memory=6, gradient_tolerance=0.0, value_tolerance=0.0)
            )
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    # It is still in order.
    assert (
        objective.minimise(start, _native.LbfgsOptions(iterations=2, memory=6, gradient_tolerance=0.0, value_tolerance=0.0))[3]
        == 2
    )
