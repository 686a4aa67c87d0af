"""Stochastic training of a CRFsuite model: SGD or the averaged perceptron."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from tagpool import _native
from tagpool.compat.pycrfsuite.errors import CRFSuiteError
from tagpool.compat.pycrfsuite.parameters import L2SGD, LBFGS, UNLIMITED, Parameters
from tagpool.errors import TrainingError
from tagpool.optim.perceptron import Perceptron
from tagpool.optim.problem import Problem
from tagpool.optim.sgd import SGD
from tagpool.optim.watch import Epoch, Watch, Weights

Report = Callable[[int, float, Callable[[], Weights | None]], None]


def descend(training: _native.TrainingSet, parameters: Parameters, tokens: int, report: Report) -> _native.TrainedWeights:
    """Train and return the weights; ``report`` gets the number of each epoch, its loss and a getter of the weights."""
    get, algorithm = parameters.get, parameters.algorithm
    recent: deque[float] = deque(maxlen=get("period") if algorithm == L2SGD else 1)

    def on_epoch(epoch: Epoch) -> bool:
        report(epoch.number, epoch.loss, watch.best_or_latest)
        if algorithm == LBFGS:
            return True
        if algorithm != L2SGD:
            return bool(epoch.loss > get("epsilon") * tokens)
        converged = len(recent) == recent.maxlen and recent[0] - epoch.loss < get("delta") * abs(epoch.loss)
        recent.append(epoch.loss)
        return not bool(converged)

    watch = Watch(on_epoch=on_epoch)
    epochs = get("tagpool.epochs") if algorithm == LBFGS else get("max_iterations") or UNLIMITED
    trainer = SGD(epochs=epochs) if algorithm in (LBFGS, L2SGD) else Perceptron(epochs=epochs)
    l2 = 2 * get("c2") if algorithm in (LBFGS, L2SGD) else 0.0
    problem = Problem(training, True, l2=l2, seed=get("tagpool.seed"), threads=get("tagpool.threads"))
    try:
        weights = trainer.train(problem, watch)
    except TrainingError as error:
        raise CRFSuiteError(str(error)) from None
    return _native.TrainedWeights(training, weights.astype(np.float64))
