"""``rand``: draw a path from a random distribution of the best suffix of rounds."""

from __future__ import annotations

import numpy as np

from tagpool.pools.votes.ballots import FloatArray
from tagpool.pools.votes.methods.method import Learned, Method, Problem
from tagpool.pools.votes.methods.rounds import average_best_suffix, weighted_majority

_MAX_DISTRIBUTIONS = 1000  # stored in the model; sampled if the suffix has more rounds


class Rand(Method):
    """Weighted majority with weight pushing; labels follow a path drawn for each sentence."""

    name = "rand"
    online = True
    uses_beta = True
    bound_factor = 1
    draws_paths = True

    def learn(self, problem: Problem) -> Learned:
        """Average the distributions of the best suffix."""
        return average_best_suffix(weighted_majority(problem), problem)

    def distributions(self, problem: Problem, learned: Learned) -> FloatArray | None:
        """Return the distributions of the best suffix."""
        assert learned.losses is not None
        rounds = np.arange(learned.first, len(learned.losses))
        if len(rounds) > _MAX_DISTRIBUTIONS:
            rounds = np.sort(np.random.default_rng(problem.settings.seed).choice(rounds, _MAX_DISTRIBUTIONS, replace=False))
        return problem.native.distributions(weighted_majority(problem), rounds.astype(np.uint32))
