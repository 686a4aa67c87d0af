"""``fpl``: follow the perturbed leader, with the mean distribution of the best suffix of rounds."""

from __future__ import annotations

from tagpool.pools.votes.methods.method import Learned, Method, Problem
from tagpool.pools.votes.methods.rounds import average_best_suffix, perturbed_leader


class Fpl(Method):
    """Follow the perturbed leader."""

    name = "fpl"
    online = True

    def learn(self, problem: Problem) -> Learned:
        """Average the distributions of the best suffix."""
        return average_best_suffix(perturbed_leader(problem), problem)
