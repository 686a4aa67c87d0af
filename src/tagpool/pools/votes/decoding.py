"""Decoding: the best label sequence that follows a tag scheme, by the votes of each label at each token."""

from __future__ import annotations

import numpy as np

from tagpool.corpus.constraints import SchemeConstraints
from tagpool.corpus.transitions import label_parts
from tagpool.experts.linear.lattices import Scored
from tagpool.pools.votes.ballots import Ballots, FloatArray, IntArray
from tagpool.pools.weight_learning import decode_scores

_FLOOR = 1e-9  # votes of a label without votes: every legal sequence stays possible
_WITHOUT_VOTES = 2.0  # votes of the label of a token without votes: more than those of another token, which are at most 1
_SAME_TYPE = 1e-6  # part of a label's votes for other labels of its type: an illegal I-PER becomes B-PER, not B-LOC


def vote_weights(ballots: Ballots, rows: IntArray, weights: FloatArray, labels: int) -> FloatArray:
    """Return the part of the votes of each label at each token, [tokens][labels]; rows of tokens without votes are zero."""
    expert_weights = np.where(ballots.votes >= 0, weights[rows], 0.0)
    votes = np.zeros((len(rows), labels))
    tokens = np.arange(len(rows))
    for expert in range(expert_weights.shape[1]):
        votes[tokens, ballots.votes[:, expert]] += expert_weights[:, expert]  # -1 (abstains) adds 0 to the last label
    total = votes.sum(axis=1, keepdims=True)
    np.divide(votes, total, out=votes, where=total > 0)
    return votes


def decode_legal(
    ballots: Ballots, votes: FloatArray, rules: SchemeConstraints, product: bool, unrestricted: IntArray
) -> IntArray:
    """Return the labels of the best legal sequences, by the product or the sum of the votes.

    ``unrestricted`` are the labels without the scheme. A token without votes keeps its label there.

    >>> from tagpool import Scheme
    >>> from tagpool.pools.votes.ballots import ballots_of
    >>> one = ballots_of({"a": [["O", "I-X"]], "b": [["B-X", "I-X"]]}, None, labels=["O", "B-X", "I-X"])
    >>> votes = vote_weights(one, np.zeros(2, np.int32), np.array([[0.6, 0.4]]), 3)
    >>> decode_legal(one, votes, Scheme.BIO2.constraints(one.labels), True, np.zeros(2, np.int32)).tolist()
    [1, 2]
    """
    parts = [label_parts(label) for label in rules.labels]
    same_type = np.array([[a.role != "O" != b.role and a.type == b.type for b in parts] for a in parts], np.float64)
    silent = np.flatnonzero(votes.sum(axis=1) == 0)
    votes = votes.copy()
    votes[silent, unrestricted[silent]] = _WITHOUT_VOTES
    nodes = votes + _SAME_TYPE * (votes @ same_type) + _FLOOR
    if product:
        nodes = np.log(nodes)
    not_empty = np.flatnonzero(ballots.lengths)
    offsets = np.concatenate(([0], np.cumsum(ballots.lengths[not_empty]))).astype(np.uint32)
    edges = np.where(rules.transitions, 0.0, -np.inf)
    start, end = (np.where(allowed, 0.0, -np.inf) for allowed in (rules.start, rules.end))
    return decode_scores(Scored(nodes, edges, start, end, offsets))
