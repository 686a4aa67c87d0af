"""The stochastic trainers with transition features: held to their formulas, and to enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracles.training import NONE, random_numbers, shuffled
from oracles.transition_features import TransitionProblem, larger, transition_problems

from tagpool import _native


def one_sentence(problem: TransitionProblem) -> TransitionProblem:
    problem.base.rows, problem.base.gold = problem.base.rows[:1], problem.base.gold[:1]
    problem.history = problem.history[:1]
    return problem


def two_tokens(problem: TransitionProblem) -> TransitionProblem:
    """The first two tokens of the first sentence, and no feature twice: every cell has one gradient."""
    problem = one_sentence(problem)
    base = problem.base
    first, *others = base.rows[0][:2]
    known = {k for k, _ in first}
    base.rows = [[first, *([(k, v) for k, v in token if k not in known] for token in others)]]
    base.gold, problem.history = [base.gold[0][:2]], [problem.history[0][:2]]
    return problem


@given(transition_problems(), st.sampled_from([1, 30]), st.integers(0, 2**32 - 1))
@settings(max_examples=150, deadline=None)
def test_a_step_of_sgd_follows_the_gradient(problem: TransitionProblem, scale: int, seed: int) -> None:
    """In single precision; scores of hundreds underflow there, and factors overflow."""
    base = two_tokens(problem).base
    training = problem.training_set()
    start = (scale * np.random.default_rng(seed).normal(size=training.parameter_count)).astype(np.float32)
    value, gradient = _native.Objective(training, True, 0.0, NONE, 1)(start.astype(np.float64))
    rows = gradient[: base.features * base.labels].reshape(base.features, base.labels)
    norms = [np.abs(value * rows[k]).max() for token in base.rows[0] for k, value in token]
    assume(all(norm > 0.1 for norm in norms))  # smaller gradients are sampled
    learner = _native.Sgd(training, True, _native.SgdOptions(l2=0.5, step=0.2, average_from=0, seed=1), NONE)
    learner.start_from(start)
    assert learner.epoch() == pytest.approx(value, rel=1e-3, abs=1e-4)
    squares = gradient**2
    cells = base.features * base.labels
    squares[:cells] = np.repeat(squares[:cells].reshape(base.features, base.labels).sum(axis=1), base.labels)
    shorter = 1 / np.sqrt(1 + squares)
    expected = (start - 0.2 * shorter * gradient + 0.2 * 0.5 * (1 - shorter) * start) / (1 + 0.2 * 0.5)
    assert np.allclose(learner.current(), expected, atol=2e-5 * scale)
    assert np.allclose(learner.parameters(), expected, atol=2e-5 * scale)


@pytest.mark.parametrize("unknown", [False, True])
def test_sgd_comes_close_to_the_minimum_whatever_the_threads(unknown: bool) -> None:
    training = larger(4, unknown=unknown, seed=5).training_set()
    objective = _native.Objective(training, True, 1.0, NONE, 1)
    zero = np.zeros(objective.parameter_count)
    least, nothing = (
        objective.minimise(zero, _native.LbfgsOptions(iterations=1000, memory=6, gradient_tolerance=1e-8, value_tolerance=0.0))[
            2
        ],
        objective(zero)[0],
    )
    result = []
    for threads in (1, 2, 3):
        learner = _native.Sgd(
            training, True, _native.SgdOptions(l2=1.0, step=0.0, average_from=5, seed=11, batch=4, threads=threads), NONE
        )
        for _ in range(150):
            learner.epoch()
        result.append(learner.parameters())
    assert objective(result[0].astype(np.float64))[0] < least + 0.005 * (nothing - least)
    assert result[0].tobytes() == result[1].tobytes() == result[2].tobytes()


@given(transition_problems(), st.sampled_from(["l1", "l2"]), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_a_step_of_fobos_is_a_gradient_and_a_proximal_step(problem: TransitionProblem, penalty: str, seed: int) -> None:
    training = one_sentence(problem).training_set()
    start = np.random.default_rng(seed).normal(size=training.parameter_count)
    _, gradient = _native.Objective(training, True, 0.0, NONE, 1)(start)
    learner = _native.Fobos(
        training, True, _native.FobosOptions(penalty=penalty, strength=0.7, ridge=0.0, step=0.2, seed=1), NONE
    )
    learner.start_from(start)
    learner.epoch()
    moved = start - 0.2 * gradient
    shrunk = np.sign(moved) * np.maximum(np.abs(moved) - 0.14, 0) if penalty == "l1" else moved / 1.14
    assert np.allclose(learner.parameters(), shrunk, atol=1e-10)


def test_fobos_comes_close_to_owlqn() -> None:
    training = larger(3, seed=6).training_set()
    objective = _native.Objective(training, True, 0.0, NONE, 1)
    zero = np.zeros(objective.parameter_count)
    least = objective.minimise(
        zero, _native.LbfgsOptions(iterations=1000, memory=6, gradient_tolerance=1e-8, value_tolerance=0.0, l1=1.0)
    )[2]
    result = []
    for threads in (1, 2):
        learner = _native.Fobos(
            training,
            True,
            _native.FobosOptions(penalty="l1", strength=1.0, ridge=0.0, step=0.05, seed=1, batch=4, threads=threads),
            NONE,
        )
        for _ in range(400):
            learner.epoch()
        result.append(learner.parameters())
    assert objective(result[0])[0] + np.abs(result[0]).sum() < least + 0.01 * (objective(zero)[0] - least)
    assert result[0].tobytes() == result[1].tobytes()


class SlowPerceptron:
    """Weights by name; the average is the plain mean of the weights after each example."""

    def __init__(self, problem: TransitionProblem, training: _native.TrainingSet, weights: list[float], seed: int) -> None:
        self.problem, self.training, self.weights = problem, training, weights
        self.numbers = random_numbers(seed)
        self.now = np.zeros(training.parameter_count)
        self.total = np.zeros(training.parameter_count)
        self.names = list(zip(training.cell_features().tolist(), training.cell_labels().tolist(), strict=True))
        labels = problem.base.labels
        self.names += [("edge", i) for i in range(labels * (labels + 2))]
        self.names += [("cell", *item) for item in problem.cells()]
        self.places = {name: place for place, name in enumerate(self.names)}

    def vector(self, sentence: int, labels: tuple[int, ...]) -> np.ndarray:
        result = np.zeros(len(self.now))
        L = self.problem.base.labels

        def add(name: object, value: float = 1.0) -> None:
            if name in self.places:
                result[self.places[name]] += value

        add(("edge", L * L + labels[0]))
        add(("edge", L * L + L + labels[-1]))
        for t, y in enumerate(labels):
            for k, value in self.problem.base.rows[sentence][t]:
                add((k, y), value)
            if t == 0:
                continue
            add(("edge", labels[t - 1] * L + y))
            for k, value in self.problem.history[sentence][t]:
                add(("cell", k, labels[t - 1], y), value)
        return result

    def best(self, sentence: int, known: list[int]) -> tuple[int, ...]:
        choices = [range(self.problem.base.labels) if y < 0 else [y] for y in known]
        scores = {labels: float(self.vector(sentence, labels) @ self.now) for labels in itertools.product(*choices)}
        most = max(scores.values())
        # Ties go to the smaller label, from the last token on.
        return min((labels for labels, score in scores.items() if score == most), key=lambda labels: labels[::-1])

    def epoch(self) -> int:
        wrong = 0
        for sentence in shuffled(len(self.problem.base.rows), self.numbers):
            gold = self.problem.base.gold[sentence]
            best, held = self.best(sentence, [-1] * len(gold)), self.best(sentence, gold)
            self.now += self.weights[sentence] * (self.vector(sentence, held) - self.vector(sentence, best))
            self.total += self.now
            wrong += sum(y not in (-1, guess) for y, guess in zip(gold, best, strict=True))
        return wrong


@given(transition_problems(), st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_the_perceptron_is_the_slow_one(problem: TransitionProblem, seed: int) -> None:
    count = len(problem.base.rows)
    weights = [1.0, 2.0, 0.5][:count]
    training = problem.training_set()
    fast = _native.Perceptron(training, True, seed, np.array(weights, np.float32))
    slow = SlowPerceptron(problem, training, weights, seed)
    for epoch in range(1, 5):
        assert fast.epoch() == slow.epoch()
        assert np.allclose(fast.current(), slow.now)
        assert np.allclose(fast.parameters(), slow.total / (epoch * count), atol=1e-5)
