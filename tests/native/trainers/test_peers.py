"""The minima other programs find for the same objective: scikit-learn's logistic regression, CRFsuite's L-BFGS and OWL-QN."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import numpy as np
import pycrfsuite
import pytest
import sklearn
from oracles.training import random_problem
from sklearn.linear_model import LogisticRegression

from tagpool import Encoder, _native, read_corpus

NONE = np.zeros(0, np.float32)


def test_lbfgs_reaches_logistic_regression() -> None:
    """MaxEnt with all pairs is multinomial logistic regression: scikit-learn finds the same minimum."""
    problem = random_problem(80, 5, 3, 8, seed=5)
    training = problem.training_set(all_pairs=True)
    objective = _native.Objective(training, False, 0.5, NONE, 1)
    result, _, value, _, _ = objective.minimise(
        np.zeros(objective.parameter_count),
        _native.LbfgsOptions(iterations=1000, memory=6, gradient_tolerance=1e-10, value_tolerance=0.0),
    )
    gold = [label for sentence in problem.gold for label in sentence]
    peer = LogisticRegression(C=1 / 0.5, fit_intercept=False, tol=1e-10, max_iter=5000).fit(problem.matrix(), gold)
    assert np.allclose(result.reshape(problem.features, 3), peer.coef_.T, atol=1e-4)
    assert value == pytest.approx(objective(np.ascontiguousarray(peer.coef_.T).ravel())[0], rel=1e-8)


@pytest.mark.parametrize("share", [1.0, 0.4])
def test_owlqn_reaches_elastic_net_regression(share: float) -> None:
    problem = random_problem(80, 5, 3, 8, seed=6)
    strength = 3.0
    objective = _native.Objective(problem.training_set(all_pairs=True), False, (1 - share) * strength, NONE, 1)
    l1 = share * strength
    result, _, value, _, _ = objective.minimise(
        np.zeros(objective.parameter_count),
        _native.LbfgsOptions(iterations=2000, memory=6, gradient_tolerance=1e-10, value_tolerance=0.0, l1=l1),
    )
    older = {"penalty": "elasticnet"} if tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 8) else {}
    peer = LogisticRegression(
        C=1 / strength, l1_ratio=share, solver="saga", fit_intercept=False, tol=1e-9, max_iter=20_000, random_state=1, **older
    ).fit(problem.matrix(), [label for sentence in problem.gold for label in sentence])
    weights = np.ascontiguousarray(peer.coef_.T).ravel()
    assert value == pytest.approx(objective(weights)[0] + l1 * float(np.abs(weights).sum()), rel=1e-7)
    assert np.allclose(result, weights, atol=1e-4)


def loss_of_crfsuite(
    rows: list[list[list[str]]], gold: list[list[int]], folder: Path, possible_transitions: bool, c1: float, c2: float
) -> float:
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params(
        {
            "c1": c1,
            "c2": c2,
            "feature.possible_transitions": possible_transitions,
            "feature.possible_states": False,
            "max_iterations": 1000,
            "epsilon": 1e-6,
            "delta": 1e-9,
        }
    )
    for sentence, labels in zip(rows, gold, strict=True):
        trainer.append(sentence, [str(label) for label in labels])
    trainer.train(str(folder / "model"))
    return float(trainer.logparser.last_iteration["loss"])


def our_loss(training: _native.TrainingSet, c1: float, c2: float) -> float:
    """CRFsuite's penalty is c2 |w|^2, ours l2/2 |w|^2."""
    objective = _native.Objective(training, True, 2 * c2, NONE, 1)
    return objective.minimise(
        np.zeros(objective.parameter_count),
        _native.LbfgsOptions(iterations=2000, memory=6, gradient_tolerance=1e-7, value_tolerance=1e-10, l1=c1),
    )[2]


@pytest.mark.parametrize("all_transitions", [True, False])
@pytest.mark.parametrize(("c1", "c2"), [(0.0, 1.0), (0.0, 0.05), (0.5, 0.1)])
def test_crfsuite_has_the_same_minimum(all_transitions: bool, c1: float, c2: float, tmp_path: Path) -> None:
    problem = random_problem(100, 6, 5, 30, seed=8)
    rows = [[[str(k) for k, _ in token] for token in sentence] for sentence in problem.rows]
    training = problem.training_set(all_pairs=False, boundaries=False, all_transitions=all_transitions)
    theirs = loss_of_crfsuite(rows, problem.gold, tmp_path, all_transitions, c1, c2)
    assert our_loss(training, c1, c2) == pytest.approx(theirs, rel=1e-4)
    # The options do something: with all the weights we have, the minimum is another.
    assert our_loss(problem.training_set(all_pairs=True), c1, c2) < theirs * (1 - 1e-3)


@pytest.mark.skipif("TAGPOOL_DATA" not in os.environ, reason="TAGPOOL_DATA is not set")
def test_crfsuite_has_the_same_minimum_on_conll2000(tmp_path: Path) -> None:
    corpus = read_corpus(Path(os.environ["TAGPOOL_DATA"], "conll2000", "train.txt.gz"))[:300]
    encoder = Encoder("word[-1..1]\npos[-1..1]\npos[-1] & pos[0]")
    encoded = encoder.fit_transform(corpus)
    gold = np.asarray(encoded.labels, np.int32)
    labels = len(encoder.labels_)
    layout = _native.Layout(all_cells=False, boundaries=False, all_transitions=False)
    training = _native.TrainingSet(encoded.native, gold, encoder.feature_count, labels, layout)
    starts, ids = encoded.native.starts(), encoded.native.ids().tolist()
    tokens = [[str(k) for k in ids[a:b]] for a, b in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)]
    bounds = encoded.native.sentences().tolist()
    spans = list(itertools.pairwise(bounds))
    theirs = loss_of_crfsuite([tokens[a:b] for a, b in spans], [gold[a:b].tolist() for a, b in spans], tmp_path, False, 0.0, 1.0)
    assert our_loss(training, 0.0, 1.0) == pytest.approx(theirs, rel=1e-4)
