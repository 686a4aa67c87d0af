"""Methods that learn from all sentences at once: ``best``, ``majority``, ``sle`` and ``espboost``."""

from __future__ import annotations

import numpy as np

from tagpool.pools.votes.ballots import Ballots, FloatArray
from tagpool.pools.votes.methods.method import Learned, Method, Problem


class Best(Method):
    """Follow the expert with the least mean loss, as a baseline."""

    name = "best"
    per_expert = True

    def learn(self, problem: Problem) -> Learned:
        """Select the expert."""
        losses = expert_losses(problem.ballots, problem.costs)
        return Learned(np.eye(len(losses))[int(np.argmin(losses))])


class Majority(Method):
    """Plain majority vote, as a baseline."""

    name = "majority"
    per_expert = True

    def learn(self, problem: Problem) -> Learned:
        """Return equal weights."""
        return Learned(np.ones(len(problem.ballots.experts)))


class Sle(Method):
    """Add one vote for the most helpful expert in every round, at most ``rounds`` times.

    The paper refers to other work for this rule; this is our reading of it.
    """

    name = "sle"
    per_expert = True

    def learn(self, problem: Problem) -> Learned:
        """Select experts."""
        return Learned(np.array(problem.native.stepwise(problem.settings.rounds, problem.settings.stop_early)[0]))


class EspBoost(Method):
    """Boosting over path experts (ESPBoost): add the best path in every round, at most ``rounds`` times."""

    name = "espboost"

    def learn(self, problem: Problem) -> Learned:
        """Boost."""
        weights, errors, _ = problem.native.boosted(problem.settings.rounds)
        return Learned(weights, errors=errors)


def expert_losses(ballots: Ballots, costs: FloatArray) -> FloatArray:
    """Return the mean loss of each expert over the sentences where it votes, [experts]; infinite for one that never votes."""
    known = (ballots.gold >= 0)[:, None] & (ballots.votes >= 0)
    lost = np.where(known, costs[ballots.gold[:, None], ballots.votes], 0.0)
    sentence = np.repeat(np.arange(len(ballots)), ballots.lengths)
    losses = np.full(len(ballots.experts), np.inf)
    for expert in range(len(ballots.experts)):
        counts = np.bincount(sentence, known[:, expert], len(ballots))
        totals = np.bincount(sentence, lost[:, expert], len(ballots))
        if counts.any():
            losses[expert] = (totals[counts > 0] / counts[counts > 0]).mean()
    return losses
