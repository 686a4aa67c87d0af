"""Stochastic training of CRFsuite models: the problem that a trainer gets, and the epochs after which it stops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tagpool import _native
from tagpool.compat.pycrfsuite import descent
from tagpool.compat.pycrfsuite.errors import CRFSuiteError
from tagpool.compat.pycrfsuite.parameters import UNLIMITED, Parameters
from tagpool.errors import TrainingError
from tagpool.optim.problem import Problem
from tagpool.optim.watch import Watch


class Recorder:
    """A trainer whose losses are known. It records its problem and how many epochs it may take."""

    losses: tuple[float, ...] = ()

    def __init__(self, kind: str, epochs: int) -> None:
        self.kind, self.epochs = kind, epochs

    def train(self, problem: Problem, watch: Watch) -> Any:
        self.problem = problem
        for number, loss in enumerate(self.losses[: self.epochs], 1):
            if not watch.epoch(number, self.epochs, loss, lambda number=number: np.full(2, number, np.float32)):
                break
        return np.full(problem.parameter_count, 0.5, np.float32)


Descend = Callable[..., tuple[Recorder, list[tuple[int, float, float]]]]


@pytest.fixture
def descend(monkeypatch: pytest.MonkeyPatch) -> Descend:
    trainers: list[Recorder] = []

    def factory(kind: str) -> Callable[[int], Recorder]:
        def create(epochs: int) -> Recorder:
            trainers.append(Recorder(kind, epochs))
            return trainers[-1]

        return create

    monkeypatch.setattr(descent, "SGD", factory("sgd"))
    monkeypatch.setattr(descent, "Perceptron", factory("perceptron"))
    instances = _native.Instances()
    instances.append([["a"], ["b"]], ["X", "Y"], 0)
    training = instances.training_set(False, False, True, True)

    def run(
        algorithm: str, losses: list[float], tokens: int = 100, **values: Any
    ) -> tuple[Recorder, list[tuple[int, float, float]]]:
        parameters = Parameters(algorithm)
        for name, value in values.items():
            parameters.set(name.replace("tagpool_", "tagpool."), value)
        Recorder.losses = tuple(losses)
        reports: list[tuple[int, float, float]] = []
        weights = descent.descend(
            training, parameters, tokens, lambda number, loss, get: reports.append((number, loss, float(get()[0])))
        )
        assert (len(weights), weights.active()) == (training.parameter_count, training.parameter_count)
        return trainers[-1], reports

    return run


@pytest.mark.parametrize(
    ("algorithm", "kind", "l2"),
    [("lbfgs", "sgd", 0.5), ("l2sgd", "sgd", 0.5), ("averaged-perceptron", "perceptron", 0.0), ("arow", "perceptron", 0.0)],
)
def test_the_problem_has_the_values_of_the_parameters(descend: Descend, algorithm: str, kind: str, l2: float) -> None:
    values = {"c2": 0.25} if kind == "sgd" else {}
    trainer, _ = descend(algorithm, [3.0], **values, tagpool_seed=7, tagpool_threads=3)
    assert (trainer.kind, trainer.problem.chain, trainer.problem.l2) == (kind, True, l2)
    assert (trainer.problem.seed, trainer.problem.threads) == (7, 3)


def test_the_number_of_epochs(descend: Descend) -> None:
    assert descend("lbfgs", [9.0], tagpool_epochs=4)[0].epochs == 4
    assert descend("l2sgd", [9.0], max_iterations=5)[0].epochs == 5
    assert descend("l2sgd", [9.0], max_iterations=0)[0].epochs == UNLIMITED
    assert descend("averaged-perceptron", [9.0], max_iterations=6)[0].epochs == 6


def test_sgd_instead_of_lbfgs_takes_all_its_epochs(descend: Descend) -> None:
    _, reports = descend("lbfgs", [5.0, 5.0, 5.0, 0.0], tagpool_epochs=4)
    assert reports == [(1, 5.0, 1.0), (2, 5.0, 2.0), (3, 5.0, 3.0), (4, 0.0, 4.0)]


@pytest.mark.parametrize(
    ("losses", "epochs"),
    [
        ([100, 90, 80, 70, 60], 5),  # the loss falls by much more than 10 percent in two epochs
        ([100, 90, 89, 88, 87], 4),  # from 90 to 88: by less than 10 percent
        ([100, 99, 98, 97], 3),
        ([100, 200, 100, 100], 3),  # compared with the loss two epochs before, not with the last one
        ([110, 100, 100, 90], 4),  # by 10 percent exactly: 110 - 100 = 0.1 · 100
        ([-100, -105, -109, -200], 3),  # by less than 10 percent of the absolute value
    ],
)
def test_l2sgd_stops_if_the_loss_falls_by_less_than_delta_over_a_period(
    descend: Descend, losses: list[float], epochs: int
) -> None:
    assert len(descend("l2sgd", losses, period=2, delta=0.1)[1]) == epochs


@pytest.mark.parametrize(("losses", "epochs"), [([30, 20, 11, 5], 4), ([30, 10, 5, 1], 2), ([30, 10.5, 9, 1], 3), ([0, 5], 1)])
def test_the_perceptron_stops_at_a_share_of_wrong_tokens(descend: Descend, losses: list[float], epochs: int) -> None:
    assert len(descend("averaged-perceptron", losses, tokens=100, epsilon=0.1)[1]) == epochs


def test_a_divergence_is_an_error_of_crfsuite(descend: Descend, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Recorder, problem: Problem, watch: Watch) -> Any:
        raise TrainingError("the loss diverged")

    monkeypatch.setattr(Recorder, "train", fail)
    with pytest.raises(CRFSuiteError) as error:
        descend("l2sgd", [1.0])
    assert error.value.args == ("the loss diverged",)
