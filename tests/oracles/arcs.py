"""Training problems whose transitions look two labels back, or at features: their loss by summing over all label sequences."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles.training import Problem, problems

from tagpool import GivenEncoder, _native

Rows = list[list[list[tuple[int, float]]]]
FIRST = -2  # the label before a sentence


@dataclass
class ArcProblem:
    """A problem with features of transitions beside it, and an order."""

    base: Problem
    order: int
    history: Rows
    history_features: int

    def training_set(self, *, all_pairs: bool = True, dense_from: int = 2) -> _native.TrainingSet:
        """The native one."""
        gold = np.array([label for sentence in self.base.gold for label in sentence], np.int32)
        rows = encoding(self.base.rows, self.base.features)
        history = encoding(self.history, self.history_features) if self.history_features else None
        return _native.TrainingSet(
            rows,
            gold,
            self.base.features,
            self.base.labels,
            all_pairs,
            dense_from,
            order=self.order,
            history=history,
            history_features=self.history_features,
        )

    def pairs(self) -> set[tuple[int, int]]:
        """The label pairs that may follow each other."""
        everything = set(itertools.product(range(self.base.labels), repeat=2))
        if self.order == 1 or any(-1 in gold for gold in self.base.gold):
            return everything
        met = {pair for gold in self.base.gold for pair in itertools.pairwise(gold)}
        followed = {a for a, _ in met}
        return met | {(a, b) for a, b in everything if a not in followed}

    def trigrams(self) -> list[tuple[int, int, int]]:
        """Those with a weight, before the sentence first, else by the middle label."""
        if self.order == 1:
            return []
        met = {
            (a, b, c)
            for gold in self.base.gold
            for a, b, c in zip([FIRST, *gold], gold, gold[1:], strict=False)
            if -1 not in (a, b, c)
        }
        return sorted(met, key=lambda each: (each[0] != FIRST, each[1], each[0], each[2]))

    def triples(self) -> list[tuple[int, int, int]]:
        """Feature and both labels, where they occur."""
        met = {
            (k, a, b)
            for rows, gold in zip(self.history, self.base.gold, strict=True)
            for token, (a, b) in zip(rows[1:], itertools.pairwise(gold), strict=True)
            for k, _ in token
            if a >= 0 and b >= 0
        }
        return sorted(met)

    def named(self, training: _native.TrainingSet, parameters: NDArray[np.float64]) -> Weights:
        """What the parameters mean."""
        L = self.base.labels
        values = iter(parameters.tolist())
        names = zip(training.pair_features().tolist(), training.pair_labels().tolist(), strict=True)
        pairs = {name: next(values) for name in names}
        edges = np.array([next(values) for _ in range(L * (L + 2))])
        own = {trigram: next(values) for trigram in self.trigrams()}
        triples = {triple: next(values) for triple in self.triples()}
        assert next(values, None) is None
        return Weights(pairs, edges[: L * L].reshape(L, L), edges[L * L : -L], edges[-L:], own, triples)

    def scores(self, weights: Weights, sentence: int) -> dict[tuple[int, ...], float]:
        """Every label sequence that may be, with its score."""
        rows, history = self.base.rows[sentence], self.history[sentence]
        allowed = self.pairs()
        found = {}
        for labels in itertools.product(range(self.base.labels), repeat=len(rows)):
            if not all(pair in allowed for pair in itertools.pairwise(labels)):
                continue
            score = weights.start[labels[0]] + weights.end[labels[-1]]
            for t, y in enumerate(labels):
                score += sum(weights.pairs.get((k, y), 0.0) * value for k, value in rows[t])
                if t == 0:
                    continue
                before = labels[t - 2] if t > 1 else FIRST
                score += weights.transitions[labels[t - 1], y] + weights.own.get((before, labels[t - 1], y), 0.0)
                score += sum(weights.triples.get((k, labels[t - 1], y), 0.0) * value for k, value in history[t])
            found[labels] = score
        return found

    def loss(self, weights: Weights, example_weights: list[float]) -> float:
        """-sum_i c_i log p(known labels of i)."""
        total = 0.0
        for number, (gold, weight) in enumerate(zip(self.base.gold, example_weights, strict=True)):
            scores = self.scores(weights, number)
            known = [s for labels, s in scores.items() if all(g in (-1, y) for g, y in zip(gold, labels, strict=True))]
            total += weight * (log_sum(scores.values()) - log_sum(known))
        return total


@dataclass
class Weights:
    """Weights by what they belong to."""

    pairs: dict[tuple[int, int], float]
    transitions: NDArray[np.float64]
    start: NDArray[np.float64]
    end: NDArray[np.float64]
    own: dict[tuple[int, int, int], float]
    triples: dict[tuple[int, int, int], float]


def log_sum(values) -> float:
    values = list(values)
    best = max(values)
    return best + math.log(math.fsum(math.exp(value - best) for value in values))


def encoding(rows: Rows, features: int) -> _native.Encoding:
    encoder = GivenEncoder().fit([[{f"f{k}": 1.0} for k in range(features)]])
    return encoder.transform([[{f"f{k}": value for k, value in token} for token in sentence] for sentence in rows]).native


@st.composite
def arc_problems(draw: st.DrawFn, unknown: bool = True) -> ArcProblem:
    base = draw(problems(unknown=unknown and draw(st.booleans())))
    order = draw(st.sampled_from([1, 2, 2]))
    features = draw(st.integers(1 if order == 1 else 0, 3))
    value = st.sampled_from([1.0, 1.0, 0.5, -2.0])
    token = st.dictionaries(st.integers(0, max(features - 1, 0)), value, max_size=2 if features else 0)
    history = [[list(draw(token).items()) for _ in sentence] for sentence in base.rows]
    return ArcProblem(base, order, history, features)
