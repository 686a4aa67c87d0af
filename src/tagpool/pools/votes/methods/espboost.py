"""``espboost``: boosting over path experts (ESPBoost)."""

from __future__ import annotations

from tagpool.pools.votes.methods.method import Learned, Method, Problem


class EspBoost(Method):
    """Add the best path in every round, at most ``rounds`` times."""

    name = "espboost"

    def learn(self, problem: Problem) -> Learned:
        """Boost."""
        weights, errors, alphas = problem.native.boosted(problem.settings.rounds)
        return Learned(weights, errors=errors, alphas=alphas)
