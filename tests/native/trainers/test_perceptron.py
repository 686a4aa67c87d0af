"""The averaged perceptron against a slow one that enumerates all label sequences and keeps every state of its weights."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.training import NONE, Problem, problems, random_numbers, random_problem, shuffled

from tagpool import _native

Key = tuple[object, ...]


class SlowPerceptron:
    """Weights in a dictionary; the average is the plain mean of the weights after each example."""

    def __init__(self, problem: Problem, pairs: set[tuple[int, int]], chain: bool, seed: int, weights: list[float]) -> None:
        self.problem, self.pairs, self.chain, self.weights = problem, pairs, chain, weights
        self.numbers = random_numbers(seed)
        self.now: dict[Key, float] = {}
        self.total: dict[Key, float] = {}
        self.examples = 0

    def vector(self, rows: list[list[tuple[int, float]]], labels: tuple[int, ...]) -> dict[Key, float]:
        result: dict[Key, float] = {}
        for token, label in zip(rows, labels, strict=True):
            for k, value in token:
                if (k, label) in self.pairs:
                    result[k, label] = result.get((k, label), 0.0) + value
        if self.chain:
            edges: list[Key] = [("start", labels[0]), ("end", labels[-1]), *(("to", a, b) for a, b in itertools.pairwise(labels))]
            for edge in edges:
                result[edge] = result.get(edge, 0.0) + 1.0
        return result

    def best(self, rows: list[list[tuple[int, float]]], known: list[int]) -> tuple[int, ...]:
        choices = [range(self.problem.labels) if y < 0 else [y] for y in known]
        scores = {
            labels: sum(self.now.get(key, 0.0) * value for key, value in self.vector(rows, labels).items())
            for labels in itertools.product(*choices)
        }
        most = max(scores.values())
        # Ties go to the smaller label, from the last token on.
        return min((labels for labels, score in scores.items() if score == most), key=lambda labels: labels[::-1])

    def learn(self, rows: list[list[tuple[int, float]]], gold: list[int], weight: float) -> int:
        best, held = self.best(rows, [-1] * len(rows)), self.best(rows, gold)
        for labels, sign in ((held, weight), (best, -weight)):
            for key, value in self.vector(rows, labels).items():
                self.now[key] = self.now.get(key, 0.0) + sign * value
        for key, value in self.now.items():
            self.total[key] = self.total.get(key, 0.0) + value
        self.examples += 1
        return sum(y not in (-1, guess) for y, guess in zip(gold, best, strict=True))

    def epoch(self) -> int:
        wrong = 0
        starts = [0, *itertools.accumulate(map(len, self.problem.rows))]
        for sentence in shuffled(len(self.problem.rows), self.numbers):
            rows, gold = self.problem.rows[sentence], self.problem.gold[sentence]
            if self.chain:
                wrong += self.learn(rows, gold, self.weights[sentence])
            else:
                for t, (token, label) in enumerate(zip(rows, gold, strict=True)):
                    wrong += self.learn([token], [label], self.weights[starts[sentence] + t])
        return wrong


@given(problems(), st.booleans(), st.booleans(), st.booleans(), st.integers(0, 2**64 - 1))
@settings(max_examples=150, deadline=None)
def test_steps_are_those_of_the_slow_one(problem: Problem, chain: bool, all_pairs: bool, weighted: bool, seed: int) -> None:
    training = problem.training_set(all_pairs=all_pairs)
    examples = len(problem.rows) if chain else sum(map(len, problem.rows))
    # Halves and whole numbers: all sums are exact, ties are real.
    weights = np.random.default_rng(seed % 1000).choice([0.5, 1.0, 2.0], examples).astype(np.float32) if weighted else NONE
    names = list(zip(training.cell_features().tolist(), training.cell_labels().tolist(), strict=True))
    slow = SlowPerceptron(problem, set(names), chain, seed, weights.tolist() if weighted else [1.0] * examples)
    fast = _native.Perceptron(training, chain, seed, weights)
    keys: list[Key] = [*names]
    if chain:
        L = range(problem.labels)
        keys += [*(("to", a, b) for a in L for b in L), *(("start", y) for y in L), *(("end", y) for y in L)]
    assert fast.parameter_count == len(keys)
    assert fast.parameters().tolist() == [0.0] * len(keys)
    for _ in range(3):
        assert fast.epoch() == slow.epoch()
        assert fast.current().tolist() == [slow.now.get(key, 0.0) for key in keys]
        assert fast.parameters().tolist() == pytest.approx(
            [slow.total.get(key, 0.0) / slow.examples for key in keys], rel=1e-5, abs=1e-5
        )


@pytest.mark.parametrize("chain", [True, False])
@pytest.mark.parametrize("labels", [3, 13, 24, 45, 70])
def test_separable_data_end_without_errors(chain: bool, labels: int) -> None:
    gold = np.random.default_rng(1).integers(0, labels, (60, 6)).tolist()
    # One feature tells the label, another nothing.
    rows = [[[(y, 1.0), (labels + (y + t) % 5, 1.0)] for t, y in enumerate(sentence)] for sentence in gold]
    training = Problem(rows, gold, labels + 5, labels).training_set(all_pairs=chain)
    learner = _native.Perceptron(training, chain, 5, NONE)
    errors = [learner.epoch() for _ in range(60)]
    assert errors[0] > 0
    assert errors[-1] == 0
    again = _native.Perceptron(training, chain, 5, NONE)
    again.start_from(learner.current())
    assert again.epoch() == 0
    assert again.parameters().tobytes() == learner.current().tobytes()


def test_unknown_labels_are_completed_and_teach_too() -> None:
    problem = random_problem(200, 6, 4, 9, seed=3)
    hidden = np.random.default_rng(4).random((200, 6)) < 0.5
    partial = Problem(
        problem.rows,
        [[-1 if gone else y for y, gone in zip(*pair, strict=True)] for pair in zip(problem.gold, hidden.tolist(), strict=True)],
        problem.features,
        problem.labels,
    )
    training = problem.training_set(all_pairs=True)

    def errors(taught_by: _native.TrainingSet) -> int:
        learner = _native.Perceptron(taught_by, True, 1, NONE)
        for _ in range(10):
            learner.epoch()
        judge = _native.Perceptron(training, True, 1, np.zeros(200, np.float32))
        judge.start_from(learner.parameters())
        return judge.epoch()

    # Half of the labels teach nearly as much as all of them.
    assert errors(partial.training_set(all_pairs=True)) < 1.1 * errors(training)
    # Nothing is wrong where nothing is known.
    silent = Problem(problem.rows, [[-1] * 6] * 200, problem.features, problem.labels)
    learner_of_none = _native.Perceptron(silent.training_set(all_pairs=True), True, 1, NONE)
    assert learner_of_none.epoch() == 0
    assert not learner_of_none.current().any()


def test_bad_arguments() -> None:
    training = random_problem(2, 2, 2, 4, seed=1).training_set(all_pairs=True)
    with pytest.raises(_native.InputFault, match="one for each sentence"):
        _native.Perceptron(training, True, 1, np.ones(3, np.float32))
    with pytest.raises(_native.InputFault, match="one for each token"):
        _native.Perceptron(training, False, 1, np.ones(3, np.float32))
    with pytest.raises(_native.InputFault, match="parameters: expected 16, got 3"):
        _native.Perceptron(training, True, 1, NONE).start_from(np.zeros(3, np.float32))
