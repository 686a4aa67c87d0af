"""FOBOS: proximal steps against what they minimise, put-off steps against dense ones, the learner against its formula."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles.training import NONE, Problem, problems, random_numbers, random_problem, shuffled
from scipy.optimize import minimize

from tagpool import _native

Array = NDArray[np.float64]
PENALTIES = ["l1", "l2", "elastic", "group", "group+l2", "elitist", "elitist-approximate"]

groups = st.integers(0, 2**32 - 1).map(
    lambda seed: (
        np.random.default_rng(seed).normal(size=(6, 1 + seed % 7))
        * np.random.default_rng(seed).choice([0, 1e-3, 1, 1], (6, 1 + seed % 7))
    )
)


def value(name: str, x: Array, strength: float, ridge: float) -> float:
    size = np.abs(x)
    if name in ("l1", "elastic"):
        return strength * float(size.sum()) + ridge / 2 * float((x**2).sum())
    if name == "l2":
        return strength / 2 * float((x**2).sum())
    if name.startswith("group"):
        return strength * float(np.sqrt((x**2).sum(axis=1)).sum()) + ridge / 2 * float((x**2).sum())
    return strength / 2 * float((size.sum(axis=1) ** 2).sum())


def dense_step(name: str, x: Array, strength: float, ridge: float, step: float) -> Array:
    """One proximal step, in NumPy."""
    size = np.abs(x)
    threshold: Array | float
    if name.startswith("group"):
        norm = np.sqrt((x**2).sum(axis=1, keepdims=True))
        scale = np.where(norm > step * strength, 1 - step * strength / np.where(norm > 0, norm, 1), 0)
        return np.asarray(x * scale / (1 + step * ridge))
    if name == "l2":
        return x / (1 + step * strength)
    if name in ("l1", "elastic"):
        threshold = step * strength
    else:
        by, members = step * strength, x.shape[1]
        sums = np.cumsum(-np.sort(-size, axis=1), axis=1)
        candidates = by / (1 + by * np.arange(1, members + 1)) * sums
        threshold = candidates.max(axis=1, keepdims=True) if name == "elitist" else candidates[:, -1:]
    return np.asarray(np.sign(x) * np.maximum(size - threshold, 0) / (1 + step * ridge))


def native_step(name: str, x: Array, step: float) -> Array:
    if name == "elitist-approximate":
        return _native.prox_elitist(x, step, approximate=True)
    return {"l1": _native.prox_l1, "l2": _native.prox_l2, "group": _native.prox_group, "elitist": _native.prox_elitist}[name](
        x, step
    )


@given(groups, st.floats(0, 3), st.sampled_from(["l1", "l2", "group", "elitist", "elitist-approximate"]))
@settings(max_examples=200, deadline=None)
def test_one_step(x: Array, step: float, name: str) -> None:
    assert native_step(name, x, step) == pytest.approx(dense_step(name, x, 1.0, 0.0, step), rel=1e-12, abs=1e-15)


@given(groups, st.floats(0.01, 3), st.sampled_from(["l1", "l2", "group", "elitist"]))
@settings(max_examples=60, deadline=None)
def test_a_step_minimises_what_it_should(x: Array, step: float, name: str) -> None:
    result = native_step(name, x, step)

    def objective(at: Array) -> float:
        return 0.5 * float(((at - x[:1]) ** 2).sum()) + step * value(name, at.reshape(1, -1), 1.0, 0.0)

    peer = minimize(objective, result[0] + 0.1, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 4000})
    assert objective(result[0]) <= peer.fun + 1e-9
    # And no small move is better: the function is convex.
    moves = np.random.default_rng(1).normal(size=(200, x.shape[1]))
    for size in (1e-1, 1e-4):
        assert all(objective(result[0] + size * move) >= objective(result[0]) - 1e-14 for move in moves)


@given(groups, st.floats(0, 3))
@settings(max_examples=100, deadline=None)
def test_the_approximate_threshold_is_never_larger(x: Array, step: float) -> None:
    exact, approximate = (np.abs(_native.prox_elitist(x, step, approximate=how)) for how in (False, True))
    assert (approximate >= exact - 1e-15).all()
    assert (np.count_nonzero(approximate, axis=1) >= np.count_nonzero(exact, axis=1)).all()


@given(groups, st.sampled_from(PENALTIES), st.floats(0.01, 3), st.integers(0, 40), st.integers(0, 2**32 - 1))
@settings(max_examples=300, deadline=None)
def test_steps_put_off_are_the_dense_steps(x: Array, name: str, strength: float, count: int, seed: int) -> None:
    ridge = 0.7 if name in ("elastic", "group+l2") else 0.0
    steps = np.random.default_rng(seed).uniform(0, 0.2, count)
    expected = x
    for step in steps.tolist():
        expected = dense_step(name, expected, strength, ridge, step)
    result = _native.prox_many(x, name.removesuffix("+l2"), strength, ridge, steps)
    # 1e-12 of what the group was: what is left of it may be the difference of much larger numbers.
    scale = np.abs(x).max(axis=1, keepdims=True)
    assert (np.abs(result - expected) <= 1e-12 * scale).all()


def slow_fobos(
    problem: Problem,
    all_pairs: bool,
    chain: bool,
    name: str,
    strength: float,
    ridge: float,
    eta: float,
    batch: int,
    weights: NDArray[np.float32],
) -> tuple[Array, list[float]]:
    """Three epochs of the rule with dense proximal steps, with the gradients of the (enumerated) objective."""
    training = problem.training_set(all_pairs=all_pairs)
    L, pairs, sentences = problem.labels, training.cell_count, len(problem.rows)
    features, labels = training.cell_features().tolist(), training.cell_labels().tolist()
    starts = np.cumsum([0, *map(len, problem.rows)])
    numbers = random_numbers(7)
    now = np.zeros(training.parameter_count if chain else pairs)
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
            loss, gradient = _native.Objective(training, chain, 0.0, example, 1)(now)
            met += loss
            step = eta / math.sqrt(1 + taken / math.ceil(sentences / batch))
            taken += 1
            moved = now - step * gradient
            # A row a feature, then one for each label that transitions come from, start and end.
            table = np.zeros((problem.features + L + 2, L))
            table[features, labels] = moved[:pairs]
            if chain:
                table[problem.features :] = moved[pairs:].reshape(L + 2, L)
            table = dense_step(name, table, strength, ridge, step * len(chosen) / sentences)
            now = np.concatenate([table[features, labels], table[problem.features :].ravel() if chain else []])
        losses.append(met / sentences)
    return now, losses


@given(problems(), st.booleans(), st.booleans(), st.booleans(), st.integers(1, 3), st.sampled_from(PENALTIES))
@settings(max_examples=150, deadline=None)
def test_steps_follow_the_formula(problem: Problem, chain: bool, all_pairs: bool, weighted: bool, batch: int, name: str) -> None:
    examples = len(problem.rows) if chain else sum(map(len, problem.rows))
    weights = np.random.default_rng(5).uniform(0.5, 2, examples).astype(np.float32) if weighted else NONE
    ridge = 0.4 if name in ("elastic", "group+l2") else 0.0
    training = problem.training_set(all_pairs=all_pairs)
    learner = _native.Fobos(
        training,
        chain,
        _native.FobosOptions(
            penalty=name.removesuffix("+l2"), strength=0.2, ridge=ridge, step=0.5, seed=7, batch=batch, threads=1
        ),
        weights,
    )
    met = [learner.epoch() for _ in range(3)]
    now, losses = slow_fobos(problem, all_pairs, chain, name, 0.2, ridge, 0.5, batch, weights)
    assert met == pytest.approx(losses, rel=1e-10, abs=1e-12)
    assert learner.parameters().tolist() == pytest.approx(now.tolist(), rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("chain", [True, False])
def test_reaches_the_minimum_of_l2(chain: bool) -> None:
    problem = random_problem(60, 5, 3, 8, seed=5)
    training = problem.training_set(all_pairs=True)
    objective = _native.Objective(training, chain, 6.0, NONE, 1)
    least = objective.minimise(
        np.zeros(objective.parameter_count),
        _native.LbfgsOptions(iterations=1000, memory=6, gradient_tolerance=1e-9, value_tolerance=0.0),
    )[2]
    learner = _native.Fobos(
        training, chain, _native.FobosOptions(penalty="l2", strength=6.0, ridge=0.0, step=0.02, seed=1, batch=60), NONE
    )
    for _ in range(3000):
        learner.epoch()
    assert objective(learner.parameters())[0] == pytest.approx(least, rel=1e-8)


@pytest.mark.parametrize("chain", [True, False])
@pytest.mark.parametrize("all_pairs", [True, False])
def test_reaches_the_minimum_of_l1(chain: bool, all_pairs: bool) -> None:
    """Where a weight is not zero the gradient is -strength times its sign; where it is, at most as large as the strength."""
    problem = random_problem(60, 5, 3, 8, seed=5)
    training = problem.training_set(all_pairs=all_pairs)
    learner = _native.Fobos(
        training, chain, _native.FobosOptions(penalty="l1", strength=4.0, ridge=0.0, step=0.02, seed=1, batch=60), NONE
    )
    for _ in range(6000):
        learner.epoch()
    result = learner.parameters()
    gradient = _native.Objective(training, chain, 0.0, NONE, 1)(result)[1]
    zero = result == 0
    assert 3 < np.count_nonzero(zero) < len(result) - 3
    assert np.abs(gradient[zero]).max() <= 4.0 + 1e-6
    assert gradient[~zero].tolist() == pytest.approx((-4.0 * np.sign(result[~zero])).tolist(), abs=1e-5)


@pytest.mark.parametrize("name", PENALTIES)
@pytest.mark.parametrize("chain", [True, False])
def test_small_batches_come_close_repeat_themselves_and_need_no_threads(name: str, chain: bool) -> None:
    problem = random_problem(300, 6, 4, 9, seed=7)
    training = problem.training_set(all_pairs=True)
    ridge = 0.5 if name in ("elastic", "group+l2") else 0.0

    def trained(threads: int, step: float = 0.0, batch: int = 8, epochs: int = 30) -> Array:
        learner = _native.Fobos(
            training,
            chain,
            _native.FobosOptions(
                penalty=name.removesuffix("+l2"), strength=0.5, ridge=ridge, step=step, seed=11, batch=batch, threads=threads
            ),
            NONE,
        )
        for _ in range(epochs):
            assert math.isfinite(learner.epoch())
        assert learner.step > 0
        return learner.parameters()

    def total(weights: Array) -> float:
        edges = weights[training.cell_count :].reshape(-1, 4)
        table = np.concatenate([weights[: training.cell_count].reshape(-1, 4), edges])
        return _native.Objective(training, chain, 0.0, NONE, 1)(weights)[0] + value(name, table, 0.5, ridge)

    weights = trained(1)
    least = total(trained(1, 0.003, 300, 3000))
    nothing = total(np.zeros_like(weights))
    assert least - 0.01 * (nothing - least) < total(weights) < least + 0.05 * (nothing - least)
    assert trained(1).tobytes() == weights.tobytes()
    assert trained(3).tobytes() == weights.tobytes()


def test_starts_again_and_reports_divergence() -> None:
    problem = random_problem(40, 4, 3, 6, seed=2)
    training = problem.training_set(all_pairs=True)
    learner = _native.Fobos(
        training, True, _native.FobosOptions(penalty="elitist", strength=0.1, ridge=0.0, step=0.0, seed=1), NONE
    )
    first = np.random.default_rng(1).normal(size=learner.parameter_count)
    learner.start_from(first)
    assert learner.parameters().tolist() == first.tolist()
    assert math.isfinite(learner.epoch())
    learner.start_from(np.full(learner.parameter_count, np.nan))
    assert learner.epoch() == math.inf
    # A penalty beyond all measure leaves nothing. (The approximate one takes no more than the mean of a group away.)
    for name in PENALTIES[:-1]:
        strong = _native.Fobos(
            training,
            True,
            _native.FobosOptions(penalty=name.removesuffix("+l2"), strength=1e9, ridge=0.0, step=0.0, seed=1),
            NONE,
        )
        assert [strong.epoch() for _ in range(2)] == pytest.approx([4 * math.log(3)] * 2, rel=0.2)
        assert np.abs(strong.parameters()).max() < 1e-3, name


def test_bad_arguments() -> None:
    training = random_problem(2, 2, 2, 4, seed=1).training_set(all_pairs=True)
    with pytest.raises(_native.InputFault, match="penalty: expected l1, l2"):
        _native.Fobos(training, True, _native.FobosOptions(penalty="l3", strength=1.0, ridge=0.0, step=0.0, seed=1), NONE)
    with pytest.raises(_native.InputFault, match="0 or more"):
        _native.Fobos(training, True, _native.FobosOptions(penalty="l1", strength=-1.0, ridge=0.0, step=0.0, seed=1), NONE)
    with pytest.raises(_native.InputFault, match="only elastic and group"):
        _native.Fobos(training, True, _native.FobosOptions(penalty="l1", strength=1.0, ridge=0.5, step=0.0, seed=1), NONE)
    with pytest.raises(_native.InputFault, match="one for each token"):
        _native.Fobos(
            training, False, _native.FobosOptions(penalty="l1", strength=1.0, ridge=0.0, step=0.0, seed=1), np.ones(3, np.float32)
        )
    with pytest.raises(_native.InputFault, match="parameters: expected 16, got 3"):
        _native.Fobos(
            training, True, _native.FobosOptions(penalty="l1", strength=1.0, ridge=0.0, step=0.0, seed=1), NONE
        ).start_from(np.zeros(3))
