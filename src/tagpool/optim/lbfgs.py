"""L-BFGS and OWL-QN: trainers that find the exact minimum, in double precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tagpool import _native
from tagpool.errors import InputError, TrainingError
from tagpool.lazy import TYPE_CHECKING, LazyModule
from tagpool.optim.problem import Problem
from tagpool.optim.sgd import SGD
from tagpool.optim.trainer import Trainer, refuse_l1
from tagpool.optim.watch import Watch, Weights
from tagpool.parameters import Exclusive, declare_parameters, parameter

if TYPE_CHECKING:
    import numpy as np
else:
    np = LazyModule("numpy")

_SCORED_EVERY = 10
_GRADIENT_TOLERANCE = 1e-7  # most runs end earlier, by the tolerance of the objective


@declare_parameters
class QuasiNewton(Trainer):
    """Base of L-BFGS and OWL-QN. The dev set is scored every ten iterations."""

    full_batch = True

    iterations: int = parameter(default=500, minimum=1, help="Maximum number of iterations.")
    tolerance: float = parameter(
        default=1e-5,
        minimum=Exclusive(0),
        tune=(1e-6, 1e-3),
        help="Stop when the objective fell by less than this share of itself over ten iterations.",
    )
    memory: int = parameter(default=6, minimum=1, help="Updates kept to approximate the inverse Hessian.")

    def check_workers(self) -> None:
        """Allow workers: every step reads all sentences."""

    def _minimise(self, problem: Problem, watch: Watch, start: Weights | None) -> Weights:
        objective = problem.objective()
        state: bytes | None = None

        def current() -> Weights:
            return objective.here().astype(np.float32)

        def report(iteration: int, value: float, *_: float) -> bool:
            score = iteration % _SCORED_EVERY == 0
            return watch.epoch(iteration, self.iterations, value, current, score=score, state=lambda: ({}, objective.state()))

        def restore(_: dict[str, Any], block: bytes) -> Callable[[], Weights]:
            nonlocal state
            state = block
            return current

        watch.restore(restore)

        options = _native.LbfgsOptions(
            iterations=self.iterations,
            memory=self.memory,
            gradient_tolerance=_GRADIENT_TOLERANCE,
            value_tolerance=self.tolerance,
            l1=problem.l1,
        )
        first = np.zeros(problem.parameter_count) if start is None else np.asarray(start, np.float64)
        weights, _, value, _, _ = objective.minimise(first, options, report, state)
        if not np.isfinite(value):
            raise TrainingError("the objective is not finite; check the values of the features")
        return weights.astype(np.float32)


@declare_parameters
class LBFGS(QuasiNewton):
    """Limited-memory BFGS (Nocedal and Wright, chapter 7) for ℓ2, after a warm-up by stochastic descent.

    >>> from tagpool import CRF, builtin_corpus
    >>> crf = CRF("word[-1..1]", trainer=LBFGS(tolerance=1e-6)).fit(builtin_corpus(50))
    >>> crf.log_[0].loss > crf.log_[-1].loss
    True
    """

    kind = "lbfgs"
    merges_twins = True

    warm_up: int = parameter(default=5, minimum=0, help="Epochs of stochastic descent before the first iteration.")

    def check_workers(self) -> None:
        """Raise an error with a warm-up, which changes the weights after every few sentences."""
        if self.warm_up:
            raise InputError(
                f"warm_up = {self.warm_up}: the warm-up of lbfgs stays in one process; use LBFGS(warm_up=0) with an engine"
            )

    def _run(self, problem: Problem, watch: Watch) -> Weights:
        refuse_l1(problem, "lbfgs")
        start = problem.start
        if self.warm_up and not watch.is_restorable:
            start = SGD(epochs=self.warm_up).train(problem, watch.part("warm-up"))
        return self._minimise(problem, watch, start)


class OWLQN(QuasiNewton):
    """Orthant-wise L-BFGS (Andrew and Gao 2007) for ℓ1, alone or with ℓ2: many weights become exactly zero.

    >>> from tagpool import CRF, builtin_corpus
    >>> crf = CRF("word[-1..1]", l1=1.0, l2=0.0, trainer=OWLQN()).fit(builtin_corpus(50))
    >>> crf.weight_count < crf.feature_count * len(crf.labels_)
    True
    """

    kind = "owlqn"

    @property
    def unused_penalties(self) -> frozenset[str]:  # noqa: D102
        return frozenset()

    def _run(self, problem: Problem, watch: Watch) -> Weights:
        return self._minimise(problem, watch, problem.start)
