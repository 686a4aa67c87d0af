"""Averaged stochastic gradient descent, the default trainer: the accuracy of L-BFGS in a small fraction of its time."""

from __future__ import annotations

import numpy as np

from tagpool import _native
from tagpool.errors import InputError
from tagpool.optim.problem import Problem
from tagpool.optim.stochastic import descend
from tagpool.optim.trainer import Trainer, check_positive, check_whole, refuse_l1
from tagpool.optim.watch import Watch, Weights

_FEATURES = "features"
DROPPED = (_FEATURES, "templates", "bags")


class SGD(Trainer):
    """Averaged stochastic gradient descent (Bottou 2010; Xu 2011) with lazy ℓ2, on the problem's own objective.

    ``epochs`` passes over the sentences, ``batch`` of them a step; ``step`` is the first step size, calibrated on a sample
    when not given; averaging begins after ``average_from`` epochs.

    ``dropout`` is the part of the features left out at random in every step (the others count for them), so that a model learns
    to do without any of them: each by itself (``drop="features"``), or all those of a template or of a bag together, throughout a
    sentence ("templates", "bags"; the shared base stays). It tags with all of them.

    >>> from tagpool import CRF, builtin_corpus
    >>> CRF("word[-1..1]", trainer=SGD(epochs=3)).fit(builtin_corpus(50)).log_[-1].number
    3
    """

    only_descends = True

    def __init__(
        self,
        *,
        epochs: int = 10,
        step: float | None = None,
        batch: int = 8,
        average_from: int = 1,
        dropout: float = 0.0,
        drop: str = "features",
    ) -> None:
        self.epochs = epochs
        self.step = step
        self.batch = batch
        self.average_from = average_from
        self.dropout = dropout
        self.drop = drop

    @property
    def groups_by(self) -> str | None:  # noqa: D102
        return self.drop if self.dropout and self.drop != _FEATURES else None

    @property
    def needs_rows(self) -> bool:  # noqa: D102
        return bool(self.dropout)

    def _run(self, problem: Problem, watch: Watch) -> Weights:
        check_whole(self, "epochs", 1)
        check_whole(self, "batch", 1)
        check_whole(self, "average_from", 0)
        if self.step is not None:
            check_positive(self, "step")
        if isinstance(self.dropout, bool) or not isinstance(self.dropout, (int, float, np.number)) or not 0 <= self.dropout < 1:
            raise InputError(f"SGD(dropout={self.dropout!r}): expected a number from 0 to less than 1")
        if self.drop not in DROPPED:
            raise InputError(f"SGD(drop={self.drop!r}): expected {', '.join(DROPPED)}")
        refuse_l1(problem, "sgd")

        def begin(step: float) -> _native.Sgd:
            learner = _native.Sgd(
                problem.training,
                problem.chain,
                problem.l2,
                step,
                self.average_from,
                problem.seed,
                problem.example_weights,
                self.batch,
                problem.threads,
                float(self.dropout),
                problem.groups if self.groups_by else None,
            )
            if problem.start is not None:
                learner.start_from(problem.start)
            return learner

        return descend(begin, self.step or 0.0, self.epochs, watch)
