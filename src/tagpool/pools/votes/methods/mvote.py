"""``mvote``: weighted majority vote with the mean distribution of the best suffix of rounds (the default)."""

from __future__ import annotations

from tagpool.pools.votes.methods.method import Learned, Method, Problem
from tagpool.pools.votes.methods.rounds import average_best_suffix, weighted_majority


class Mvote(Method):
    """Weighted majority with weight pushing; experts vote with the averaged weights."""

    name = "mvote"
    online = True
    uses_beta = True
    bound_factor = 2

    def learn(self, problem: Problem) -> Learned:
        """Average the distributions of the best suffix."""
        return average_best_suffix(weighted_majority(problem), problem)
