"""``cv``: weighted majority, with the one distribution that does best on later rounds.

The paper refers to other work for this rule; this is our reading of it.
"""

from __future__ import annotations

from tagpool.pools.votes.methods.method import Learned, Method, Problem
from tagpool.pools.votes.methods.rounds import best_round, weighted_majority


class Cv(Method):
    """Weighted majority with weight pushing, single best round."""

    name = "cv"
    online = True
    uses_beta = True

    def learn(self, problem: Problem) -> Learned:
        """Take the best round."""
        return best_round(weighted_majority(problem), problem)
