"""``sle``: stepwise selection of experts.

The paper refers to other work for this rule; this is our reading of it.
"""

from __future__ import annotations

import numpy as np

from tagpool.pools.votes.methods.method import Learned, Method, Problem


class Sle(Method):
    """Add one vote for the most helpful expert in every round, at most ``rounds`` times."""

    name = "sle"
    per_expert = True

    def learn(self, problem: Problem) -> Learned:
        """Select experts."""
        return Learned(np.array(problem.native.stepwise(problem.settings.rounds, problem.settings.stop_early)[0]))
