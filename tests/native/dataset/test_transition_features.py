"""Transition features: training against enumeration and finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.training import Problem
from oracles.transition_features import TransitionProblem, encoding, larger, transition_problems

from tagpool import _native

NONE = np.zeros(0, np.float32)


@given(transition_problems(), st.booleans(), st.booleans(), st.integers(0, 2**32 - 1))
@settings(max_examples=200, deadline=None)
def test_value_and_gradient(problem: TransitionProblem, all_pairs: bool, weighted: bool, seed: int) -> None:
    training = problem.training_set(all_pairs=all_pairs)
    random = np.random.default_rng(seed)
    count = len(problem.base.rows)
    weights = random.uniform(0.5, 2, count).astype(np.float32) if weighted else NONE
    examples = weights.tolist() if weighted else [1.0] * count
    objective = _native.Objective(training, True, 0.3, weights, 1)
    parameters = random.normal(size=objective.parameter_count)
    value, gradient = objective(parameters)

    def plain(at: np.ndarray) -> float:
        return problem.loss(problem.named(training, at), examples) + 0.15 * float(at @ at)

    assert value == pytest.approx(plain(parameters), rel=1e-10, abs=1e-10)
    for i in random.permutation(len(parameters))[:8]:
        nudge = np.zeros_like(parameters)
        nudge[i] = 1e-5
        numeric = (plain(parameters + nudge) - plain(parameters - nudge)) / 2e-5
        assert gradient[i] == pytest.approx(numeric, rel=1e-5, abs=1e-6)


@given(transition_problems())
@settings(max_examples=100, deadline=None)
def test_what_has_weights(problem: TransitionProblem) -> None:
    training = problem.training_set()
    L = problem.base.labels
    features, cells = training.transition_cells()
    assert list(zip(features.tolist(), (cells // L).tolist(), (cells % L).tolist(), strict=True)) == problem.cells()
    expected = training.cell_count + L * (L + 2) + len(features)
    assert training.parameter_count == expected


@pytest.mark.parametrize("labels", [2, 7, 8, 13, 22, 31, 45, 55])
@pytest.mark.parametrize("unknown", [False, True])
def test_the_same_bits_whatever_the_threads(labels: int, unknown: bool) -> None:
    """And the same value as for three sentences by enumeration, for every length of rows."""
    problem = larger(labels, unknown=unknown)
    training = problem.training_set(all_pairs=False)
    parameters = np.random.default_rng(2).normal(size=training.parameter_count)
    value, gradient = _native.Objective(training, True, 0.1, NONE, 1)(parameters)
    for threads in (2, 3):
        again, same = _native.Objective(training, True, 0.1, NONE, threads)(parameters)
        assert again == value
        assert np.array_equal(gradient, same)
    # A random direction: the slope of the value is the gradient's share of it.
    along = np.random.default_rng(3).normal(size=len(parameters))
    objective = _native.Objective(training, True, 0.1, NONE, 1)
    slope = (objective(parameters + 1e-6 * along)[0] - objective(parameters - 1e-6 * along)[0]) / 2e-6
    assert slope == pytest.approx(float(gradient @ along), rel=1e-5)


@pytest.mark.parametrize("labels", [3, 9, 22])
def test_transition_features_of_zero_weight_are_a_plain_chain(labels: int) -> None:
    problem = larger(labels, unknown=True)
    plain = TransitionProblem(problem.base, [[[] for _ in rows] for rows in problem.base.rows], 0)
    objectives = [_native.Objective(item.training_set(), True, 0.0, NONE, 1) for item in (problem, plain)]
    shared = np.random.default_rng(4).normal(size=objectives[1].parameter_count)
    cells = objectives[0].parameter_count - len(shared)
    assert cells > 0
    value, gradient = objectives[0](np.concatenate([shared, np.zeros(cells)]))
    by_chain, gradient_by_chain = objectives[1](shared)
    assert value == pytest.approx(by_chain, rel=1e-12)
    assert np.allclose(gradient[: len(shared)], gradient_by_chain, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("unknown", [False, True])
def test_scores_far_apart_are_done_in_log_space(unknown: bool) -> None:
    """Weights of some hundreds underflow in any scaled recursion, or overflow; loss and gradient are right all the same."""
    rows = [[[(0, 1.0)], [(1, 1.0)], [(0, 1.0)], [(1, 1.0)]], [[(1, 1.0)], [(0, 1.0)]]]
    gold = [[0, 1, 0, -1 if unknown else 1], [0, 0]]
    problem = TransitionProblem(Problem(rows, gold, 2, 2), [[[(0, 1.0)] for _ in item] for item in rows], 1)
    training = problem.training_set()
    objective = _native.Objective(training, True, 0.0, NONE, 1)
    for seed in range(20):
        parameters = 700 * np.random.default_rng(seed).normal(size=objective.parameter_count)
        value, gradient = objective(parameters)
        assert value == pytest.approx(problem.loss(problem.named(training, parameters), [1.0, 1.0]), rel=1e-10, abs=1e-7)
        assert np.isfinite(gradient).all()
        for i in range(len(parameters)):
            nudge = np.zeros_like(parameters)
            nudge[i] = 1e-3
            low, high = (problem.loss(problem.named(training, parameters + sign * nudge), [1.0, 1.0]) for sign in (-1, 1))
            assert gradient[i] == pytest.approx((high - low) / 2e-3, abs=1e-4)


def test_bad_arguments() -> None:
    problem = larger(3)
    problem.history.pop()
    with pytest.raises(_native.InputFault, match="of different sentences"):
        problem.training_set()
    problem = larger(3)
    rows = encoding(problem.base.rows, problem.base.features)
    gold = np.concatenate(problem.base.gold).astype(np.int32)
    with pytest.raises(_native.InputFault, match="a transition feature is out of range"):
        _native.TrainingSet(rows, gold, 4, 3, history=(encoding(problem.history, 5), 4))


def small(**known: list[int]) -> _native.TrainingSet:
    """Labels 0 1 0 and 0 1, of three labels; one feature of transitions, met at the second token only."""
    supplied = {name: np.array(values, np.uint32) for name, values in known.items()}
    rows = encoding([[[(0, 1.0)]] * 3, [[(0, 1.0)]] * 2], 1)
    history = encoding([[[], [(0, 1.0)], []], [[], []]], 2)
    gold = np.array([0, 1, 0, 0, 1], np.int32)
    return _native.TrainingSet(rows, gold, 1, 3, history=(history, 2), known=_native.KnownWeights(**supplied))


def test_what_is_known_has_weights_beside_what_is_met() -> None:
    plain = small()
    assert [item.tolist() for item in plain.transition_cells()] == [[0], [1]]
    known = small(transition_features=[1, 0, 0], transition_bigrams=[5, 1, 0])
    assert [item.tolist() for item in known.transition_cells()] == [[0, 0, 1], [0, 1, 5]]


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"transition_features": [2], "transition_bigrams": [0]}, "out of range"),
        ({"transition_features": [0], "transition_bigrams": [9]}, "out of range"),
        ({"transition_features": [0]}, "one bigram for each feature"),
    ],
)
def test_what_cannot_be_known(known: dict[str, list[int]], message: str) -> None:
    with pytest.raises(_native.InputFault, match=message):
        small(**known)
