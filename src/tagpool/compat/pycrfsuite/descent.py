"""Averaged stochastic gradient descent on CRFsuite's objective (tagpool.trainer=sgd)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tagpool import _native
from tagpool.compat.pycrfsuite.errors import CRFSuiteError
from tagpool.compat.pycrfsuite.parameters import Parameters
from tagpool.errors import TrainingError
from tagpool.optim.problem import Problem
from tagpool.optim.sgd import SGD
from tagpool.optim.watch import Epoch, Watch, Weights

Report = Callable[[int, float, Callable[[], Weights]], None]


def descend(training: _native.TrainingSet, parameters: Parameters, report: Report) -> _native.TrainedWeights:
    """Train and return the weights; ``report`` gets the number of each epoch, its loss and a getter of the weights."""
    get = parameters.get

    def on_epoch(epoch: Epoch) -> bool:
        report(epoch.number, epoch.loss, lambda: np.asarray(watch.best_or_latest()))
        return True

    watch = Watch(on_epoch=on_epoch)
    problem = Problem(training, True, l2=2 * get("c2"), seed=get("tagpool.seed"), threads=get("tagpool.threads"))
    try:
        return create_weights(training, SGD(epochs=get("tagpool.epochs")).train(problem, watch))
    except TrainingError as error:
        raise CRFSuiteError(str(error)) from None


def create_weights(training: _native.TrainingSet, weights: Weights) -> _native.TrainedWeights:
    """Return weights in double precision, as the model file has them."""
    return _native.TrainedWeights(training, np.asarray(weights, np.float64))
