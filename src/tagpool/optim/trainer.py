"""Trainer: the base class of trainers, which minimise a problem."""

from __future__ import annotations

from tagpool.errors import InputError
from tagpool.optim.problem import Problem
from tagpool.optim.watch import Watch, Weights
from tagpool.parameters import Parameters


class Trainer(Parameters):
    """Minimises problems; has no state between calls."""

    kind = ""

    # Whether features that always occur together (twins) are trained as one. The penalty must allow it, as l2 does, and the
    # number of passes over the sentences must be large enough to pay for the search.
    merges_twins = False

    # Whether every step reads all sentences. Then features that tokens share are bundled.
    full_batch = False

    # Whether it is only stochastic. Then no other memory layout of the sentences is needed.
    only_stochastic = False

    @property
    def unused_penalties(self) -> frozenset[str]:
        """Penalties of the learner, "l1" and "l2", that this trainer refuses or ignores."""
        return frozenset({"l1"})

    @property
    def groups_by(self) -> str | None:
        """Feature groups of this trainer: "templates", "bags", or None for single features."""
        return None

    @property
    def needs_rows(self) -> bool:
        """Whether every feature needs a dense row of weights, also if only observed cells have weights."""
        return False

    def check_workers(self) -> None:
        """Raise an error unless the sentences may be divided among workers, which compute parts of the gradient."""
        message = f"trainer = {self.kind!r}: it changes the weights after every few sentences, and stays in one process"
        advice = "use lbfgs with warm_up=0 or owlqn (--set learner.trainer.kind=lbfgs), or drop the engine (--engine ray)"
        raise InputError(f"{message}; {advice}")

    def train(self, problem: Problem, watch: Watch) -> Weights:
        """Return the last weights, or the best ones if ``watch`` scores a dev set.

        After an interruption (Ctrl-C), ``watch.best_or_latest()`` has the best weights so far.
        """
        last = self._run(problem, watch)
        return last if watch.best is None else watch.best

    def result_size(self, parameter_count: int) -> int:
        """Return the number of weights of a result; trainers with further parameters return more than those of the problem."""
        return parameter_count

    def model_weights(self, parameters: Weights) -> Weights:
        """Return the weights of the model; trainers with further parameters compute them from all."""
        return parameters

    def _run(self, problem: Problem, watch: Watch) -> Weights:
        raise NotImplementedError


def refuse_l1(problem: Problem, trainer: str) -> None:
    """Raise an error if the problem has an ℓ1 penalty, which this trainer does not support."""
    if problem.l1:
        raise InputError(f"the trainer {trainer} has no l1 penalty (got l1={problem.l1:g}); use owlqn or fobos")
