"""``fpl_cv``: follow the perturbed leader, with the one distribution that does best on later rounds.

The paper refers to other work for this rule; this is our reading of it.
"""

from __future__ import annotations

from tagpool.pools.votes.methods.method import Learned, Method, Problem
from tagpool.pools.votes.methods.rounds import best_round, perturbed_leader


class FplCv(Method):
    """Follow the perturbed leader, single best round."""

    name = "fpl_cv"
    online = True

    def learn(self, problem: Problem) -> Learned:
        """Take the best round."""
        return best_round(perturbed_leader(problem), problem)
