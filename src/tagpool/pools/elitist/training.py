"""ElitistTrainer: trains the members of an elitist pool together, on the training set of a single model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.errors import InputError
from tagpool.optim.problem import Problem
from tagpool.optim.stochastic import descend
from tagpool.optim.trainer import Trainer
from tagpool.optim.watch import Watch, Weights
from tagpool.parameters import Exclusive, declare_parameters, parameter


@dataclass(frozen=True, eq=False)
class CellLayout:
    """The feature and label of each cell, and the position of each edge, in the order of the trained weights."""

    cell_count: int
    features: NDArray[np.uint32]
    labels: NDArray[np.uint16]
    edges: NDArray[np.uint32]

    @classmethod
    def of(cls, problem: Problem) -> CellLayout:
        """Return the layout of a training set."""
        training = problem.training
        if len(training.transition_cells()[0]):
            raise InputError("an ElitistPool has no transition features: remove templates with label[-1]")
        edges = training.edges() if problem.chain else np.zeros(0, np.uint32)
        return cls(training.cell_count, training.cell_features(), training.cell_labels(), edges)


@dataclass(frozen=True, eq=False)
class ElitistMembers:
    """Members of a pool: ``parameters`` is [members][cells + edges], ``weights`` is [members]."""

    parameters: Weights
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, parameters: Weights, count: int) -> ElitistMembers:
        """Divide the parameters of the native learner: those of each member, then the weights of the members."""
        return cls(parameters[:-count].reshape(count, -1), parameters[-count:].astype(np.float64))

    def merge(self) -> Weights:
        """Return the weights of the merged model: Σ_j α_j W_j.

        >>> ElitistMembers(np.ones((2, 3), np.float32), np.array([0.25, 0.75])).merge().tolist()
        [1.0, 1.0, 1.0]
        """
        total = np.zeros(self.parameters.shape[1])
        for weight, row in zip(self.weights.tolist(), self.parameters, strict=True):  # row by row, to save memory
            total += weight * row
        return total.astype(np.float32)


@declare_parameters
class ElitistTrainer(Trainer):
    """FOBOS on all members at once. It is used for one training, and keeps the layout and members of it."""

    weights: Sequence[float] = parameter(help="Initial weights of the members.")
    learn_weights: bool = parameter(help="Whether the weights of the members are learned.")
    penalty: str = parameter(choices=("elitist", "elitist-approximate", "l1"), help="Penalty.")
    strength: float = parameter(minimum=0, help="Strength of the penalty.")
    mu: float = parameter(minimum=0, maximum=1, help="Part of the loss of single members.")
    epochs: int = parameter(minimum=1, help="Passes over the sentences.")
    batch: int = parameter(minimum=1, help="Sentences per step.")
    step: float | None = parameter(minimum=Exclusive(0), help="First step size; None: calibrated.")

    layout: CellLayout | None = None
    members: ElitistMembers | None = None

    def train(self, problem: Problem, watch: Watch) -> Weights:
        """Train all members; return their parameters."""
        self.layout = CellLayout.of(problem)
        try:
            parameters = super().train(problem, watch)
        except KeyboardInterrupt:
            kept = watch.best_or_latest()
            self.members = None if kept is None else self._members(kept)
            raise
        self.members = self._members(parameters)
        return parameters

    def model_weights(self, parameters: Weights) -> Weights:
        """Return the weights of the merged model."""
        return self._members(parameters).merge()

    def _members(self, parameters: Weights) -> ElitistMembers:
        return ElitistMembers.of(parameters, len(self.weights))

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
            weights = np.array(self.weights, np.float64)
            return _native.Elitist(problem.training, problem.chain, options, weights, self.learn_weights, problem.example_weights)

        return descend(begin, self.step or 0.0, self.epochs, watch)
