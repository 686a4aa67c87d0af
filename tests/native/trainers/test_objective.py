"""The training objective against enumeration of all label sequences, its gradient against finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles.training import Problem, enumerated, problems, random_problem

from tagpool import GivenEncoder, _native

NONE = np.zeros(0, np.float32)


@given(problems(), st.tuples(*[st.booleans()] * 5), st.integers(0, 2**32 - 1))
@settings(max_examples=200, deadline=None)
def test_value_and_gradient(problem: Problem, flags: tuple[bool, ...], seed: int) -> None:
    chain, all_pairs, weighted, boundaries, all_transitions = flags
    training = problem.training_set(all_pairs=all_pairs, boundaries=boundaries, all_transitions=all_transitions)
    random = np.random.default_rng(seed)
    # Without a chain every token is an example of its own.
    examples = problem if chain else problem.tokens_alone()
    weights = random.uniform(0.5, 2, len(examples.rows)).astype(np.float32) if weighted else NONE
    l2 = 0.3
    objective = _native.Objective(training, chain, l2, weights, 1)
    assert training.edges().tolist() == problem.free_edges(boundaries, all_transitions)
    assert objective.parameter_count == training.cell_count + (len(training.edges()) if chain else 0)
    parameters = random.normal(size=objective.parameter_count)
    value, gradient = objective(parameters)

    def plain(at: NDArray[np.float64]) -> float:
        names = zip(training.cell_features().tolist(), training.cell_labels().tolist(), strict=True)
        pairs = dict(zip(names, at.tolist(), strict=False))
        edges = np.zeros(problem.labels * (problem.labels + 2))
        if chain:
            edges[training.edges()] = at[training.cell_count :]
        counts = weights.tolist() if weighted else [1.0] * len(examples.rows)
        return enumerated(examples, pairs, edges, chain, counts) + l2 / 2 * float(at @ at)

    assert value == pytest.approx(plain(parameters), rel=1e-10, abs=1e-10)
    for i in random.permutation(len(parameters))[:6]:
        nudge = np.zeros_like(parameters)
        nudge[i] = 1e-5
        numeric = (plain(parameters + nudge) - plain(parameters - nudge)) / 2e-5
        assert gradient[i] == pytest.approx(numeric, rel=1e-5, abs=1e-6)


@given(problems(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_only_observed_pairs_have_weights(problem: Problem, chain: bool) -> None:
    training = problem.training_set(all_pairs=False)
    observed = {
        (k, gold)
        for rows, labels in zip(problem.rows, problem.gold, strict=True)
        for token, gold in zip(rows, labels, strict=True)
        for k, _ in token
        if gold >= 0
    }
    assert sorted(observed) == list(zip(training.cell_features().tolist(), training.cell_labels().tolist(), strict=True))
    assert problem.training_set(all_pairs=True).cell_count == problem.features * problem.labels


@pytest.mark.parametrize("labels", [2, 3, 4, 7, 8, 11, 13, 19, 24, 31, 45, 70])
@pytest.mark.parametrize("chain", [True, False])
@pytest.mark.parametrize("lean", [True, False])
def test_every_stride_and_thread_count_gives_the_same(labels: int, chain: bool, lean: bool) -> None:
    """Kernels with the stride as a constant, and the general one, agree with the slow sum over two-token sentences."""
    problem = random_problem(40, 2, labels, labels + 5, seed=labels)
    training = problem.training_set(all_pairs=True, lean=lean)
    parameters = np.random.default_rng(1).normal(size=training.parameter_count if chain else training.cell_count)
    value, gradient = _native.Objective(training, chain, 0.1, NONE, 1)(parameters)
    pairs = dict(
        zip(
            zip(training.cell_features().tolist(), training.cell_labels().tolist(), strict=True),
            parameters.tolist(),
            strict=False,
        )
    )
    edges = parameters[training.cell_count :] if chain else np.zeros(labels * (labels + 2))
    few = Problem(problem.rows[:3], problem.gold[:3], problem.features, labels)
    part, _ = _native.Objective(few.training_set(all_pairs=True, lean=lean), chain, 0.0, NONE, 1)(parameters)
    assert part == pytest.approx(enumerated(few, pairs, edges, chain, [1.0] * 3), rel=1e-9)
    for threads in (2, 3):
        again, same = _native.Objective(training, chain, 0.1, NONE, threads)(parameters)
        assert again == value
        assert np.array_equal(gradient, same)


def test_scores_far_apart_are_done_in_log_space() -> None:
    """Transitions of -2000 underflow in any scaled recursion; the loss is exact and finite all the same."""
    problem = Problem([[[(0, 1.0)], [(1, 1.0)], [(0, 1.0)]]], [[0, 1, 0]], 2, 2)
    training = problem.training_set(all_pairs=True)
    parameters = np.array([900.0, -900.0, 900.0, -900.0, 0.0, -2000.0, -2000.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    value, gradient = _native.Objective(training, True, 0.0, NONE, 1)(parameters)
    # gold 0 1 0: nodes 900 - 900 + 900, transitions -4000; best 0 0 0: nodes 2700
    assert value == pytest.approx(2700 - (900 - 4000), rel=1e-12)
    assert np.isfinite(gradient).all()
    assert gradient[: training.cell_count].tolist() == pytest.approx([0, 0, 1, -1])
    held = Problem(problem.rows, [[0, -1, 0]], 2, 2).training_set(all_pairs=True)
    value, gradient = _native.Objective(held, True, 0.0, NONE, 1)(parameters)
    assert value == pytest.approx(0.0, abs=1e-9)
    assert np.isfinite(gradient).all()


def test_bad_arguments() -> None:
    problem = random_problem(2, 2, 2, 4, seed=1)
    training = problem.training_set(all_pairs=True)
    with pytest.raises(_native.InputFault, match="parameters: expected 16, got 3"):
        _native.Objective(training, True, 0.0, NONE, 1)(np.zeros(3))
    with pytest.raises(_native.InputFault, match="one for each sentence"):
        _native.Objective(training, True, 0.0, np.ones(5, np.float32), 1)
    encoded = GivenEncoder().fit_transform([[["a"]]])
    with pytest.raises(_native.InputFault, match="label 3 is out of range"):
        _native.TrainingSet(encoded.native, np.array([3], np.int32), 1, 2)
    with pytest.raises(_native.InputFault, match="labels, one per token: expected 1"):
        _native.TrainingSet(encoded.native, np.array([0, 0], np.int32), 1, 2)
    with pytest.raises(_native.InputFault, match="a feature is out of range"):
        _native.TrainingSet(encoded.native, np.array([0], np.int32), 0, 2)
