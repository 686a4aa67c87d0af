"""Experts induced together: the learner against its formula, its optimum against ridge regression, threads against none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles.training import NONE, Problem, enumerated, problems, random_numbers, random_problem, shuffled

from tagpool import _native

Array = NDArray[np.float64]
PENALTIES = ["elitist", "elitist-approximate", "l1"]


def learner_of(
    training: _native.TrainingSet,
    chain: bool,
    alpha: list[float],
    *,
    penalty: str = "elitist",
    strength: float = 0.2,
    mu: float = 0.0,
    learn_alpha: bool = False,
    step: float = 0.5,
    seed: int = 7,
    weights: NDArray[np.float32] = NONE,
    batch: int = 8,
    threads: int = 1,
) -> _native.Elitist:
    supplied = np.array(alpha)
    return _native.Elitist(
        training,
        chain,
        _native.ElitistOptions(penalty=penalty, strength=strength, mu=mu, step=step, seed=seed, batch=batch, threads=threads),
        supplied,
        learn_alpha,
        weights,
    )


def penalty_of(name: str, members: Array, strength: float) -> float:
    if name == "l1":
        return strength * float(np.abs(members).sum())
    return strength / 2 * float((np.abs(members).sum(axis=0) ** 2).sum())


def proximal(name: str, members: Array, by: float) -> Array:
    """One step on experts x weights, in NumPy: the threshold by its definition as a maximum."""
    size = np.abs(members)
    threshold: Array | float = by
    if name != "l1":
        count = len(members)
        sums = np.cumsum(-np.sort(-size, axis=0), axis=0)
        candidates = by / (1 + by * np.arange(1, count + 1)[:, None]) * sums
        threshold = candidates.max(axis=0) if name == "elitist" else candidates[-1]
    return np.asarray(np.sign(members) * np.maximum(size - threshold, 0))


def nearest_in_simplex(x: Array) -> Array:
    """By bisection on the threshold."""
    low, high = x.min() - 1, x.max()
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(x - middle, 0).sum() > 1 else (low, middle)
    return np.asarray(np.maximum(x - low, 0))


def slow_elitist(
    problem: Problem,
    training: _native.TrainingSet,
    chain: bool,
    start: Array,
    alpha: Array,
    name: str,
    strength: float,
    mu: float,
    learn_alpha: bool,
    eta: float,
    batch: int,
    weights: NDArray[np.float32],
) -> tuple[Array, Array, list[float]]:
    """Three epochs with dense steps, every expert with the gradient of its own formula."""
    sentences = len(problem.rows)
    starts = np.cumsum([0, *map(len, problem.rows)])
    numbers = random_numbers(7)
    now, alpha = start.copy(), alpha.copy()
    losses, taken = [], 0
    for _ in range(3):
        met = 0.0
        order = shuffled(sentences, numbers)
        for first in range(0, sentences, batch):
            chosen = order[first : first + batch]
            example = np.zeros(sentences if chain else starts[-1], np.float32)
            for sentence in chosen:
                place = slice(sentence, sentence + 1) if chain else slice(starts[sentence], starts[sentence + 1])
                example[place] = weights[place] if len(weights) else 1.0
            objective = _native.Objective(training, chain, 0.0, example, 1)
            loss, gradient = objective(alpha @ now)
            separate = [objective(np.ascontiguousarray(member)) for member in now]
            met += (1 - mu) * loss + mu * sum(item for item, _ in separate)
            step = eta / math.sqrt(1 + taken / math.ceil(sentences / batch))
            taken += 1
            slopes = (1 - mu) * (now @ gradient) / sum(len(problem.rows[sentence]) for sentence in chosen)
            now = now - step * ((1 - mu) * np.outer(alpha, gradient) + mu * np.array([item for _, item in separate]))
            now = proximal(name, now, strength * step * len(chosen) / sentences)
            if learn_alpha:
                alpha = nearest_in_simplex(alpha - step * slopes)
        losses.append(met / sentences)
    return now, alpha, losses


@given(
    problems(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.integers(1, 3),
    st.sampled_from(PENALTIES),
    st.sampled_from([0.0, 0.3]),
    st.sampled_from([[1.0], [0.5, 0.5], [0.2, 0.5, 0.3]]),
    st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_steps_follow_the_formula(
    problem: Problem,
    chain: bool,
    all_pairs: bool,
    weighted: bool,
    batch: int,
    name: str,
    mu: float,
    alpha: list[float],
    learn_alpha: bool,
) -> None:
    """Put-off steps of the native learner are the dense steps of the formula."""
    examples = len(problem.rows) if chain else sum(map(len, problem.rows))
    weights = np.random.default_rng(5).uniform(0.5, 2, examples).astype(np.float32) if weighted else NONE
    training = problem.training_set(all_pairs=all_pairs)
    size = training.parameter_count if chain else training.cell_count
    start = np.random.default_rng(3).uniform(-0.4, 0.4, (len(alpha), size))
    learner = learner_of(
        training, chain, alpha, penalty=name, mu=mu, learn_alpha=learn_alpha, weights=weights, batch=batch, strength=0.3
    )
    learner.start_from(np.concatenate([start.ravel(), alpha]))
    met = [learner.epoch() for _ in range(3)]
    now, moved, losses = slow_elitist(
        problem, training, chain, start, np.array(alpha), name, 0.3, mu, learn_alpha, 0.5, batch, weights
    )
    assert met == pytest.approx(losses, rel=1e-10, abs=1e-12)
    result = learner.parameters()
    assert np.abs(result[: len(alpha) * size].reshape(now.shape) - now).max(initial=0) < 1e-11
    assert result[len(alpha) * size :].tolist() == pytest.approx(moved.tolist(), abs=1e-11)


@pytest.mark.parametrize("name", PENALTIES)
def test_steps_put_off_are_the_dense_steps(name: str) -> None:
    """Features that most steps skip: to 1e-12 of what they were."""
    rows = [[[(k, 1.0)]] for k in range(40)]
    problem = Problem(rows, [[k % 3] for k in range(40)], 40, 3)
    training = problem.training_set(all_pairs=True)
    alpha = [0.5, 0.3, 0.2]
    start = np.random.default_rng(1).normal(size=(3, 120)) * np.random.default_rng(2).choice([0, 1e-3, 1], (3, 120))
    learner = learner_of(training, False, alpha, penalty=name, strength=4.0, batch=1)
    learner.start_from(np.concatenate([start.ravel(), alpha]))
    for _ in range(3):
        learner.epoch()
    now, _, _ = slow_elitist(problem, training, False, start, np.array(alpha), name, 4.0, 0.0, False, 0.5, 1, NONE)
    assert np.abs(learner.parameters()[:360].reshape(3, 120) - now).max() < 1e-12
    assert (np.count_nonzero(now) > 0) & (np.count_nonzero(now) < 360)


def test_the_pool_is_the_product_of_its_experts() -> None:
    """The loss of a first step is that of the normalised product of the experts' distributions, by enumeration."""
    problem = random_problem(1, 3, 3, 5, seed=4)
    training = problem.training_set(all_pairs=True)
    alpha = [0.6, 0.1, 0.3]
    members = np.random.default_rng(1).normal(size=(3, training.parameter_count))
    learner = learner_of(training, True, alpha, step=1e-9)
    learner.start_from(np.concatenate([members.ravel(), alpha]))

    def probability(member: Array, labels: list[int]) -> float:
        pairs = {(i // 3, i % 3): float(member[i]) for i in range(15)}
        return math.exp(-enumerated(Problem(problem.rows, [labels], 5, 3), pairs, member[15:], True, [1.0]))

    def product(labels: list[int]) -> float:
        return math.prod(probability(member, labels) ** a for member, a in zip(members, alpha, strict=True))

    every = [[a, b, c] for a in range(3) for b in range(3) for c in range(3)]
    expected = -math.log(product(problem.gold[0]) / sum(map(product, every)))
    assert learner.epoch() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("mu", [0.0, 0.4])
@pytest.mark.parametrize("chain", [True, False])
def test_a_step_is_the_gradient_by_finite_differences(chain: bool, mu: float) -> None:
    """One full step of the weights and of alpha, without a penalty."""
    problem = random_problem(3, 3, 3, 5, seed=4)
    training = problem.training_set(all_pairs=True)
    objective = _native.Objective(training, chain, 0.0, NONE, 1)
    size = training.parameter_count if chain else training.cell_count
    alpha = np.array([0.6, 0.4])
    start = np.concatenate([np.random.default_rng(1).normal(size=2 * size), alpha])

    def value(at: Array) -> float:
        members, mixed = at[:-2].reshape(2, size), at[-2:]
        separate = sum(objective(np.ascontiguousarray(member))[0] for member in members)
        return (1 - mu) * objective(mixed @ members)[0] + mu * separate

    slopes = np.zeros(len(start))
    for i in range(len(start)):
        move = np.zeros(len(start))
        move[i] = 1e-5
        slopes[i] = (value(start + move) - value(start - move)) / 2e-5
    step = 1e-3
    learner = learner_of(training, chain, [0.6, 0.4], strength=0.0, mu=mu, learn_alpha=True, step=step)
    learner.start_from(start)
    assert learner.epoch() * 3 == pytest.approx(value(start), rel=1e-12)
    moved = (start - learner.parameters()) / step
    assert moved[:-2].tolist() == pytest.approx(slopes[:-2].tolist(), abs=1e-7)
    # Alpha moves by the mean over the 9 tokens, within the simplex: the part of the slope that changes no sum.
    within = slopes[-2:] / 9
    assert moved[-2:].tolist() == pytest.approx((within - within.mean()).tolist(), abs=1e-7)


@pytest.mark.parametrize("alpha", [[1 / 3, 1 / 3, 1 / 3], [0.2, 0.7, 0.1]])
@pytest.mark.parametrize("chain", [True, False])
@pytest.mark.parametrize("all_pairs", [True, False])
def test_the_optimum_is_ridge(chain: bool, all_pairs: bool, alpha: list[float]) -> None:
    """|Σ α_j w_j| <= max α Σ |w_j|: the least value is that of l2 with strength / max(α)², at the weights of the pool."""
    problem = random_problem(60, 5, 3, 8, seed=5)
    training = problem.training_set(all_pairs=all_pairs)
    strength = 2.0
    ridge = _native.Objective(training, chain, strength / max(alpha) ** 2, NONE, 1)
    least = ridge.minimise(
        np.zeros(ridge.parameter_count),
        _native.LbfgsOptions(iterations=1000, memory=6, gradient_tolerance=1e-10, value_tolerance=0.0),
    )
    learner = learner_of(training, chain, alpha, strength=strength, batch=60, step=0.05)
    for _ in range(6000):
        learner.epoch()
    members = learner.parameters()[:-3].reshape(3, -1)
    mixed = np.array(alpha) @ members
    value = _native.Objective(training, chain, 0.0, NONE, 1)(mixed)[0] + penalty_of("elitist", members, strength)
    assert value == pytest.approx(least[2], rel=1e-6)
    assert mixed.tolist() == pytest.approx(least[0].tolist(), abs=1e-3)


@pytest.mark.parametrize("name", PENALTIES)
@pytest.mark.parametrize("chain", [True, False])
@pytest.mark.parametrize(("mu", "learn_alpha"), [(0.0, False), (0.5, True)])
def test_repeats_itself_and_needs_no_threads(name: str, chain: bool, mu: float, learn_alpha: bool) -> None:
    problem = random_problem(300, 6, 4, 900, seed=7)
    training = problem.training_set(all_pairs=True)

    def trained(threads: int, seed: int = 11) -> Array:
        options = {"penalty": name, "mu": mu, "learn_alpha": learn_alpha, "step": 0.0, "seed": seed, "threads": threads}
        learner = learner_of(training, chain, [0.5, 0.3, 0.2], **options)  # type: ignore[arg-type]
        losses = [learner.epoch() for _ in range(5)]
        assert losses[-1] < losses[0] < math.inf
        return learner.parameters()

    result = trained(1)
    assert trained(1).tobytes() == result.tobytes()
    assert trained(3).tobytes() == result.tobytes()
    assert trained(1, seed=12).tobytes() != result.tobytes()
    assert result[-3:].sum() == pytest.approx(1.0)
    assert (result[-3:].tolist() == [0.5, 0.3, 0.2]) is not learn_alpha


def test_begins_uniformly_and_starts_again() -> None:
    training = random_problem(40, 4, 3, 200, seed=2).training_set(all_pairs=True)
    learner = learner_of(training, True, [0.5, 0.5])
    first = learner.parameters()[:-2]
    assert np.abs(first).max() < 0.1
    assert np.histogram(first, 4, (-0.1, 0.1))[0] / len(first) == pytest.approx(0.25, abs=0.04)
    start = np.random.default_rng(1).normal(size=learner.parameter_count)
    learner.start_from(start)
    assert learner.parameters().tolist() == start.tolist()
    learner.start_from(np.full(learner.parameter_count, np.nan))
    assert learner.epoch() == math.inf


def test_bad_arguments() -> None:
    training = random_problem(2, 2, 2, 4, seed=1).training_set(all_pairs=True)
    with pytest.raises(_native.InputFault, match="expected 1 to 32 experts, got 0"):
        learner_of(training, True, [])
    with pytest.raises(_native.InputFault, match="penalty: expected l1, elitist or elitist-approximate, got group"):
        learner_of(training, True, [0.5, 0.5], penalty="group")
    with pytest.raises(_native.InputFault, match="alpha: expected numbers of 0 or more"):
        learner_of(training, True, [1.5, -0.5])
    with pytest.raises(_native.InputFault, match="mu: expected a number from 0 to 1"):
        learner_of(training, True, [0.5, 0.5], mu=1.1)
    with pytest.raises(_native.InputFault, match="at least 1 sentence"):
        learner_of(training, True, [0.5, 0.5], batch=0)
    with pytest.raises(_native.InputFault, match="one for each token"):
        learner_of(training, False, [0.5, 0.5], weights=np.ones(3, np.float32))
    with pytest.raises(_native.InputFault, match="parameters: expected 34, got 3"):
        learner_of(training, True, [0.5, 0.5]).start_from(np.zeros(3))
