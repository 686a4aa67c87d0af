"""Trainer: what finds the weights of a problem, and how its parameters are checked."""

from __future__ import annotations

from tagpool.errors import InputError
from tagpool.optim.problem import Problem
from tagpool.optim.watch import Watch, Weights
from tagpool.parameters import Parameters


class Trainer(Parameters):
    """Finds weights. One object may train many problems: it keeps nothing of them."""

    kind = ""

    # Whether features that always occur together are trained as one. That must be the same thing, as it is under l2, and the
    # trainer must go over the sentences often enough for it to pay.
    merges_twins = False

    # Whether every step goes over all sentences: then what tokens have in common is worth finding out.
    goes_over_all = False

    # Whether it is stochastic descent through and through, and needs the sentences in no other form than that one.
    only_descends = False

    @property
    def groups_by(self) -> str | None:
        """Feature groups of this trainer: "templates", "bags", or None for single features."""
        return None

    @property
    def needs_rows(self) -> bool:
        """Whether the weights of every feature must lie side by side, also where only observed pairs have weights."""
        return False

    def train(self, problem: Problem, watch: Watch) -> Weights:
        """The weights found; what ``watch`` kept as the best where it looked at a dev set.

        An interruption (Ctrl-C) passes through; ``watch.kept()`` then has the best weights met so far, if any.
        """
        last = self._run(problem, watch)
        return last if watch.best is None else watch.best

    def model_weights(self, parameters: Weights) -> Weights:
        """The weights of the model; trainers with further parameters compute them from all."""
        return parameters

    def _run(self, problem: Problem, watch: Watch) -> Weights:
        raise NotImplementedError


def refuse_l1(problem: Problem, trainer: str) -> None:
    """Raises an error if the problem has an ℓ1 penalty, which this trainer cannot do."""
    if problem.l1:
        raise InputError(f"the trainer {trainer} has no l1 penalty (got l1={problem.l1:g}); use owlqn or fobos")
