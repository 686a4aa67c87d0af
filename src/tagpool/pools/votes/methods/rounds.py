"""Online rounds: a learner that sees one sentence per round, and two ways to make one set of weights of its distributions.

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
from tagpool.pools.votes.methods.method import Learned, Problem

_MAX_CANDIDATES = 200  # rounds that best_round compares, evenly spaced


def weighted_majority(problem: Problem) -> _native.LearnerKind:
    """Return the learner that multiplies the weight of a wrong edge by β."""
    return _native.LearnerKind(False, problem.settings.beta, problem.settings.seed)


def perturbed_leader(problem: Problem) -> _native.LearnerKind:
    """Return the learner that follows the best path after adding noise of scale 1/ε."""
    return _native.LearnerKind(True, problem.settings.epsilon, problem.settings.seed)


def average_best_suffix(learner: _native.LearnerKind, problem: Problem) -> Learned:
    """Average the distributions of the suffix of rounds with the least Γ."""
    losses = problem.native.expected_losses(learner)
    first = best_suffix(losses, problem.settings.delta, problem.highest)
    return Learned(problem.native.averaged(learner, first, len(losses)), losses=losses, first=first)


def best_round(learner: _native.LearnerKind, problem: Problem) -> Learned:
    """Take the distribution of the round with the least loss on the rounds after it, plus a confidence term."""
    losses = problem.native.expected_losses(learner)
    if len(losses) < 2:
        return average_best_suffix(learner, problem)
    rounds = _spaced(len(losses) - 1)
    ahead = problem.native.losses_ahead(learner, rounds)
    scores = ahead + problem.highest * np.sqrt(math.log(1 / problem.settings.delta) / (len(losses) - 1 - rounds))
    best = int(rounds[int(np.argmin(scores))])
    return Learned(problem.native.averaged(learner, best, best + 1), losses=losses, first=best)


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
