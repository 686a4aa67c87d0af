"""FOBOS: forward-backward splitting, for penalties that are not smooth (Duchi and Singer 2009; algorithms.md §2)."""

from __future__ import annotations

import numpy as np

from tagpool import _native
from tagpool.errors import InputError
from tagpool.optim.problem import Problem
from tagpool.optim.stochastic import descend
from tagpool.optim.trainer import Trainer, check_positive, check_whole, refuse_l1
from tagpool.optim.watch import Watch, Weights

PENALTIES = ("elastic", "group", "elitist")


class FOBOS(Trainer):
    """Proximal stochastic descent: a gradient step, then the penalty's own step, put off for features that are not met.

    ``penalty`` is "elastic" (the problem's l1 and l2), "group" or "elitist". The last two act on the weights of one feature
    for all labels, with the ``strength`` λ: λ Σ_g ‖θ_g‖₂, which drops whole features, and (λ/2) Σ_g (Σ_m |θ_gm|)², which
    makes a feature choose few labels; the problem's l2 then holds beside "group". ``epochs``, ``batch`` and ``step`` are as
    in :class:`SGD`.

    >>> from tagpool import CRF, builtin_corpus
    >>> crf = CRF("word[-1..1]", l1=0.5, trainer=FOBOS(epochs=5)).fit(builtin_corpus(50))
    >>> crf.weight_count < CRF("word[-1..1]").fit(builtin_corpus(50)).weight_count
    True
    """

    def __init__(
        self,
        *,
        penalty: str = "elastic",
        strength: float = 1.0,
        epochs: int = 20,
        step: float | None = None,
        batch: int = 8,
    ) -> None:
        self.penalty = penalty
        self.strength = strength
        self.epochs = epochs
        self.step = step
        self.batch = batch

    def _run(self, problem: Problem, watch: Watch) -> Weights:
        check_whole(self, "epochs", 1)
        if self.step is not None:
            check_positive(self, "step")
        check_whole(self, "batch", 1)
        if self.penalty not in PENALTIES:
            raise InputError(f"FOBOS(penalty={self.penalty!r}): expected one of {', '.join(PENALTIES)}")
        strength, ridge = problem.l1, problem.l2
        if self.penalty != "elastic":
            check_positive(self, "strength")
            refuse_l1(problem, f"fobos with the penalty {self.penalty}")
            strength = self.strength
        if self.penalty == "elitist":
            ridge = 0.0

        def begin(step: float) -> _native.Fobos:
            learner = _native.Fobos(
                problem.training,
                problem.chain,
                self.penalty,
                strength,
                ridge,
                step,
                problem.seed,
                problem.example_weights,
                self.batch,
                problem.threads,
            )
            if problem.start is not None:
                learner.start_from(problem.start.astype(np.float64))
            return learner

        return descend(begin, self.step or 0.0, self.epochs, watch)
