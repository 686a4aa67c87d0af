"""Fitted: what a path pool has learned, as a value that votes. The pool is its face."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tagpool import _native
from tagpool.corpus.schemes import Scheme
from tagpool.pools.votes.automaton import Automaton
from tagpool.pools.votes.ballots import Ballots, FloatArray, IntArray
from tagpool.pools.votes.decoding import legal, vote_weights
from tagpool.pools.votes.guarantees import Guarantees, guarantees
from tagpool.pools.votes.keys import Key, keyed
from tagpool.pools.votes.losses import Loss, cost_matrix
from tagpool.pools.votes.methods import WHOLE, Setting, learn


@dataclass(frozen=True, eq=False)
class Fitted:
    """Weights by which experts vote.

    Of a table they are (states + 1, experts): the last row is for states that were not met. Of an automaton they are one an
    edge. ``drawn_from`` are distributions of ``rand``, each of the shape of the weights. ``fallback`` is the label of tokens that
    nobody votes on: the most frequent gold label.
    """

    experts: tuple[str, ...]
    labels: tuple[str, ...]
    states: tuple[str, ...]
    weights: FloatArray
    drawn_from: FloatArray | None
    fallback: str
    guarantees: Guarantees
    details: dict[str, Any] = field(default_factory=dict)

    def vote(
        self, ballots: Ballots, key: Key, automaton: Automaton | None, scheme: str | None, product: bool, seed: int
    ) -> tuple[IntArray, FloatArray]:
        """The label of every token, as numbers of the ballots' labels, and the share of the votes that it got."""
        whole = self.weights.ndim == 2
        rows = self._rows(ballots, key) if whole else None
        native = native_ballots(
            ballots, np.zeros((len(ballots.labels),) * 2), rows, len(self.states) + 1, None if whole else automaton
        )
        labels, shares = native.vote(np.ascontiguousarray(self.weights.ravel()), product)
        if self.drawn_from is not None:
            labels = native.draw(np.ascontiguousarray(self.drawn_from.ravel()), seed)
        if scheme is not None and rows is not None:
            votes = vote_weights(ballots, rows, self.weights, len(ballots.labels))
            labels = legal(ballots, votes, Scheme.of(scheme).constraints(ballots.labels), product)
        if scheme is not None or self.drawn_from is not None:
            shares = self._shares(ballots, rows, labels)
        fallback = ballots.labels.index(self.fallback)
        return np.where(labels < 0, fallback, labels).astype(np.int32), shares

    def _rows(self, ballots: Ballots, key: Key) -> IntArray:
        if not self.states:
            return np.zeros(len(ballots.votes), np.int32)
        known = {name: number for number, name in enumerate(self.states)}
        return keyed(ballots, key, lambda: leading_labels(ballots)).rows(known, len(self.states))

    def _shares(self, ballots: Ballots, rows: IntArray | None, labels: IntArray) -> FloatArray:
        """The shares of labels that were not found by the votes alone; where weights are of edges, all experts count alike."""
        cast = np.where(ballots.votes >= 0, 1.0 if rows is None else self.weights[rows], 0.0)
        total = cast.sum(axis=1)
        same = np.where(ballots.votes == labels[:, None], cast, 0.0).sum(axis=1)
        found = np.zeros(len(total))
        np.divide(same, total, out=found, where=total > 0)
        return found


def fit_ballots(ballots: Ballots, setting: Setting, key: Key, automaton: Automaton | None, loss: Loss) -> Fitted:
    """Learns from ballots that have gold labels."""
    costs = cost_matrix(loss, ballots.labels)
    highest = float(costs.max(initial=0.0)) or 1.0
    general = automaton is not None and setting.method not in WHOLE
    places = keyed(ballots, "position" if general or setting.method in WHOLE else key, lambda: leading_labels(ballots))
    native = native_ballots(ballots, costs, places.states, len(places.names), automaton if general else None)
    learned = learn(native, ballots, costs, setting, highest)
    states: tuple[str, ...] = ()
    drawn_from: FloatArray | None = None
    if general and automaton is not None:
        weights, drawn_from, log_paths = learned.weights, learned.drawn_from, automaton.log_path_count
    elif setting.method in WHOLE:
        weights, log_paths = learned.weights[None, :], 0.0
    else:
        states = places.names
        # Unknown states vote by what all states together teach.
        together = native_ballots(ballots, costs, np.zeros_like(places.states), 1, None)
        shared = learn(together, ballots, costs, setting, highest).weights
        weights = _with_row(learned.weights, shared, len(states))[0]
        drawn_from = None if learned.drawn_from is None else _with_row(learned.drawn_from, shared, len(states))
        log_paths = len(states) * math.log(len(ballots.experts))
    known = ballots.gold[ballots.gold >= 0]
    details = {
        "sentences": len(ballots),
        "tokens": int(known.size),
        "first": learned.first,
        "errors": None if learned.errors is None else learned.errors.tolist(),
        "alphas": None if learned.alphas is None else learned.alphas.tolist(),
    }
    return Fitted(
        experts=ballots.experts,
        labels=ballots.labels,
        states=states,
        weights=weights,
        drawn_from=drawn_from,
        fallback=ballots.labels[int(np.bincount(known).argmax())] if known.size else ballots.labels[0],
        guarantees=guarantees(learned, setting.method, setting.delta, highest, log_paths),
        details=details,
    )


def mean_loss(ballots: Ballots, labels: IntArray, costs: FloatArray) -> float:
    """The mean of the sentences' losses."""
    return float(sentence_losses(ballots, labels, costs).mean()) if len(ballots) else 0.0


def sentence_losses(ballots: Ballots, labels: IntArray, costs: FloatArray) -> FloatArray:
    """The loss of every sentence: the mean cost of its tokens."""
    lost = np.where(ballots.gold >= 0, costs[ballots.gold, labels], 0.0)
    sentence = np.repeat(np.arange(len(ballots)), ballots.lengths)
    found: FloatArray = np.bincount(sentence, lost, len(ballots)) / np.maximum(ballots.lengths, 1)
    return found


def native_ballots(
    ballots: Ballots, costs: FloatArray, rows: IntArray | None, states: int, automaton: Automaton | None
) -> _native.PathBallots:
    """Ballots as the native core takes them; without rows, a token's state is its position."""
    if rows is None:
        rows = keyed(ballots, "position", lambda: ballots.gold).states
        states = int(ballots.lengths.max(initial=0))
    return _native.PathBallots(
        ballots.offsets,
        np.ascontiguousarray(ballots.votes),
        np.ascontiguousarray(ballots.gold),
        np.ascontiguousarray(rows, np.int32),
        np.ascontiguousarray(costs),
        states,
        None if automaton is None else automaton.native(ballots),
    )


def leading_labels(ballots: Ballots) -> IntArray:
    """The label that most experts give each token, -1 where all abstain."""
    zero = np.zeros(len(ballots.votes), np.int32)
    native = native_ballots(ballots, np.zeros((len(ballots.labels),) * 2), zero, 1, None)
    return native.vote(np.ones(len(ballots.experts)), True)[0]


def _with_row(edges: FloatArray, shared: FloatArray, states: int) -> FloatArray:
    """Tables of states by experts, one after another, each with the row of the shared state behind its others."""
    tables = edges.reshape(-1, states, len(shared))
    rows = np.broadcast_to(shared, (len(tables), 1, len(shared)))
    return np.concatenate([tables, rows], axis=1)
