"""Averaged stochastic descent: against its formula written out, against the minimum, and against itself with other threads."""

from __future__ import annotations

import math
import signal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles.adaptive_descent import SlowDescent, slow_descent
from oracles.training import NONE, Problem, problems, random_problem

from tagpool import _native


def without_repetitions(problem: Problem) -> Problem:
    """The problem with the first occurrence of each feature in a sentence."""
    rows = []
    for sentence in problem.rows:
        known: set[int] = set()
        rows.append([[(k, v) for k, v in token if not (k in known or known.add(k))] for token in sentence])  # type: ignore[func-returns-value]
    return Problem(rows, problem.gold, problem.features, problem.labels)


@given(problems(), st.booleans(), st.booleans(), st.booleans(), st.sampled_from([0.0, 0.5, 30.0]))
@settings(max_examples=60, deadline=None)
def test_steps_follow_the_formula(problem: Problem, chain: bool, all_pairs: bool, weighted: bool, l2: float) -> None:
    problem = without_repetitions(problem)
    training = problem.training_set(all_pairs=all_pairs)
    examples = len(problem.rows) if chain else sum(map(len, problem.rows))
    weights = np.random.default_rng(5).uniform(0.5, 2, examples).astype(np.float32) if weighted else NONE
    options = _native.SgdOptions(l2=l2, step=0.3, average_from=1, seed=7, batch=1, threads=1)
    learner = _native.Sgd(training, chain, options, weights)
    losses = [learner.epoch() for _ in range(4)]
    now, average, expected = slow_descent(SlowDescent(problem, training, chain, l2, 0.3), 4, weights)
    assert losses == pytest.approx(expected, rel=1e-4, abs=1e-4)
    assert learner.current().tolist() == pytest.approx(now.tolist(), rel=1e-3, abs=1e-4)
    assert learner.parameters().tolist() == pytest.approx(average.tolist(), rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("chain", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_small_gradients_are_sampled(chain: bool, weighted: bool) -> None:
    """Features that decide their labels: after some epochs, nearly all gradients are small."""
    problem = Problem([[[(2 * i, 1.0)], [(2 * i + 1, 1.0)]] for i in range(4)], [[0, 1]] * 4, 8, 2)
    training = problem.training_set(all_pairs=True)
    weights = np.linspace(0.5, 2, 4 if chain else 8).astype(np.float32) if weighted else NONE
    learner = _native.Sgd(training, chain, _native.SgdOptions(l2=1e-3, step=4.0, average_from=1, seed=7, batch=1), weights)
    losses = [learner.epoch() for _ in range(40)]
    now, average, expected = slow_descent(SlowDescent(problem, training, chain, 1e-3, 4.0), 40, weights)
    assert losses[-1] < 0.02
    assert losses == pytest.approx(expected, rel=1e-3, abs=1e-5)
    assert learner.current().tolist() == pytest.approx(now.tolist(), rel=1e-3, abs=1e-4)
    assert learner.parameters().tolist() == pytest.approx(average.tolist(), rel=1e-3, abs=1e-4)


def test_frequent_rows_move_by_the_sum_over_a_batch() -> None:
    gold = [[0, 1], [1, 1], [0, 0]] * 4
    problem = Problem([[[(0, 1.0)], [(0, 1.0)]]] * 12, gold, 1, 2)
    options = _native.SgdOptions(l2=0.6, step=0.5, average_from=1, seed=7, batch=12)
    learner = _native.Sgd(problem.training_set(all_pairs=True), False, options, NONE)
    learner.epoch()
    # Uniform predictions, 12 gold labels each: the gradient is 0, and only the sums of squares of 24 single steps would not be.
    assert learner.current().tolist() == [0.0, 0.0]
    learner = _native.Sgd(Problem(problem.rows, [[0, 0]] * 12, 1, 2).training_set(all_pairs=True), False, options, NONE)
    learner.epoch()
    gradient = np.array([-12.0, 12.0])
    expected = -0.5 * gradient / np.sqrt(1 + (gradient**2).sum()) / (1 + 0.5 * 0.6)
    assert learner.current().tolist() == pytest.approx(expected.tolist(), rel=1e-5)


def test_frequent_features_of_an_earlier_training_move_less() -> None:
    problem = random_problem(50, 5, 3, 8, seed=9)
    training = problem.training_set(all_pairs=True)

    def change(trained_on: int) -> float:
        options = _native.SgdOptions(l2=0.0, step=0.1, average_from=1, seed=1)
        options.set_trained_on(trained_on)
        learner = _native.Sgd(training, True, options, NONE)
        start = np.full(learner.parameter_count, 1e-3, np.float32)
        learner.start_from(start)
        learner.epoch()
        return float(np.abs(learner.current() - start).sum())

    assert change(0) > 1.5 * change(1000) > 1.5**2 * change(100_000) > 0


@pytest.mark.parametrize("chain", [True, False])
@pytest.mark.parametrize("all_pairs", [True, False])
@pytest.mark.parametrize("batch", [1, 8])
def test_comes_close_to_the_minimum_and_repeats_itself(chain: bool, all_pairs: bool, batch: int) -> None:
    problem = random_problem(300, 6, 4, 9, seed=7)
    training = problem.training_set(all_pairs=all_pairs)
    objective = _native.Objective(training, chain, 1.0, NONE, 1)
    least = objective.minimise(
        np.zeros(objective.parameter_count),
        _native.LbfgsOptions(iterations=1000, memory=6, gradient_tolerance=1e-8, value_tolerance=0.0),
    )[2]
    nothing = objective(np.zeros(objective.parameter_count))[0]

    def trained() -> NDArray[np.float32]:
        learner = _native.Sgd(training, chain, _native.SgdOptions(l2=1.0, step=0.0, average_from=1, seed=11, batch=batch), NONE)
        for _ in range(30):
            assert math.isfinite(learner.epoch())
        assert learner.step > 0
        return learner.parameters()

    result = trained()
    assert objective(result.astype(np.float64))[0] < least + 0.002 * (nothing - least)
    assert trained().tobytes() == result.tobytes()


@given(problems(), st.booleans(), st.booleans(), st.integers(2, 5), st.sampled_from([0.0, 0.2]))
@settings(max_examples=40, deadline=None)
def test_threads_change_no_bit(problem: Problem, chain: bool, all_pairs: bool, batch: int, step: float) -> None:
    # Sentences are repeated, so that a batch has several and the last is a smaller one.
    problem = Problem(problem.rows * 4, problem.gold * 4, problem.features, problem.labels)
    training = problem.training_set(all_pairs=all_pairs)

    def trained(threads: int) -> tuple[bytes, bytes, list[float]]:
        learner = _native.Sgd(
            training, chain, _native.SgdOptions(l2=0.1, step=step, average_from=1, seed=3, batch=batch, threads=threads), NONE
        )
        losses = [learner.epoch() for _ in range(3)]
        return learner.parameters().tobytes(), learner.current().tobytes(), losses

    assert trained(1) == trained(2) == trained(3) == trained(9)


@pytest.mark.parametrize("labels", [5, 13, 24, 31, 45, 70])
@pytest.mark.parametrize("dense_from", [2, 1000])
def test_threads_change_no_bit_at_any_width(labels: int, dense_from: int) -> None:
    problem = random_problem(60, 5, labels, labels + 5, seed=labels)
    training = problem.training_set(all_pairs=False, dense_from=dense_from)
    results = set()
    for threads in (1, 2, 4):
        learner = _native.Sgd(
            training, True, _native.SgdOptions(l2=0.1, step=0.0, average_from=1, seed=3, batch=8, threads=threads), NONE
        )
        for _ in range(3):
            learner.epoch()
        results.add(learner.parameters().tobytes())
    assert len(results) == 1


def test_continues_from_given_parameters() -> None:
    problem = random_problem(100, 5, 3, 8, seed=9)
    training = problem.training_set(all_pairs=True)
    objective = _native.Objective(training, True, 1.0, NONE, 1)
    best = objective.minimise(
        np.zeros(objective.parameter_count),
        _native.LbfgsOptions(iterations=1000, memory=6, gradient_tolerance=1e-8, value_tolerance=0.0),
    )
    for step in (0.01, 0.0):
        options = _native.SgdOptions(l2=1.0, step=step, average_from=0, seed=1)
        options.set_trained_on(100)
        learner = _native.Sgd(training, True, options, NONE)
        learner.start_from(best[0].astype(np.float32))
        assert learner.parameters().tolist() == best[0].astype(np.float32).tolist()
        learner.epoch()
        assert objective(learner.parameters().astype(np.float64))[0] < best[2] * 1.01
    # Starting again forgets everything but the order.
    fresh = _native.Sgd(training, True, _native.SgdOptions(l2=1.0, step=0.01, average_from=0, seed=1), NONE)
    fresh.epoch()
    fresh.start_from(np.zeros(fresh.parameter_count, np.float32))
    assert not fresh.parameters().any()


@pytest.mark.parametrize("l2", [0.0, 1.0, 1e6, 1e12])
@pytest.mark.parametrize("scale", [1.0, 1e4, 1e30])
def test_the_chosen_step_never_runs_away(l2: float, scale: float) -> None:
    problem = random_problem(40, 4, 3, 6, seed=2)
    problem.rows = [[[(k, scale * v) for k, v in token] for token in sentence] for sentence in problem.rows]
    learner = _native.Sgd(
        problem.training_set(all_pairs=True), True, _native.SgdOptions(l2=l2, step=0.0, average_from=1, seed=1), NONE
    )
    losses = [learner.epoch() for _ in range(3)]
    assert all(math.isfinite(loss) for loss in losses) or losses == [math.inf] * 3
    if scale == 1.0:
        assert np.isfinite(learner.parameters()).all()
        assert losses[-1] <= 1.001 * 4 * math.log(3)


@pytest.mark.parametrize("threads", [1, 2])
def test_divergence_is_reported_at_once(threads: int) -> None:
    problem = random_problem(40, 4, 3, 6, seed=2)
    learner = _native.Sgd(
        problem.training_set(all_pairs=True),
        True,
        _native.SgdOptions(l2=0.0, step=1e38, average_from=1, seed=1, batch=8, threads=threads),
        NONE,
    )
    assert [learner.epoch() for _ in range(3)][-1] == math.inf
    broken = _native.Sgd(
        problem.training_set(all_pairs=True),
        True,
        _native.SgdOptions(l2=0.0, step=0.1, average_from=1, seed=1, batch=8, threads=threads),
        NONE,
    )
    broken.start_from(np.full(broken.parameter_count, np.nan, np.float32))
    assert broken.epoch() == math.inf


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_ends_an_epoch(threads: int) -> None:
    problem = random_problem(400, 50, 40, 60, seed=1)
    problem = Problem(problem.rows * 80, problem.gold * 80, problem.features, problem.labels)
    training = problem.training_set(all_pairs=True)
    learner = _native.Sgd(
        training, True, _native.SgdOptions(l2=1.0, step=0.1, average_from=1, seed=1, batch=8, threads=threads), NONE
    )
    # A timer of CPU time: a busy machine does not make it end before the epoch begins.
    before = signal.signal(signal.SIGVTALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.05)
    try:
        with pytest.raises(KeyboardInterrupt):
            learner.epoch()
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    whole = _native.Sgd(
        training, True, _native.SgdOptions(l2=1.0, step=0.1, average_from=1, seed=1, batch=8, threads=threads), NONE
    )
    whole.epoch()
    # It was not at its end, and what it had learned is kept.
    assert learner.current().any()
    assert learner.current().tobytes() != whole.current().tobytes()


def test_bad_arguments() -> None:
    training = random_problem(2, 2, 2, 4, seed=1).training_set(all_pairs=True)
    with pytest.raises(_native.InputFault, match="one for each token"):
        _native.Sgd(training, False, _native.SgdOptions(l2=1.0, step=0.0, average_from=1, seed=1), np.ones(3, np.float32))
    with pytest.raises(_native.InputFault, match="parameters: expected 16, got 3"):
        _native.Sgd(training, True, _native.SgdOptions(l2=1.0, step=0.0, average_from=1, seed=1), NONE).start_from(
            np.zeros(3, np.float32)
        )
    with pytest.raises(_native.InputFault, match="at least 1 sentence"):
        _native.Sgd(training, True, _native.SgdOptions(l2=1.0, step=0.0, average_from=1, seed=1, batch=0), NONE)


@pytest.mark.parametrize("all_pairs", [True, False])
def test_a_training_set_kept_for_descent_trains_the_same_and_nothing_else(all_pairs: bool) -> None:
    problem = random_problem(30, 5, 3, 12, seed=8)
    whole, stored = (problem.training_set(all_pairs=all_pairs) for _ in range(2))
    stored.keep_shards_only()
    learners = [
        _native.Sgd(item, True, _native.SgdOptions(l2=1.0, step=0.0, average_from=1, seed=1), NONE) for item in (whole, stored)
    ]
    assert [learners[0].epoch() for _ in range(3)] == [learners[1].epoch() for _ in range(3)]
    assert learners[0].parameters().tobytes() == learners[1].parameters().tobytes()
    with pytest.raises(_native.InputFault, match="has only shards"):
        _native.Objective(stored, True, 1.0, NONE, 1)
    with pytest.raises(_native.InputFault, match="has only shards"):
        _native.Perceptron(stored, True, 1, NONE)
