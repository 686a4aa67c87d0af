"""Reliability of experts without gold labels: the Dawid–Skene model (1979), with independent labels or a Markov chain.

Each expert j has a confusion matrix π_j[y, v], the probability of its label v where y is correct. The correct labels are hidden:
independent (Dawid and Skene), or a hidden Markov model that emits the votes. Expectation maximisation estimates all
parameters from the votes, starting from the majority. Abstentions are ignored.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tagpool.chain.lattice import Lattice
from tagpool.errors import InputError
from tagpool.pools.votes.ballots import Ballots, FloatArray, IntArray, Predictions, ballots_of, predictions_by_name
from tagpool.pools.votes.decoding import vote_weights

_SMOOTH = 0.1  # count added to each cell of the confusion matrices


@dataclass(frozen=True, eq=False)
class Reliability:
    """Estimates: pooled ``labels``, their probabilities as ``confidence``, and the accuracy of every expert."""

    labels: list[list[str]]
    confidence: list[FloatArray]
    accuracy: dict[str, float]
    rounds: int


def estimate_reliability(predictions: Predictions, *, chain: bool = True, rounds: int = 30) -> Reliability:
    """Estimate the reliability of experts without gold labels, and pool their labels by it.

    With ``chain``, a label depends on the previous one. Errors that experts share are counted as correct.

    >>> good, fair, bad = [["a", "b", "a"]] * 6, [["a", "b", "b"]] * 6, [["b", "a", "a"]] * 6
    >>> reliability = estimate_reliability({"one": good, "two": good, "three": fair, "four": bad}, chain=False)
    >>> reliability.labels[0], reliability.accuracy["one"] > reliability.accuracy["four"]
    (['a', 'b', 'a'], True)
    """
    ballots = ballots_of(predictions_by_name(predictions), None)
    if len(ballots.experts) < 3:
        raise InputError(f"expected three experts or more, got {len(ballots.experts)}")
    if not isinstance(rounds, int) or rounds < 1:
        raise InputError(f"rounds={rounds!r}: expected a whole number of at least 1")
    size = len(ballots.labels)
    # Start from the votes, so that hidden label i means label i.
    belief = vote_weights(ballots, np.zeros(len(ballots.votes), np.int32), np.ones((1, len(ballots.experts))), size)
    belief[belief.sum(axis=1) == 0] = 1 / size
    steps = None
    for done in range(1, rounds + 1):  # noqa: B007 - reported below
        evidence = _evidence(ballots, _confusion(ballots, belief, size))
        if chain:
            start, between = _transitions(ballots, belief, steps, size)
            updated, steps = _chain_belief(ballots, evidence, start, between)
        else:
            updated = _softmax(evidence + np.log(belief.mean(axis=0) + 1e-12))
        change = float(np.abs(updated - belief).max())
        belief = updated
        if change < 1e-6:
            break
    best = belief.argmax(axis=1)
    return Reliability(
        labels=ballots.cut([ballots.labels[number] for number in best.tolist()]),
        confidence=[np.array(row) for row in ballots.cut(belief.max(axis=1).tolist())],
        accuracy={name: _accuracy(ballots.votes[:, j], belief) for j, name in enumerate(ballots.experts)},
        rounds=done,
    )


def _confusion(ballots: Ballots, belief: FloatArray, size: int) -> FloatArray:
    """Return π, [expert][correct label][voted label]."""
    counts = np.full((len(ballots.experts), size, size), _SMOOTH)
    for j in range(len(ballots.experts)):
        votes = ballots.votes[:, j]
        for label in range(size):
            counts[j, :, label] += belief[votes == label].sum(axis=0)
    counts /= counts.sum(axis=2, keepdims=True)
    return counts


def _evidence(ballots: Ballots, confusion: FloatArray) -> FloatArray:
    """Return ln P(votes | label), [tokens][labels]."""
    logs = np.log(confusion)
    evidence = np.zeros((len(ballots.votes), confusion.shape[1]))
    for j in range(len(ballots.experts)):
        votes = ballots.votes[:, j]
        evidence[votes >= 0] += logs[j][:, votes[votes >= 0]].T
    return evidence


def _transitions(ballots: Ballots, belief: FloatArray, steps: FloatArray | None, size: int) -> tuple[FloatArray, FloatArray]:
    """Return ln P of first labels, and of labels given the previous one."""
    firsts = ballots.offsets[:-1][ballots.lengths > 0]
    start = belief[firsts].sum(axis=0) + _SMOOTH
    if steps is None:  # first iteration: neighbours as if independent
        inner = np.setdiff1d(np.arange(len(belief)), firsts)
        steps = belief[inner - 1].T @ belief[inner]
    between = steps + _SMOOTH
    return np.log(start / start.sum()), np.log(between / between.sum(axis=1, keepdims=True))


def _chain_belief(
    ballots: Ballots, evidence: FloatArray, start: FloatArray, between: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the probability of each label at each token, and the expected count of each bigram."""
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


def _softmax(scores: FloatArray) -> FloatArray:
    weights: FloatArray = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return weights


def _accuracy(votes: IntArray, belief: FloatArray) -> float:
    """Return the mean probability of an expert's labels."""
    voted = np.flatnonzero(votes >= 0)
    return float(belief[voted, votes[voted]].mean()) if voted.size else 0.0
