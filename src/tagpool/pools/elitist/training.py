"""Training of an elitist pool: all members together, on the training set of a single model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.errors import InputError
from tagpool.experts.linear.training import LinearTraining
from tagpool.optim.problem import Problem
from tagpool.optim.stochastic import descend
from tagpool.optim.trainer import Trainer
from tagpool.optim.watch import Watch, Weights
from tagpool.parameters import Exclusive, declare_parameters, parameter


@declare_parameters
class ElitistTrainer(Trainer):
    """FOBOS on all members at once."""

    weights: Sequence[float] = parameter(help="Initial weights of the members.")
    learn_weights: bool = parameter(help="Whether the weights of the members are learned.")
    penalty: str = parameter(choices=("elitist", "elitist-approximate", "l1"), help="Penalty.")
    strength: float = parameter(minimum=0, help="Strength of the penalty.")
    mu: float = parameter(minimum=0, maximum=1, help="Part of the loss of single members.")
    epochs: int = parameter(minimum=1, help="Passes over the sentences.")
    batch: int = parameter(minimum=1, help="Sentences per step.")
    step: float | None = parameter(minimum=Exclusive(0), help="First step size; None: calibrated.")

    def split(self, parameters: Weights) -> tuple[Weights, NDArray[np.float64]]:
        """Divide the parameters of the native learner: [members][cells + edges], and the weights of the members."""
        parameters, count = np.asarray(parameters), len(self.weights)
        return parameters[:-count].reshape(count, -1), parameters[-count:].astype(np.float64)

    def result_size(self, parameter_count: int) -> int:
        """Return the number of parameters of the native learner."""
        return len(self.weights) * (parameter_count + 1)

    def model_weights(self, parameters: Weights) -> Weights:
        """Return the weights of the merged model: Σ_j α_j W_j."""
        rows, weights = self.split(parameters)
        total = np.zeros(rows.shape[1])
        for weight, row in zip(weights.tolist(), rows, strict=True):  # row by row, to save memory
            total += weight * row
        return total.astype(np.float32)

    def _run(self, problem: Problem, watch: Watch) -> Weights:
        if len(problem.training.transition_cells()[0]):
            raise InputError("an ElitistPool has no transition features: remove templates with label[-1]")

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


class ElitistTraining(LinearTraining):
    """A training of the merged model of an elitist pool, which also creates the models of the members."""

    trainer: ElitistTrainer
    models: tuple[_native.Model, ...] = ()
    weights: NDArray[np.float64]
    forgets = False  # all members have the same features

    def install(self, learned: Any, watch: Watch) -> None:
        """Set the merged model, then create the models of the members with its encoder."""
        rows, self.weights = self.trainer.split(learned)
        parts = [self.parts(row, None) for row in rows]
        super().install(learned, watch)
        self.models = tuple(map(self.model_of, parts))
