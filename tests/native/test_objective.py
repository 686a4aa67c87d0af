"""The training objective against enumeration of all label sequences, its gradient against finite differences, its minimisers."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from problems import NONE, Problem, problems, random_problem

from tagpool import GivenEncoder, _native


def enumerated(
    problem: Problem, pairs: dict[tuple[int, int], float], edges: NDArray[np.float64], chain: bool, weights: list[float]
) -> float:
    """-sum_i c_i log p(known labels of i), by summing over all label sequences."""
    L = problem.labels
    transitions, start, end = edges[: L * L].reshape(L, L), edges[L * L : L * L + L], edges[L * L + L :]
    loss = 0.0
    for rows, gold, weight in zip(problem.rows, problem.gold, weights, strict=True):
        nodes = [[sum(pairs.get((k, y), 0.0) * v for k, v in token) for y in range(L)] for token in rows]
        total = known = 0.0
        for labels in itertools.product(range(L), repeat=len(rows)):
            score = sum(nodes[t][y] for t, y in enumerate(labels))
            if chain:
                score += start[labels[0]] + end[labels[-1]] + sum(transitions[a, b] for a, b in itertools.pairwise(labels))
            total += math.exp(score)
            if all(g in (-1, y) for g, y in zip(gold, labels, strict=True)):
                known += math.exp(score)
        loss -= weight * math.log(known / total)
    return loss


@given(problems(), st.booleans(), st.booleans(), st.booleans(), st.integers(0, 2**32 - 1))
@settings(max_examples=150, deadline=None)
def test_value_and_gradient(problem: Problem, chain: bool, all_pairs: bool, weighted: bool, seed: int) -> None:
    training = problem.training_set(all_pairs=all_pairs)
    random = np.random.default_rng(seed)
    # Without a chain every token is an example of its own.
    examples = problem if chain else problem.tokens_alone()
    weights = random.uniform(0.5, 2, len(examples.rows)).astype(np.float32) if weighted else NONE
    l2 = 0.3
    objective = _native.Objective(training, chain, l2, weights, 1)
    assert objective.parameter_count == training.pair_count + (problem.labels * (problem.labels + 2) if chain else 0)
    parameters = random.normal(size=objective.parameter_count)
    value, gradient = objective(parameters)

    def plain(at: NDArray[np.float64]) -> float:
        names = zip(training.pair_features().tolist(), training.pair_labels().tolist(), strict=True)
        pairs = dict(zip(names, at.tolist(), strict=False))
        edges = at[training.pair_count :] if chain else np.zeros(problem.labels * (problem.labels + 2))
        return enumerated(
            examples, pairs, edges, chain, weights.tolist() if weighted else [1.0] * len(examples.rows)
        ) + l2 / 2 * float(at @ at)

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
    assert sorted(observed) == list(zip(training.pair_features().tolist(), training.pair_labels().tolist(), strict=True))
    assert problem.training_set(all_pairs=True).pair_count == problem.features * problem.labels


@pytest.mark.parametrize("labels", [2, 7, 8, 13, 24, 31, 45, 70])
@pytest.mark.parametrize("chain", [True, False])
def test_every_stride_and_thread_count_gives_the_same(labels: int, chain: bool) -> None:
    """Kernels with the stride as a constant, and the general one, agree with the slow sum over two-token sentences."""
    problem = random_problem(40, 2, labels, labels + 5, seed=labels)
    training = problem.training_set(all_pairs=True)
    parameters = np.random.default_rng(1).normal(size=training.parameter_count if chain else training.pair_count)
    value, gradient = _native.Objective(training, chain, 0.1, NONE, 1)(parameters)
    pairs = dict(
        zip(
            zip(training.pair_features().tolist(), training.pair_labels().tolist(), strict=True),
            parameters.tolist(),
            strict=False,
        )
    )
    edges = parameters[training.pair_count :] if chain else np.zeros(labels * (labels + 2))
    few = Problem(problem.rows[:3], problem.gold[:3], problem.features, labels)
    part, _ = _native.Objective(few.training_set(all_pairs=True), chain, 0.0, NONE, 1)(parameters)
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
    assert gradient[: training.pair_count].tolist() == pytest.approx([0, 0, 1, -1])
    held = Problem(problem.rows, [[0, -1, 0]], 2, 2).training_set(all_pairs=True)
    value, gradient = _native.Objective(held, True, 0.0, NONE, 1)(parameters)
    assert value == pytest.approx(0.0, abs=1e-9)
    assert np.isfinite(gradient).all()


@pytest.mark.parametrize("chain", [True, False])
def test_lbfgs_finds_the_minimum(chain: bool) -> None:
    problem = random_problem(60, 6, 4, 9, seed=3)
    training = problem.training_set(all_pairs=False)
    objective = _native.Objective(training, chain, 0.7, NONE, 1)
    seen: list[float] = []
    found, end, value, iterations, evaluations = objective.minimise(
        np.zeros(objective.parameter_count), 500, 6, 1e-9, 0.0, 10, lambda _, now, __: bool(seen.append(now) or True)
    )
    assert end in ("converged", "no progress")
    assert objective(found)[0] == value
    assert float(np.abs(objective(found)[1]).max()) < 1e-5
    assert seen == sorted(seen, reverse=True)
    assert len(seen) == iterations <= evaluations
    stopped = objective.minimise(np.zeros(objective.parameter_count), 500, 6, 1e-9, 0.0, 10, lambda i, *_: i < 3)
    assert stopped[1] == "stopped"
    assert stopped[3] == 3


def test_lbfgs_reaches_logistic_regression() -> None:
    """MaxEnt with all pairs is multinomial logistic regression: scikit-learn finds the same minimum."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - only this test needs it

    problem = random_problem(80, 5, 3, 8, seed=5)
    training = problem.training_set(all_pairs=True)
    objective = _native.Objective(training, False, 0.5, NONE, 1)
    found, _, value, _, _ = objective.minimise(np.zeros(objective.parameter_count), 1000, 6, 1e-10, 0.0, 10, None)
    matrix = np.zeros((sum(map(len, problem.rows)), problem.features))
    for number, token in enumerate(itertools.chain.from_iterable(problem.rows)):
        for k, v in token:
            matrix[number, k] = v
    gold = [label for sentence in problem.gold for label in sentence]
    peer = LogisticRegression(C=1 / 0.5, fit_intercept=False, tol=1e-10, max_iter=5000).fit(matrix, gold)
    assert np.allclose(found.reshape(problem.features, 3), peer.coef_.T, atol=1e-4)
    assert value == pytest.approx(objective(np.ascontiguousarray(peer.coef_.T).ravel())[0], rel=1e-8)


def test_bad_arguments() -> None:
    problem = random_problem(2, 2, 2, 4, seed=1)
    training = problem.training_set(all_pairs=True)
    with pytest.raises(_native.InputFault, match="expected 16 parameters, got 3"):
        _native.Objective(training, True, 0.0, NONE, 1)(np.zeros(3))
    with pytest.raises(_native.InputFault, match="one weight a sentence"):
        _native.Objective(training, True, 0.0, np.ones(5, np.float32), 1)
    encoded = GivenEncoder().fit_transform([[["a"]]])
    with pytest.raises(_native.InputFault, match="a label is out of range"):
        _native.TrainingSet(encoded.native, np.array([3], np.int32), 1, 2, True)
    with pytest.raises(_native.InputFault, match="expected 1 labels"):
        _native.TrainingSet(encoded.native, np.array([0, 0], np.int32), 1, 2, True)
    with pytest.raises(_native.InputFault, match="a feature is out of range"):
        _native.TrainingSet(encoded.native, np.array([0], np.int32), 0, 2, True)
