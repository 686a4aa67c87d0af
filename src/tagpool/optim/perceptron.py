"""Averaged structured perceptron (Collins 2002)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tagpool import _native
from tagpool.optim.problem import Problem
from tagpool.optim.trainer import Trainer, refuse_l1
from tagpool.optim.watch import TrainerState, Watch, Weights
from tagpool.parameters import declare_parameters, parameter


@declare_parameters
class Perceptron(Trainer):
    """Averaged structured perceptron: updates weights only where the best sequence is wrong.

    It ignores l2. The loss of an epoch is the number of wrong tokens. Its scores are not calibrated probabilities.

    >>> from tagpool import CRF, builtin_corpus
    >>> corpus = builtin_corpus(50)
    >>> CRF("word[-1..1]", trainer=Perceptron(epochs=5)).fit(corpus).score(corpus) > 0.9
    True
    """

    kind = "perceptron"

    epochs: int = parameter(default=20, minimum=1, tune=(5, 50), help="Passes over the sentences.")

    @property
    def unused_penalties(self) -> frozenset[str]:  # noqa: D102
        return frozenset({"l1", "l2"})

    def _run(self, problem: Problem, watch: Watch) -> Weights:
        refuse_l1(problem, "perceptron")
        learner = _native.Perceptron(problem.training, problem.chain, problem.seed, problem.example_weights)
        if problem.start is not None:
            learner.start_from(problem.start)

        def restore(_: dict[str, Any], block: bytes) -> Callable[[], Weights]:
            learner.restore(block)
            return learner.parameters

        def store() -> TrainerState:
            return {}, learner.state()

        for number in range(watch.restore(restore) + 1, self.epochs + 1):
            wrong = learner.epoch()
            has_next = wrong > 0
            if not watch.epoch(number, self.epochs, wrong, learner.parameters, state=store if has_next else None) or not has_next:
                break
        return learner.parameters()
