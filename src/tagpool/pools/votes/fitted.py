"""FittedVotes: the learned weights of a vote pool, and voting with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tagpool.corpus.schemes import Scheme
from tagpool.pools.votes.ballots import Ballots, FloatArray, IntArray, native_ballots
from tagpool.pools.votes.calibration import Calibration
from tagpool.pools.votes.decoding import decode_legal, vote_weights
from tagpool.pools.votes.guarantees import Guarantees
from tagpool.pools.votes.keys import Key, token_states

if TYPE_CHECKING:
    from tagpool.pools.votes.pool import VotePool


@dataclass(frozen=True, eq=False)
class FittedVotes:
    """Weights by which experts vote.

    With keys, ``weights`` is [states + 1][experts]; the last row is for states that are new after fit. With an automaton it is
    [edges]. ``drawn_from`` has distributions of the same shape, for methods that draw paths. ``fallback`` is the label of tokens
    without votes: the most frequent gold label. ``calibration`` maps the part of the votes to the rate of correct labels.
    """

    experts: tuple[str, ...]
    labels: tuple[str, ...]
    states: tuple[str, ...]
    weights: FloatArray
    drawn_from: FloatArray | None
    fallback: str
    guarantees: Guarantees
    beta: float
    calibration: Calibration | None = None

    def vote(self, ballots: Ballots, pool: VotePool) -> tuple[IntArray, FloatArray]:
        """Return the label number of every token, and its part of the votes."""
        is_table, product, scheme = self.weights.ndim == 2, pool.combine == "product", pool.scheme
        rows = self._rows(ballots, pool.key) if is_table else None
        native = native_ballots(ballots, None, rows, len(self.states) + 1, None if is_table else pool.automaton)
        labels, confidence = native.vote(np.ascontiguousarray(self.weights.ravel()), product)
        if self.drawn_from is not None:
            labels = native.draw(np.ascontiguousarray(self.drawn_from.ravel()), pool.seed)
        labels = np.where(labels < 0, ballots.labels.index(self.fallback), labels).astype(np.int32)
        if scheme is not None and rows is not None:
            votes = vote_weights(ballots, rows, self.weights, len(ballots.labels))
            labels = decode_legal(ballots, votes, Scheme.of(scheme).constraints(ballots.labels), product, labels)
        if scheme is not None or self.drawn_from is not None:
            confidence = self._confidence(ballots, rows, labels)
        return labels, confidence

    def _rows(self, ballots: Ballots, key: Key) -> IntArray:
        """Return the row of the weights for every token."""
        if not self.states:
            return np.zeros(len(ballots.votes), np.int32)
        known = {name: number for number, name in enumerate(self.states)}
        tokens = token_states(ballots, key)
        return np.array([known.get(name, len(known)) for name in tokens.names], np.int32)[tokens.states]

    def _confidence(self, ballots: Ballots, rows: IntArray | None, labels: IntArray) -> FloatArray:
        """Return the part of the votes for given labels; without rows all experts count the same."""
        weights = np.where(ballots.votes >= 0, 1.0 if rows is None else self.weights[rows], 0.0)
        total = weights.sum(axis=1)
        agreeing = np.where(ballots.votes == labels[:, None], weights, 0.0).sum(axis=1)
        confidence = np.zeros(len(total))
        np.divide(agreeing, total, out=confidence, where=total > 0)
        return confidence


def mean_loss(ballots: Ballots, labels: IntArray, costs: FloatArray) -> float:
    """Return the mean loss of the sentences."""
    return float(sentence_losses(ballots, labels, costs).mean()) if len(ballots) else 0.0


def sentence_losses(ballots: Ballots, labels: IntArray, costs: FloatArray) -> FloatArray:
    """Return the loss of every sentence: the mean cost of its tokens."""
    lost = np.where(ballots.gold >= 0, costs[ballots.gold, labels], 0.0)
    sentence = np.repeat(np.arange(len(ballots)), ballots.lengths)
    losses: FloatArray = np.bincount(sentence, lost, len(ballots)) / np.maximum(ballots.lengths, 1)
    return losses
