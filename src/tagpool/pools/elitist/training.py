"""ElitistTrainer: the training of experts that are found together, as a trainer of the one model they collapse to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.errors import InputError
from tagpool.optim.problem import Problem
from tagpool.optim.stochastic import descend
from tagpool.optim.trainer import Trainer
from tagpool.optim.watch import Watch, Weights


@dataclass(frozen=True, eq=False)
class Layout:
    """Which weight of a model each parameter is: of a pair (feature, label), then of an edge."""

    pair_count: int
    features: NDArray[np.uint32]
    labels: NDArray[np.uint16]
    edges: NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class Members:
    """The experts of a pool: ``weights`` has a row for each, ``alpha`` how much it counts."""

    weights: Weights
    alpha: NDArray[np.float64]

    @classmethod
    def of(cls, parameters: Weights, experts: int) -> Members:
        """From what a learner has: the weights of expert after expert, then α."""
        return cls(parameters[:-experts].reshape(experts, -1), parameters[-experts:].astype(np.float64))

    def collapsed(self) -> Weights:
        """The weights of the one model that the pool is: Σ_j α_j W_j.

        >>> Members(np.ones((2, 3), np.float32), np.array([0.25, 0.75])).collapsed().tolist()
        [1.0, 1.0, 1.0]
        """
        total = np.zeros(self.weights.shape[1])
        for alpha, row in zip(self.alpha.tolist(), self.weights, strict=True):  # one by one: no second copy of all
            total += alpha * row
        return total.astype(np.float32)


class ElitistTrainer(Trainer):
    """Trains a pool on the problem of a single model, and keeps the members that the weights it returns come from."""

    def __init__(
        self,
        *,
        alpha: tuple[float, ...],
        learn_alpha: bool,
        penalty: str,
        strength: float,
        mu: float,
        epochs: int,
        batch: int,
        step: float | None,
    ) -> None:
        self.alpha = alpha
        self.learn_alpha = learn_alpha
        self.penalty = penalty
        self.strength = strength
        self.mu = mu
        self.epochs = epochs
        self.batch = batch
        self.step = step
        self.layout: Layout | None = None
        self.members: Members | None = None

    def train(self, problem: Problem, watch: Watch) -> Weights:
        """The collapsed weights. The watch sees those of all members; its dev set is scored with the collapsed ones."""
        self.layout = _layout(problem)
        score = watch.evaluate
        if score is not None:
            watch.evaluate = lambda parameters: score(self._members(parameters).collapsed())
        try:
            self.members = self._members(super().train(problem, watch))
        except KeyboardInterrupt:
            kept = watch.kept()
            if kept is not None:
                self.members = self._members(kept)
                watch.keep(self.members.collapsed())
            raise
        return self.members.collapsed()

    def _members(self, parameters: Weights) -> Members:
        return Members.of(parameters, len(self.alpha))

    def _run(self, problem: Problem, watch: Watch) -> Weights:
        def begin(step: float) -> _native.Elitist:
            options = _native.ElitistOptions(
                penalty=self.penalty,
                strength=self.strength,
                mu=self.mu,
                step=step,
                seed=problem.seed,
                batch=self.batch,
                threads=problem.threads,
            )
            alpha = np.array(self.alpha, np.float64)
            return _native.Elitist(problem.training, problem.chain, options, alpha, self.learn_alpha, problem.example_weights)

        return descend(begin, self.step or 0.0, self.epochs, watch)


def _layout(problem: Problem) -> Layout:
    training = problem.training
    if len(training.triples()[0]):
        raise InputError("the experts of a pool have no features of transitions: leave out templates with label[-1]")
    edges = training.edges() if problem.chain else np.zeros(0, np.uint32)
    return Layout(training.pair_count, training.pair_features(), training.pair_labels(), edges)
