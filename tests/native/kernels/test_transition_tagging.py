"""Tagging with transition features, against enumeration; also through a file."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.training import NONE
from oracles.transition_features import TransitionProblem, encoding, larger, transition_problems

from tagpool import _native


def model_of(problem: TransitionProblem, training: _native.TrainingSet, parameters: np.ndarray) -> _native.Model:
    labels = problem.base.labels
    weights = parameters.astype(np.float32)
    pairs, edges, rest = np.split(weights, [training.cell_count, training.cell_count + labels * (labels + 2)])
    transition_weights = _native.TransitionWeights(training, rest.copy(), None, problem.history_features)
    names = [f"label {y}" for y in range(labels)]
    named = (training.cell_features(), training.cell_labels())
    return _native.Model.of_encoded(problem.base.features, names, *named, pairs.copy(), edges.copy(), transition_weights)


def encodings(problem: TransitionProblem) -> tuple[_native.Encoding, _native.Encoding | None]:
    history = encoding(problem.history, problem.history_features) if problem.history_features else None
    return encoding(problem.base.rows, problem.base.features), history


@given(transition_problems(), st.booleans(), st.integers(0, 2**32 - 1))
@settings(max_examples=200, deadline=None)
def test_tags_are_the_best_sequences(problem: TransitionProblem, few: bool, seed: int) -> None:
    training = problem.training_set()
    random = np.random.default_rng(seed)
    parameters = random.integers(-3, 4, training.parameter_count).astype(float)  # whole numbers: ties are real
    if few:
        parameters *= random.random(len(parameters)) < 0.3
    model = model_of(problem, training, parameters)
    weights = problem.named(training, parameters)
    rows, history = encodings(problem)
    tags = model.tag_encoding(rows, 1, history)
    copy = _native.Model.read(model.write({}, {}, False))
    assert np.array_equal(copy.tag_encoding(rows, 2, history), tags)
    pairs = model.score_edges_of_encoding(rows, history).reshape(-1, problem.base.labels, problem.base.labels)
    token = 0
    for number, sentence in enumerate(problem.base.rows):
        scores = problem.scores(weights, number)
        most = max(scores.values())
        # Ties go to the smaller label, from the last token on.
        best = min((labels for labels, score in scores.items() if score == most), key=lambda labels: labels[::-1])
        assert tuple(tags[token : token + len(sentence)].tolist()) == best
        for t in range(1, len(sentence)):
            for a, b in np.ndindex(problem.base.labels, problem.base.labels):
                expected = weights.transitions[a, b] + sum(
                    weights.cells.get((k, a, b), 0.0) * value for k, value in problem.history[number][t]
                )
                assert pairs[token + t, a, b] == expected
        token += len(sentence)


@pytest.mark.parametrize("labels", [2, 8, 13, 22, 31, 45, 55])
def test_tags_score_as_the_perceptron_finds(labels: int) -> None:
    """For every length of rows: the perceptron, which knows no model, calls the same tokens wrong."""
    problem = larger(labels)
    training = problem.training_set()
    parameters = np.random.default_rng(3).integers(-3, 4, training.parameter_count).astype(np.float32)
    rows, history = encodings(problem)
    tags = model_of(problem, training, parameters).tag_encoding(rows, 1, history)
    gold = np.concatenate(problem.base.gold)
    learner = _native.Perceptron(
        training, True, 1, np.zeros(len(problem.base.rows), np.float32)
    )  # weights of zero: it only looks
    learner.start_from(parameters)
    assert learner.epoch() == int((tags != gold).sum()) > 0


def test_a_model_without_what_it_needs() -> None:
    problem = larger(3)
    training = problem.training_set()
    model = model_of(problem, training, np.ones(training.parameter_count))
    rows, history = encodings(problem)
    assert model.has_history
    with pytest.raises(_native.InputFault, match="needs the transition features"):
        model.tag_encoding(rows, 1)
    with pytest.raises(_native.InputFault, match="features that the model does not have"):
        model.tag_encoding(rows, 1, encoding([[[(7, 1.0)] for _ in item] for item in problem.history], 8))
    # Weights that are all zero leave nothing behind.
    plain = model_of(problem, training, np.zeros(training.parameter_count))
    assert not plain.has_history
    assert np.array_equal(plain.tag_encoding(rows, 1), plain.tag_encoding(rows, 1, history))
    with pytest.raises(_native.InputFault, match="weights of transition features"):
        _native.TransitionWeights(training, NONE, None, 5)
    bad = np.full(training.parameter_count, np.nan)
    bad[: training.cell_count + 15] = 0
    with pytest.raises(_native.InputFault, match="infinite or not a number"):
        model_of(problem, training, bad)
