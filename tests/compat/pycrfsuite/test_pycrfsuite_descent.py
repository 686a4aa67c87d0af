"""Averaged SGD instead of L-BFGS: the problem that the trainer gets, and its epochs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tagpool import _native
from tagpool.compat.pycrfsuite import descent
from tagpool.compat.pycrfsuite.errors import CRFSuiteError
from tagpool.compat.pycrfsuite.parameters import Parameters
from tagpool.errors import TrainingError
from tagpool.optim.problem import Problem
from tagpool.optim.watch import Watch


class Recorder:
    """A trainer whose losses are known. It records its problem and its number of epochs."""

    losses: tuple[float, ...] = ()

    def __init__(self, epochs: int) -> None:
        self.epochs = epochs

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

    def create(epochs: int) -> Recorder:
        trainers.append(Recorder(epochs))
        return trainers[-1]

    monkeypatch.setattr(descent, "SGD", create)
    instances = _native.Instances()
    instances.append([["a"], ["b"]], ["X", "Y"], 0)
    training = instances.training_set(False, False, True, True)

    def run(losses: list[float], **values: Any) -> tuple[Recorder, list[tuple[int, float, float]]]:
        parameters = Parameters("lbfgs")
        for name, value in values.items():
            parameters.set(name.replace("tagpool_", "tagpool."), value)
        Recorder.losses = tuple(losses)
        reports: list[tuple[int, float, float]] = []
        weights = descent.descend(training, parameters, lambda number, loss, get: reports.append((number, loss, float(get()[0]))))
        assert (len(weights), weights.active()) == (training.parameter_count, training.parameter_count)
        return trainers[-1], reports

    return run


def test_the_problem_has_the_values_of_the_parameters(descend: Descend) -> None:
    trainer, _ = descend([3.0], c2=0.25, tagpool_seed=7, tagpool_threads=3)
    assert (trainer.problem.chain, trainer.problem.l2) == (True, 0.5)
    assert (trainer.problem.seed, trainer.problem.threads) == (7, 3)


def test_sgd_takes_all_its_epochs(descend: Descend) -> None:
    trainer, reports = descend([5.0, 5.0, 5.0, 0.0], tagpool_epochs=4)
    assert trainer.epochs == 4
    assert reports == [(1, 5.0, 1.0), (2, 5.0, 2.0), (3, 5.0, 3.0), (4, 0.0, 4.0)]


def test_a_divergence_is_an_error_of_crfsuite(descend: Descend, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Recorder, problem: Problem, watch: Watch) -> Any:
        raise TrainingError("the loss diverged")

    monkeypatch.setattr(Recorder, "train", fail)
    with pytest.raises(CRFSuiteError) as error:
        descend([1.0])
    assert error.value.args == ("the loss diverged",)
