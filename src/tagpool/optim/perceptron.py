"""The averaged perceptron (Collins 2002): no probabilities, only mistakes."""

from __future__ import annotations

from tagpool import _native
from tagpool.optim.problem import Problem
from tagpool.optim.trainer import Trainer, check_whole, refuse_l1
from tagpool.optim.watch import Watch, Weights


class Perceptron(Trainer):
    """The averaged structured perceptron: weights move only where the best sequence is wrong.

    It has no penalty: the problem's l2 is not used. The loss of an epoch is the number of wrong tokens. Its scores are not
    calibrated as probabilities.

    >>> from tagpool import CRF, builtin_corpus
    >>> corpus = builtin_corpus(50)
    >>> CRF("word[-1..1]", trainer=Perceptron(epochs=5)).fit(corpus).score(corpus) > 0.9
    True
    """

    def __init__(self, *, epochs: int = 20) -> None:
        self.epochs = epochs

    def _run(self, problem: Problem, watch: Watch) -> Weights:
        check_whole(self, "epochs", 1)
        refuse_l1(problem, "perceptron")
        learner = _native.Perceptron(problem.training, problem.chain, problem.seed, problem.example_weights)
        if problem.start is not None:
            learner.start_from(problem.start)
        for number in range(1, self.epochs + 1):
            wrong = learner.epoch()
            if not watch.epoch(number, self.epochs, wrong, learner.parameters) or wrong == 0:
                break
        return learner.parameters()
