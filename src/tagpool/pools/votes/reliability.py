"""Reliability without gold labels: the Dawid–Skene model of experts (1979), where labels are a Markov chain or independent.

Each expert has a confusion matrix π_j[y, v], the probability that it says v where y is right; labels are hidden, independent of
each other (Dawid and Skene) or a chain (a hidden Markov model whose emissions are the experts' votes). All of it is estimated by
expectation maximisation from the votes alone, starting from the majority. Experts that abstain say nothing about a token.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tagpool.chain.lattice import Lattice
from tagpool.errors import InputError
from tagpool.pools.votes.ballots import Ballots, FloatArray, IntArray, Predictions, ballots_of, named
from tagpool.pools.votes.decoding import vote_weights

_SMOOTH = 0.1  # counts added to each cell: no expert is ever sure of what it was not seen to do


@dataclass(frozen=True, eq=False)
class Reliability:
    """What was estimated: ``labels`` pooled, their probabilities, and for every expert how often it is right."""

    labels: list[list[str]]
    confidence: list[FloatArray]
    accuracy: dict[str, float]
    rounds: int


def estimate_reliability(predictions: Predictions, *, chain: bool = True, rounds: int = 30) -> Reliability:
    """Estimates how reliable experts are, and pools them by that, where there are no gold labels at all.

    ``chain``: labels depend on the one before; else every token is by itself. An estimate only: experts that make the same
    mistakes look right to each other.

    >>> right, left, wrong = [["a", "b", "a"]] * 6, [["a", "b", "b"]] * 6, [["b", "a", "a"]] * 6
    >>> found = estimate_reliability({"one": right, "two": right, "three": left, "four": wrong}, chain=False)
    >>> found.labels[0], found.accuracy["one"] > found.accuracy["four"]
    (['a', 'b', 'a'], True)
    """
    ballots = ballots_of(named(predictions), None)
    if len(ballots.experts) < 3:
        raise InputError(f"expected three experts or more, got {len(ballots.experts)}: of two that differ, who is right?")
    if not isinstance(rounds, int) or rounds < 1:
        raise InputError(f"rounds={rounds!r}: expected a whole number from 1 on")
    size = len(ballots.labels)
    # The majority, as shares of the votes, is where it begins: by it labels keep their names.
    belief = vote_weights(ballots, np.zeros(len(ballots.votes), np.int32), np.ones((1, len(ballots.experts))), size)
    belief[belief.sum(axis=1) == 0] = 1 / size
    steps = None
    last = np.inf
    for done in range(1, rounds + 1):  # noqa: B007 - how many there were is told
        confusion = _confusion(ballots, belief, size)
        evidence = _evidence(ballots, confusion)
        if chain:
            start, between = _transitions(ballots, belief, steps, size)
            updated, steps = _chain_belief(ballots, evidence, start, between)
        else:
            updated = _alone(evidence + np.log(belief.mean(axis=0) + 1e-12))
        last = float(np.abs(updated - belief).max())
        belief = updated
        if last < 1e-6:
            break
    confusion = _confusion(ballots, belief, size)
    best = belief.argmax(axis=1)
    accuracy = {name: _accuracy(ballots.votes[:, j], belief) for j, name in enumerate(ballots.experts)}
    return Reliability(
        labels=ballots.cut([ballots.labels[number] for number in best.tolist()]),
        confidence=[np.array(each) for each in ballots.cut(belief.max(axis=1).tolist())],
        accuracy=accuracy,
        rounds=done,
    )


def _confusion(ballots: Ballots, belief: FloatArray, size: int) -> FloatArray:
    """π as [expert, right label, said label]."""
    found = np.full((len(ballots.experts), size, size), _SMOOTH)
    for j in range(len(ballots.experts)):
        spoken = ballots.votes[:, j] >= 0
        for label in range(size):
            found[j, :, label] += belief[spoken & (ballots.votes[:, j] == label)].sum(axis=0)
    found /= found.sum(axis=2, keepdims=True)
    return found


def _evidence(ballots: Ballots, confusion: FloatArray) -> FloatArray:
    """ln P(votes | label) of every token and label."""
    logs = np.log(confusion)
    found = np.zeros((len(ballots.votes), confusion.shape[1]))
    for j in range(len(ballots.experts)):
        said = ballots.votes[:, j]
        found[said >= 0] += logs[j][:, said[said >= 0]].T
    return found


def _transitions(ballots: Ballots, belief: FloatArray, steps: FloatArray | None, size: int) -> tuple[FloatArray, FloatArray]:
    """ln P of first labels and of labels given the one before."""
    firsts = ballots.offsets[:-1][ballots.lengths > 0]
    start = belief[firsts].sum(axis=0) + _SMOOTH
    if steps is None:  # before the first pass, neighbours are taken for independent
        inner = np.setdiff1d(np.arange(len(belief)), firsts)
        steps = belief[inner - 1].T @ belief[inner]
    between = steps + _SMOOTH
    return np.log(start / start.sum()), np.log(between / between.sum(axis=1, keepdims=True))


def _chain_belief(
    ballots: Ballots, evidence: FloatArray, start: FloatArray, between: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The probability of each label at each token, and the expected number of each pair of neighbours."""
    belief = np.empty_like(evidence)
    steps = np.zeros_like(between)
    for a, b in pairwise(ballots.offsets.tolist()):
        if a == b:
            continue
        lattice = Lattice(evidence[a:b], between, start=start)
        belief[a:b] = lattice.marginals()
        if b - a > 1:
            steps += lattice.pair_marginals().sum(axis=0)
    return belief, steps


def _alone(scores: FloatArray) -> FloatArray:
    weights: FloatArray = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return weights


def _accuracy(said: IntArray, belief: FloatArray) -> float:
    """How often an expert is right by what is believed, where it votes."""
    spoken = np.flatnonzero(said >= 0)
    return float(belief[spoken, said[spoken]].mean()) if spoken.size else 0.0
