"""Decoding: the best label sequence that a tag scheme allows, by the votes that each label got at each token."""

from __future__ import annotations

import numpy as np

from tagpool.corpus.constraints import SchemeConstraints
from tagpool.corpus.transitions import label_parts
from tagpool.experts.linear.lattices import Scored
from tagpool.pools.votes.ballots import Ballots, FloatArray, IntArray
from tagpool.pools.weight_learning import best_of

_LEAST = 1e-9  # of the vote: what a label has that nobody votes for, lest there be no legal sequence
_KIN = 1e-6  # of a label's vote goes to the others of its type: I-PER where only B-PER is legal becomes that, and not B-LOC


def vote_weights(ballots: Ballots, rows: IntArray, weights: FloatArray, labels: int) -> FloatArray:
    """The share of the votes of each label at each token, as (tokens, labels); rows of tokens without votes are zero."""
    cast = np.where(ballots.votes >= 0, weights[rows], 0.0)
    found = np.zeros((len(rows), labels))
    tokens = np.arange(len(rows))
    for expert in range(cast.shape[1]):
        found[tokens, ballots.votes[:, expert]] += cast[:, expert]  # those that abstain add nothing to the last label
    total = found.sum(axis=1, keepdims=True)
    np.divide(found, total, out=found, where=total > 0)
    return found


def legal(ballots: Ballots, votes: FloatArray, rules: SchemeConstraints, product: bool) -> IntArray:
    """The labels of the best sequences that are legal: by the product of the votes, or by their sum.

    >>> from tagpool import Scheme
    >>> from tagpool.pools.votes.ballots import ballots_of
    >>> one = ballots_of({"a": [["O", "I-X"]], "b": [["B-X", "I-X"]]}, None, labels=["O", "B-X", "I-X"])
    >>> shares = vote_weights(one, np.zeros(2, np.int32), np.array([[0.6, 0.4]]), 3)
    >>> legal(one, shares, Scheme.BIO2.constraints(one.labels), product=True).tolist()
    [1, 2]
    """
    parts = [label_parts(label) for label in rules.labels]
    kin = np.array([[a.role != "O" != b.role and a.type == b.type for b in parts] for a in parts], np.float64)
    nodes = votes + _KIN * (votes @ kin) + _LEAST
    if product:
        nodes = np.log(nodes)
    full = np.flatnonzero(ballots.lengths)  # a sentence without tokens has no sequence to be found
    offsets = np.concatenate(([0], np.cumsum(ballots.lengths[full]))).astype(np.uint32)
    edges = np.where(rules.transitions, 0.0, -np.inf)
    start, end = (np.where(allowed, 0.0, -np.inf) for allowed in (rules.start, rules.end))
    return best_of(Scored(nodes, edges, start, end, offsets))
