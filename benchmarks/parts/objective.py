"""Loss and gradient, and the time to the optimum: the same objective on both sides.

python-crfsuite minimises the summed loss + c2·|w|²; ours has l2/2·|w|², so that l2=2 is c2=1. It has weights for the transitions
it has seen; ours has them for all, and for the first and the last label too, so that its optimum lies a little lower.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from measure import fastest
from numpy.typing import NDArray
from table import Row, speedup
from tasks import Task
from trained import their_tagger, theirs

import tagpool
from tagpool.optim.problem import Problem
from tagpool.optim.trainer import Trainer
from tagpool.optim.watch import Watch, Weights

_L2 = 2.0
_FEW, _MORE = 4, 24  # iterations
_NEAR = 1e-4


class CaptureProblem(Trainer):
    """Trainer that only stores the problem, in the layout of L-BFGS."""

    full_batch = True
    problem: Problem

    def __init__(self) -> None:
        pass

    def _run(self, problem: Problem, watch: Watch) -> Weights:
        self.problem = problem
        return np.zeros(problem.parameter_count, np.float32)


def gradient(tasks: list[Task]) -> Iterator[Row]:
    for task in tasks:
        few, more = (theirs(task, iterations) for iterations in (_FEW, _MORE))
        evaluations = more.evaluations - few.evaluations
        them = (more.training - few.training) / evaluations
        corpus = task.read("train")
        keeper = CaptureProblem()
        crf = tagpool.CRF(l2=_L2, pairs="observed", trainer=keeper).fit(task.features(corpus)(), corpus.labels)
        weights = _their_weights(task, crf, keeper.problem)
        objective = keeper.problem.objective()
        value, _ = objective(weights)
        loss = theirs(task).losses[-1]
        us = fastest({"": lambda objective=objective, weights=weights: objective(weights)}, 10)[""]
        apart = abs(value - loss) / loss
        yield speedup(
            f"{task.name}: one full-batch loss and gradient, observed pairs, same weights",
            them / us.cpu,
            f"tagpool's objective at the weights python-crfsuite ended with, minimum of 10: {us}; python-crfsuite: CPU time of "
            f"training for {_MORE} iterations less that for {_FEW}, over {evaluations} evaluations of its line search (its step "
            f"included): {them * 1e3:.0f} ms. Value there: {value:.4f}, by its log {loss:.4f}",
            unless="but not the same value" if apart > 1e-6 else "",
        )


def _their_weights(task: Task, crf: tagpool.CRF, problem: Problem) -> NDArray[np.float64]:
    """The weights of python-crfsuite's model at the places of our problem; start and end, which it does not have, are zero."""
    known = their_tagger(task).info()
    names: list[str] = crf._encoder.feature_names
    labels = crf.labels_
    weights = np.zeros(problem.parameter_count)
    pairs = zip(problem.training.cell_features().tolist(), problem.training.cell_labels().tolist(), strict=True)
    result = [known.state_features.get((names[feature], labels[label]), 0.0) for feature, label in pairs]
    weights[: len(result)] = result
    edges = [known.transitions.get((before, after), 0.0) for before in labels for after in labels]
    weights[len(result) : len(result) + len(edges)] = edges
    return weights


def optimum(tasks: list[Task]) -> Iterator[Row]:
    for task in tasks:
        them = theirs(task)
        target = them.losses[-1] * (1 + _NEAR)
        corpus = task.read("train")
        log: list[Any] = []

        def until(corpus: tagpool.Corpus = corpus, task: Task = task, target: float = target, log: list[Any] = log) -> None:
            trainer = tagpool.LBFGS(iterations=1000, tolerance=1e-7)
            crf = tagpool.CRF(task.templates, l2=_L2, pairs="observed", trainer=trainer)
            log[:] = crf.fit(corpus, on_epoch=lambda epoch: epoch.loss > target).log_

        us = fastest({"": until}, 2)[""]
        yield speedup(
            f"{task.name}: to the objective of python-crfsuite's L-BFGS at its end, within 1e-4",
            them.training / us.cpu,
            f"tagpool: CRF(l2=2, pairs='observed', trainer=LBFGS()).fit until the objective is there ({log[-1].loss:.2f} after "
            f"{tagpool.LBFGS().warm_up} epochs of SGD and {len(log)} iterations), features included, minimum of 2: {us}; "
            f"python-crfsuite: train() alone, once, {len(them.losses)} iterations to {them.losses[-1]:.2f}: "
            f"{them.training:.3g} s CPU. tagpool's model also has weights for first and last labels and for transitions "
            "never seen",
            unless="" if log[-1].loss <= target else "but not there",
        )
        yield Row(
            "… against the time until python-crfsuite itself was within 1e-4 of its end",
            f"{them.seconds_until(target) / us.cpu:.1f}×",
            f"by its log: {them.seconds_until(target):.3g} s CPU",
        )
