"""A lattice by brute force: every label sequence, one by one, in plain Python. Slow, and independent of the native core.

Scores are added with ``math.fsum`` (correctly rounded), probabilities are shifted by the best score. Nothing here knows
recursions, messages or logarithms of sums but over the whole list of sequences.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence

Labels = tuple[int, ...]


class Enumeration:
    """All sequences of a lattice given as nested lists; ``edges`` as [from][to], or one such matrix a step."""

    def __init__(self, nodes, edges, start=None, end=None, allowed: Callable[[Labels], bool] = lambda labels: True) -> None:
        self.tokens, self.labels = len(nodes), len(nodes[0])
        self.nodes, self.start, self.end = nodes, start or [0.0] * self.labels, end or [0.0] * self.labels
        # A matrix of numbers is one for all steps; a list of matrices (perhaps none, if there is one token) is one a step.
        shared = len(edges) > 0 and not isinstance(edges[0][0], Sequence)
        self.steps = [edges] * (self.tokens - 1) if shared else list(edges)
        everything = itertools.product(range(self.labels), repeat=self.tokens)
        scored = ((labels, self.score(labels)) for labels in everything if allowed(labels))
        self.scores = {labels: score for labels, score in scored if score > -math.inf}

    def score(self, labels: Labels) -> float:
        terms = [self.start[labels[0]], self.end[labels[-1]]]
        terms += [self.nodes[t][label] for t, label in enumerate(labels)]
        terms += [step[a][b] for step, (a, b) in zip(self.steps, itertools.pairwise(labels), strict=True)]
        return -math.inf if -math.inf in terms else math.fsum(terms)

    def ranked(self) -> list[tuple[Labels, float]]:
        """Best first, equal scores in lexicographic order."""
        return sorted(self.scores.items(), key=lambda item: (-item[1], item[0]))

    def log_partition(self) -> float:
        if not self.scores:
            return -math.inf
        best = max(self.scores.values())
        return best + math.log(math.fsum(math.exp(score - best) for score in self.scores.values()))

    def probabilities(self) -> dict[Labels, float]:
        best = max(self.scores.values())
        weights = {labels: math.exp(score - best) for labels, score in self.scores.items()}
        total = math.fsum(weights.values())
        return {labels: weight / total for labels, weight in weights.items()}

    def log_probability(self, labels: Labels) -> float:
        return self.score(labels) - self.log_partition() if labels in self.scores else -math.inf

    def marginals(self) -> list[list[float]]:
        known = self.probabilities()
        return [
            [math.fsum(p for labels, p in known.items() if labels[t] == i) for i in range(self.labels)]
            for t in range(self.tokens)
        ]

    def pair_marginals(self) -> list[list[list[float]]]:
        known = self.probabilities()
        return [
            [
                [math.fsum(p for labels, p in known.items() if labels[t : t + 2] == (i, j)) for j in range(self.labels)]
                for i in range(self.labels)
            ]
            for t in range(self.tokens - 1)
        ]

    def entropy(self) -> float:
        return -math.fsum(p * math.log(p) for p in self.probabilities().values() if p > 0)


def entries(labels: Labels, group: Iterable[int], continues: Callable[[int, int], bool]) -> int:
    """Count the runs of a group's labels in a sequence, split where a label does not continue the previous one."""
    members = set(group)
    count = 0
    for t, label in enumerate(labels):
        goes_on = t > 0 and labels[t - 1] in members and continues(labels[t - 1], label)
        count += label in members and not goes_on
    return count
