"""L-BFGS: the exact minimum of the smooth objective, in double precision."""

from __future__ import annotations

import numpy as np

from tagpool.errors import InputError, TrainingError
from tagpool.optim.problem import Problem
from tagpool.optim.sgd import SGD
from tagpool.optim.trainer import Trainer, check_positive, check_whole
from tagpool.optim.watch import Watch, Weights

_SCORED_EVERY = 10


class LBFGS(Trainer):
    """Limited-memory BFGS (Nocedal and Wright, chapter 7) for ℓ2, after ``warm_up`` epochs of stochastic descent.

    It stops after ``iterations``, or when the objective fell by less than ``tolerance`` of itself over ten iterations. The dev
    set is scored every ten iterations.
    """

    def __init__(self, *, iterations: int = 500, tolerance: float = 1e-5, memory: int = 6, warm_up: int = 5) -> None:
        self.iterations = iterations
        self.tolerance = tolerance
        self.memory = memory
        self.warm_up = warm_up

    def _run(self, problem: Problem, watch: Watch) -> Weights:
        check_whole(self, "iterations", 1)
        check_whole(self, "memory", 1)
        check_whole(self, "warm_up", 0)
        check_positive(self, "tolerance")
        if problem.l1:
            raise InputError(f"the trainer lbfgs has no l1 penalty (got l1={problem.l1:g}): use owlqn or fobos")
        start = np.zeros(problem.parameter_count) if problem.start is None else problem.start.astype(np.float64)
        if self.warm_up:
            start = SGD(epochs=self.warm_up)._run(problem, Watch()).astype(np.float64)
        last = start

        def report(iteration: int, value: float, norm: float) -> bool:
            return watch.epoch(iteration, self.iterations, value, lambda: last.astype(np.float32), score=False)

        objective = problem.objective()
        last, _, value, _, _ = objective.minimise(start, self.iterations, self.memory, 1e-7, self.tolerance, 10, report)
        if not np.isfinite(value):
            raise TrainingError("the objective is not finite; check the values of the features")
        return last.astype(np.float32)
