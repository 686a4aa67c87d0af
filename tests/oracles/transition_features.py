"""Training problems with transition features: their loss by summing over all label sequences."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles.training import Problem, problems, random_problem

from tagpool import GivenEncoder, _native

Rows = list[list[list[tuple[int, float]]]]


@dataclass
class TransitionProblem:
    """A problem with transition features beside it."""

    base: Problem
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
            _native.Layout(all_cells=all_pairs, dense_from=dense_from),
            None if history is None else (history, self.history_features),
        )

    def cells(self) -> list[tuple[int, int, int]]:
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
        """Names of the parameters."""
        L = self.base.labels
        values = iter(parameters.tolist())
        names = zip(training.cell_features().tolist(), training.cell_labels().tolist(), strict=True)
        pairs = {name: next(values) for name in names}
        edges = np.array([next(values) for _ in range(L * (L + 2))])
        cells = {cell: next(values) for cell in self.cells()}
        assert next(values, None) is None
        return Weights(pairs, edges[: L * L].reshape(L, L), edges[L * L : -L], edges[-L:], cells)

    def scores(self, weights: Weights, sentence: int) -> dict[tuple[int, ...], float]:
        """Every label sequence with its score."""
        rows, history = self.base.rows[sentence], self.history[sentence]
        result = {}
        for labels in itertools.product(range(self.base.labels), repeat=len(rows)):
            score = weights.start[labels[0]] + weights.end[labels[-1]]
            for t, y in enumerate(labels):
                score += sum(weights.pairs.get((k, y), 0.0) * value for k, value in rows[t])
                if t == 0:
                    continue
                score += weights.transitions[labels[t - 1], y]
                score += sum(weights.cells.get((k, labels[t - 1], y), 0.0) * value for k, value in history[t])
            result[labels] = score
        return result

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
    cells: dict[tuple[int, int, int], float]


def log_sum(values) -> float:
    values = list(values)
    best = max(values)
    return best + math.log(math.fsum(math.exp(value - best) for value in values))


def encoding(rows: Rows, features: int) -> _native.Encoding:
    encoder = GivenEncoder().fit([[{f"f{k}": 1.0} for k in range(features)]])
    return encoder.transform([[{f"f{k}": value for k, value in token} for token in sentence] for sentence in rows]).native


@st.composite
def transition_problems(draw: st.DrawFn, unknown: bool = True) -> TransitionProblem:
    base = draw(problems(unknown=unknown and draw(st.booleans())))
    features = draw(st.integers(1, 3))
    value = st.sampled_from([1.0, 1.0, 0.5, -2.0])
    token = st.dictionaries(st.integers(0, features - 1), value, max_size=2)
    history = [[list(draw(token).items()) for _ in sentence] for sentence in base.rows]
    return TransitionProblem(base, history, features)


def larger(labels: int, *, features: int = 5, unknown: bool = False, seed: int = 1) -> TransitionProblem:
    """A problem of 30 sentences, too large for enumeration; ``unknown`` removes three labels."""
    base = random_problem(30, 9, labels, max(labels, 4), seed)
    random = np.random.default_rng(seed)
    if unknown:
        base.gold[3][2] = base.gold[7][0] = base.gold[7][8] = -1
    history = [
        [[(int(k), 1.0) for k in set(random.integers(0, features, 2).tolist())] if features else [] for _ in sentence]
        for sentence in base.rows
    ]
    return TransitionProblem(base, history, features)
