"""``majority``: every expert has the same weight, as a baseline."""

from __future__ import annotations

import numpy as np

from tagpool.pools.votes.methods.method import Learned, Method, Problem


class Majority(Method):
    """Plain majority vote."""

    name = "majority"
    per_expert = True

    def learn(self, problem: Problem) -> Learned:
        """Return equal weights."""
        return Learned(np.ones(len(problem.ballots.experts)))
