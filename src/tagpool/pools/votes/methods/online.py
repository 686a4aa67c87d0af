"""Online methods: a learner sees one sentence per round, and its distributions give one set of weights.

Learners are weighted majority with weight pushing (parameter β) and follow the perturbed leader (parameter ε). From their
distributions p_1 ... p_T come the mean over the best suffix of rounds, or the single distribution with the least loss on the
rounds after it.

Deviation from the paper: in the exponent of β and in the leader's losses an error costs 1. In Γ and in the bounds it costs
1 / (sentence length), so that a loss is at most 1. With 1 / length in the exponent, weights hardly move in a few hundred rounds.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.pools.votes.ballots import FloatArray
from tagpool.pools.votes.methods.method import Learned, Method, Problem, Settings

_MAX_CANDIDATES = 200  # rounds that are compared, evenly spaced
_MAX_DISTRIBUTIONS = 1000  # stored in the model; sampled if the suffix has more rounds


class OnlineMethod(Method):
    """Weighted majority with weight pushing; the weights are the mean distribution of the best suffix of rounds."""

    online = True
    follows_leader = False  # True: the learner is the perturbed leader
    takes_one_round = False  # True: the weights are one distribution; the paper refers to other work, this is our reading of it

    def learner(self, settings: Settings) -> _native.LearnerKind:
        """Return the learner: wrong edges lose weight by the factor β, or noise of scale 1/ε is added to the leader."""
        return _native.LearnerKind(self.follows_leader, settings.epsilon if self.follows_leader else settings.beta, settings.seed)

    def learn(self, problem: Problem) -> Learned:
        """Run the rounds, and combine their distributions."""
        learner, native, delta = self.learner(problem.settings), problem.native, problem.settings.delta
        losses = native.expected_losses(learner)
        first = best_suffix(losses, delta, problem.highest)
        last = len(losses)
        if self.takes_one_round and len(losses) > 1:
            rounds = _spaced(len(losses) - 1)
            confidence = np.sqrt(math.log(1 / delta) / (len(losses) - 1 - rounds))
            first = int(rounds[int(np.argmin(native.losses_ahead(learner, rounds) + problem.highest * confidence))])
            last = first + 1
        return Learned(native.averaged(learner, first, last), losses=losses, first=first)


class Mvote(OnlineMethod):
    """Weighted majority: the experts vote with the averaged weights (the default method)."""

    name = "mvote"
    uses_beta = True
    bound_factor = 2


class Rand(OnlineMethod):
    """Weighted majority: labels follow a path drawn from a random distribution of the best suffix."""

    name = "rand"
    uses_beta = True
    bound_factor = 1
    draws_paths = True

    def distributions(self, problem: Problem, learned: Learned) -> FloatArray | None:
        """Return the distributions of the best suffix."""
        assert learned.losses is not None
        rounds = np.arange(learned.first, len(learned.losses))
        if len(rounds) > _MAX_DISTRIBUTIONS:
            rounds = np.sort(np.random.default_rng(problem.settings.seed).choice(rounds, _MAX_DISTRIBUTIONS, replace=False))
        return problem.native.distributions(self.learner(problem.settings), rounds.astype(np.uint32))


class Cv(OnlineMethod):
    """Weighted majority, with the one distribution that does best on later rounds."""

    name = "cv"
    uses_beta = True
    takes_one_round = True


class Fpl(OnlineMethod):
    """Follow the perturbed leader, with the mean distribution of the best suffix."""

    name = "fpl"
    follows_leader = True


class FplCv(OnlineMethod):
    """Follow the perturbed leader, with the one distribution that does best on later rounds."""

    name = "fpl_cv"
    follows_leader = True
    takes_one_round = True


def best_suffix(losses: FloatArray, delta: float, highest: float) -> int:
    """Return the round from which Γ is least: the mean expected loss of the suffix + M·√(ln(1/δ) / its length).

    >>> best_suffix(np.array([1.0] * 50 + [0.0] * 50), 0.05, 1.0)
    50
    """
    return int(np.argmin(suffix_bounds(losses, math.log(1 / delta), highest)))


def suffix_bounds(losses: FloatArray, confidence: float, highest: float) -> FloatArray:
    """Return for every round the mean loss from it on, plus M·√(confidence / number of rounds)."""
    counts = np.arange(len(losses), 0, -1)
    means: FloatArray = np.cumsum(losses[::-1])[::-1] / counts
    return means + highest * np.sqrt(confidence / counts)


def _spaced(count: int) -> NDArray[np.uint32]:
    if count <= _MAX_CANDIDATES:
        return np.arange(count, dtype=np.uint32)
    return np.unique(np.linspace(0, count - 1, _MAX_CANDIDATES).astype(np.uint32))
