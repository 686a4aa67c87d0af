"""Methods: how the weights of edges are found. All but ``rand`` end in one weight for each edge, by which experts vote.

Online learners go over the sentences once: weighted majority with weight pushing (``mvote``, ``rand``, ``cv``) and follow the
perturbed leader (``fpl``, ``fpl_cv``). From their distributions p_1 ... p_T a batch rule is made: the mean over the best suffix
(``mvote``, ``fpl``), draws from it (``rand``), or the one distribution that does best on the rounds behind it (``cv``,
``fpl_cv``). ``espboost`` and ``sle`` choose paths or experts greedily; ``best`` and ``majority`` are there to compare with.

The paper refers elsewhere for ``cv``, ``fpl_cv`` and ``sle``: they are our reading. Deviation: in the exponent of β and in what
the leader has lost, an error costs 1; in Γ and in the bounds it costs 1 / (length of the sentence), so that a loss is at most 1.
With 1 / length in the exponent, weights hardly move in some hundred rounds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.pools.votes.ballots import Ballots, FloatArray

METHODS = ("mvote", "rand", "cv", "fpl", "fpl_cv", "espboost", "sle", "best", "majority")
WHOLE = ("sle", "best", "majority")  # weigh whole experts: the automaton does not matter to them
DISCOUNTED = ("mvote", "rand", "cv")  # have a β
_CANDIDATES = 200  # rounds that cv tries, evenly spaced where there are more
_KEPT = 1000  # distributions that rand keeps, drawn where the suffix has more


@dataclass(frozen=True)
class Setting:
    """The parameters of the methods, checked."""

    method: str
    beta: float
    delta: float
    epsilon: float
    rounds: int
    stop_early: bool
    seed: int


@dataclass(frozen=True, eq=False)
class Learned:
    """What a method found: ``weights`` of the edges; ``drawn_from`` for ``rand``, distributions one after another.

    ``losses`` are the expected losses of the rounds, of which those from ``first`` on count; ``errors`` and ``alphas`` are of
    boosting's rounds.
    """

    weights: FloatArray
    drawn_from: FloatArray | None = None
    losses: FloatArray | None = None
    first: int = 0
    errors: FloatArray | None = None
    alphas: FloatArray | None = None


def learn(native: _native.PathBallots, ballots: Ballots, costs: FloatArray, setting: Setting, highest: float) -> Learned:
    """Learns by a method; ``highest`` is the highest loss a sentence can have (M)."""
    p, method = len(ballots.experts), setting.method
    if method == "majority":
        return Learned(np.ones(p))
    if method == "best":
        return Learned(np.eye(p)[int(np.argmin(expert_losses(ballots, costs)))])
    if method == "sle":
        return Learned(np.array(native.stepwise(setting.rounds, setting.stop_early)[0]))
    if method == "espboost":
        weights, errors, alphas = native.boosted(setting.rounds)
        return Learned(weights, errors=errors, alphas=alphas)
    leader = method.startswith("fpl")
    kind = _native.LearnerKind(leader, setting.epsilon if leader else setting.beta, setting.seed)
    losses = native.expected_losses(kind)
    if method.endswith("cv") and len(losses) > 1:
        rounds = _spaced(len(losses) - 1)
        ahead = native.losses_ahead(kind, rounds)
        scores = ahead + highest * np.sqrt(math.log(1 / setting.delta) / (len(losses) - 1 - rounds))
        chosen = int(rounds[int(np.argmin(scores))])
        return Learned(native.averaged(kind, chosen, chosen + 1), losses=losses, first=chosen)
    first = best_suffix(losses, setting.delta, highest)
    weights = native.averaged(kind, first, len(losses))
    drawn_from = None
    if method == "rand":
        kept = np.arange(first, len(losses))
        if len(kept) > _KEPT:
            kept = np.sort(np.random.default_rng(setting.seed).choice(kept, _KEPT, replace=False))
        drawn_from = native.distributions(kind, kept.astype(np.uint32))
    return Learned(weights, drawn_from, losses, first)


def best_suffix(losses: FloatArray, delta: float, highest: float) -> int:
    """The round from which on Γ is least: the mean expected loss of a suffix of the rounds + M·√(ln(1/δ) / its length).

    >>> best_suffix(np.array([1.0] * 50 + [0.0] * 50), 0.05, 1.0)
    50
    """
    return int(np.argmin(suffix_bounds(losses, math.log(1 / delta), highest)))


def suffix_bounds(losses: FloatArray, confidence: float, highest: float) -> FloatArray:
    """For every round the mean loss from it on, plus M·√(confidence / number of rounds)."""
    counts = np.arange(len(losses), 0, -1)
    means: FloatArray = np.cumsum(losses[::-1])[::-1] / counts
    return means + highest * np.sqrt(confidence / counts)


def expert_losses(ballots: Ballots, costs: FloatArray) -> FloatArray:
    """The mean loss of each expert over the sentences where it votes; infinite for one that never does."""
    known = (ballots.gold >= 0)[:, None] & (ballots.votes >= 0)
    lost = np.where(known, costs[ballots.gold[:, None], ballots.votes], 0.0)
    sentence = np.repeat(np.arange(len(ballots)), ballots.lengths)
    found = np.full(len(ballots.experts), np.inf)
    for expert in range(len(ballots.experts)):
        spoken = np.bincount(sentence, known[:, expert], len(ballots))
        total = np.bincount(sentence, lost[:, expert], len(ballots))
        if spoken.any():
            found[expert] = (total[spoken > 0] / spoken[spoken > 0]).mean()
    return found


def _spaced(count: int) -> NDArray[np.uint32]:
    if count <= _CANDIDATES:
        return np.arange(count, dtype=np.uint32)
    return np.unique(np.linspace(0, count - 1, _CANDIDATES).astype(np.uint32))
