"""The Dawid–Skene model (1979): every expert has a confusion matrix, and the correct labels are hidden.

π_j[y, v] is the probability of the label v of expert j where y is correct. Abstentions are ignored.
"""

from __future__ import annotations

import numpy as np

from tagpool.pools.votes.ballots import FloatArray, IntArray

_EACH_CELL = 0.1  # prior count of every pair (correct label, vote)
_DIAGONAL = 10.0  # prior count of correct votes: an expert is assumed to be good until its votes contradict
_STOP = 1e-4  # largest change of a belief


def vote_shares(votes: IntArray, size: int) -> FloatArray:
    """Return the part of the votes of each label, [tokens][labels]; equal parts for tokens without votes.

    >>> vote_shares(np.array([[0, 0], [1, -1], [-1, -1]], np.int32), 2).tolist()
    [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]
    """
    counts = np.zeros((len(votes), size))
    for column in votes.T:
        voted = np.flatnonzero(column >= 0)
        counts[voted, column[voted]] += 1
    total = counts.sum(axis=1, keepdims=True)
    shares: FloatArray = np.where(total > 0, counts / np.maximum(total, 1), 1 / size)
    return shares


def confusions(votes: IntArray, belief: FloatArray) -> FloatArray:
    """Return π, [experts][correct label][vote], from votes and beliefs [tokens][labels]."""
    size = belief.shape[1]
    counts = np.full((votes.shape[1], size, size), _EACH_CELL)
    counts[:, np.arange(size), np.arange(size)] += _DIAGONAL
    for matrix, column in zip(counts, votes.T, strict=True):
        for label in np.unique(column[column >= 0]).tolist():
            matrix[:, label] += belief[column == label].sum(axis=0)
    counts /= counts.sum(axis=2, keepdims=True)
    return counts


def log_evidence(votes: IntArray, matrices: FloatArray) -> FloatArray:
    """Return ln P(votes | correct label), [tokens][labels]."""
    logs = np.log(matrices)
    evidence = np.zeros((len(votes), matrices.shape[1]))
    for matrix, column in zip(logs, votes.T, strict=True):
        voted = np.flatnonzero(column >= 0)
        evidence[voted] += matrix[:, column[voted]].T
    return evidence


def normalise(log_weights: FloatArray) -> FloatArray:
    """Return probabilities from the logarithms of their weights, by row."""
    weights: FloatArray = np.exp(log_weights - log_weights.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return weights


def dawid_skene(votes: IntArray, size: int, rounds: int = 30) -> FloatArray:
    """Return the probability of each label at each token, by expectation maximisation from the shares of the votes.

    Labels of neighbours are independent. A Markov chain of hidden labels would explain runs of errors, which experts often make,
    as correct labels.

    >>> votes = np.array([[0, 0, 1], [1, 1, 0], [0, 0, 0], [1, 1, 1]] * 9, np.int32)
    >>> dawid_skene(votes, 2).argmax(axis=1)[:4].tolist()
    [0, 1, 0, 1]
    """
    if not len(votes):
        return vote_shares(votes, size)
    # Tokens with the same votes have the same belief, and there are few different votes.
    patterns, places, counts = np.unique(votes, axis=0, return_inverse=True, return_counts=True)
    belief = vote_shares(patterns, size)
    for _ in range(rounds):
        total = belief * counts[:, None]
        prior = np.log(total.sum(axis=0) / len(votes) + 1e-12)
        updated = normalise(log_evidence(patterns, confusions(patterns, total)) + prior)
        change = float(np.abs(updated - belief).max(initial=0.0))
        belief = updated
        if change < _STOP:
            break
    every: FloatArray = belief[places.reshape(-1)]
    return every
