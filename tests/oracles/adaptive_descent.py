"""Averaged stochastic descent with the steps of AdaGrad, written out in float64 with the gradients of the objective."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from oracles.training import MASK, NONE, Problem, random_numbers, shuffled

from tagpool import _native

Numbers = NDArray[np.float64]


class SlowDescent:
    """Descent by one sentence per step. A feature occurs at most once in a sentence, so the order of updates does not matter."""

    def __init__(self, problem: Problem, training: _native.TrainingSet, chain: bool, l2: float, eta: float) -> None:
        self.problem, self.chain, self.l2, self.eta, self.seed = problem, chain, l2, eta, 7
        tokens = list(itertools.chain.from_iterable(problem.rows))
        # Every token has one feature of its own: the gradients of its weights are those of the scores of the token.
        alone = [[[(number, 1.0)]] for number in range(len(tokens))]
        places = iter(alone)
        rows = [[next(places)[0] for _ in sentence] for sentence in problem.rows]
        unfolded = Problem(rows, problem.gold, len(tokens), problem.labels).training_set(all_pairs=True)
        self.unfolded = unfolded
        self.cells = list(zip(training.cell_features().tolist(), training.cell_labels().tolist(), strict=True))
        self.counts = np.bincount([k for token in tokens for k, _ in token], minlength=problem.features)
        free = np.bincount([feature for feature, _ in self.cells], minlength=problem.features)
        self.is_row = free >= (1 if training.cell_count == problem.features * problem.labels else 2)
        edges = problem.labels * (problem.labels + 2) if chain else 0
        self.cell_weights, self.edge_weights = np.zeros((problem.features, problem.labels)), np.zeros(edges)
        self.free = np.zeros((problem.features, problem.labels))
        for feature, label in self.cells:
            self.free[feature, label] = 1
        self.row_squares = np.ones(problem.features)
        self.cell_squares, self.edge_squares = np.ones_like(self.cell_weights), np.ones(edges)

    def parameters(self) -> Numbers:
        """The weights in the order of the native ones."""
        return np.array([*(self.cell_weights[cell] for cell in self.cells), *self.edge_weights])

    def gradient(self, sentence: int, weights: NDArray[np.float32]) -> tuple[float, Numbers, Numbers]:
        """The loss of a sentence, the gradients of the scores of all tokens, and those of the edges."""
        scores = self.problem.matrix() @ self.cell_weights
        starts = np.cumsum([0, *map(len, self.problem.rows)])
        example = np.zeros(len(self.problem.rows) if self.chain else starts[-1], np.float32)
        place = slice(sentence, sentence + 1) if self.chain else slice(starts[sentence], starts[sentence + 1])
        example[place] = weights[place] if len(weights) else 1.0
        point = np.concatenate([scores.ravel(), self.edge_weights])
        loss, gradient = _native.Objective(self.unfolded, self.chain, 0.0, example, 1)(point)
        return loss, gradient[: scores.size].reshape(scores.shape), gradient[scores.size :]

    def step(self, sentence: int, seen: int, weights: NDArray[np.float32]) -> float:
        """Move by the gradient of one sentence; return its loss."""
        count = len(self.problem.rows)
        eta = self.eta / (1 + self.eta * self.l2 / count * seen) ** 0.75
        loss, nodes, edges = self.gradient(sentence, weights)
        first = sum(map(len, self.problem.rows[:sentence]))
        before, random = self.cell_weights.copy(), random_numbers(self.seed * 0x9E3779B97F4A7C15 + seen & MASK)
        for t, token in enumerate(self.problem.rows[sentence]):
            weight = 1.0 if not len(weights) else weights[sentence if self.chain else first + t]
            node = nodes[first + t] * (np.abs(nodes[first + t]).max() >= 1e-7)  # smaller ones are rounding errors
            times = occurrences(node, weight, random)
            for k, value in token if times else []:
                self.row_squares[k] += times * value**2 * (node**2).sum()
                self.cell_squares[k] += times * (value * node) ** 2
                squares = np.full(len(node), self.row_squares[k]) if self.is_row[k] else self.cell_squares[k]
                scale = 1 / np.sqrt(squares)
                growth = np.minimum(0.5, times * eta * self.l2 / self.counts[k] * (1 - scale)) * before[k]
                moves = growth - eta * scale * times * value * node
                self.cell_weights[k] += self.free[k] * np.where(self.is_row[k] | (node != 0), moves, 0)
        self.edge_squares += edges**2
        scale = 1 / np.sqrt(self.edge_squares)
        self.edge_weights += eta * self.l2 / count * (1 - scale) * self.edge_weights - eta * scale * edges
        shrinkage = 1 + eta * self.l2 / count
        self.cell_weights, self.edge_weights = self.cell_weights / shrinkage, self.edge_weights / shrinkage
        return loss


def occurrences(gradient: Numbers, weight: float, random: Iterator[int]) -> float:
    """The number of occurrences that a token stands for: 1, or 1 / probability if its gradient is small and it is sampled."""
    norm, small = np.sqrt((gradient**2).sum()), 0.02 * weight
    if norm >= small:
        return 1.0
    probability = max(norm / small, 0.05)
    return 1 / probability if (next(random) >> 11) * 2.0**-53 < probability else 0.0


def slow_descent(descent: SlowDescent, epochs: int, weights: NDArray[np.float32] = NONE) -> tuple[Numbers, Numbers, list[float]]:
    """Plain and averaged weights, and mean losses. Averaging begins with the second epoch; later steps weigh more."""
    sentences = len(descent.problem.rows)
    numbers, losses, seen, averaged = random_numbers(descent.seed), [], 0, 0
    average = descent.parameters()
    for epoch in range(epochs):
        total = 0.0
        for sentence in shuffled(sentences, numbers):
            total += descent.step(sentence, seen, weights)
            seen += 1
            if epoch >= 1:
                averaged += 1
                average += 4 / (averaged + 3) * (descent.parameters() - average)
        losses.append(total / sentences)
    return descent.parameters(), average, losses
