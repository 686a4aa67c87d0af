"""Decisive features: the fewest features of a token without which it gets another label, the rest of the sentence unchanged.

Only the scores of the token itself change when it loses features. A *bigram* is a label of the token with a label of the token
before it; at the first token, and without transition features, it is the label alone. The best score of a sequence through each
bigram is computed once. The label of the token is then that of the best bigram, after subtraction of the removed features.

Features of the token alone give the same score to every bigram of a label. So the fewest of them by which another label r
overtakes are those with the largest contributions to the lead over r, largest first. The fewest of all is the minimum over all r
and over all subsets of the features of the transition into the token. There are few of these; smaller subsets are tried first.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations, islice

import numpy as np
from numpy.typing import NDArray

from tagpool.chain.lattice import Lattice
from tagpool.experts.inside.sentence_weights import Array, TokenWeights

_ROUNDING = 1e-4  # scores are float32 sums: a smaller lead counts as a tie
_MOST_SUBSETS = 4096  # of transition features: all subsets of 12


class Decisions:
    """Best scores through every label and bigram of a sentence, whose lattice has T tokens and L labels.

    ``groups`` has a number for each label of the lattice. Labels with the same number are states of one label.
    """

    def __init__(self, lattice: Lattice, groups: NDArray[np.int32]) -> None:
        self.lattice = lattice
        self.groups = groups
        self.ahead, self.behind = _best_ahead_and_behind(lattice)

    def decisive(self, place: int, label: int, token: TokenWeights) -> tuple[list[str], int] | None:
        """A smallest set of features, by name, without which a token has another label, and that label; None without one."""
        scores, befores, labels = self._bigrams(place, token)
        steps = token.steps[:, befores, labels]
        gains = token.scores[:, [label]] - token.scores
        order = np.argsort(-gains, axis=0, kind="stable")
        totals = np.zeros((len(gains) + 1, gains.shape[1]))  # [n][r]: the sum of the n largest gains over label r
        np.cumsum(np.take_along_axis(gains, order, axis=0), axis=0, out=totals[1:])
        smallest: tuple[list[str], int] | None = None
        for removed in _subsets(len(steps)):
            most = len(gains) if smallest is None else len(smallest[0]) - len(removed) - 1
            if most < 0:
                break
            best = np.full(gains.shape[1], -np.inf)
            np.maximum.at(best, labels, scores - steps[list(removed)].sum(axis=0))
            lead = best[label] - best
            enough = (totals > lead + _ROUNDING)[: most + 1]  # [n][r]: whether n features are enough for label r
            enough[:, self.groups == self.groups[label]] = False
            for count, other in _by_count(enough, totals - lead):
                chosen = order[:count, other].tolist()
                instead = self._label_without(place, token, chosen, removed)
                if self.groups[instead] != self.groups[label]:
                    names = [token.names[i] for i in chosen] + [token.step_names[i] for i in removed]
                    smallest = names, instead
                    break
        return smallest

    def _bigrams(self, place: int, token: TokenWeights) -> tuple[Array, NDArray[np.int64], NDArray[np.int64]]:
        """The best score through every possible bigram, with the label before (-1: any) and the label of each."""
        nodes, count = self.lattice.nodes[place], self.lattice.nodes.shape[1]
        if len(token.steps):
            before = self.ahead[place - 1] + self.lattice.nodes[place - 1]
            steps = _edges(self.lattice, place - 1)
            scores = (before[:, None] + steps + (nodes + self.behind[place])[None, :]).ravel()
            befores, labels = np.divmod(np.arange(count * count), count)
        else:
            scores, befores, labels = self.ahead[place] + nodes + self.behind[place], np.full(count, -1), np.arange(count)
        possible = np.flatnonzero(np.isfinite(scores))
        return scores[possible], befores[possible], labels[possible]

    def _label_without(self, place: int, token: TokenWeights, chosen: list[int], removed: tuple[int, ...]) -> int:
        """The label of a token that is tagged again without these features."""
        nodes, edges = self.lattice.nodes.copy(), self.lattice.edges
        nodes[place] -= token.scores[chosen].sum(axis=0)
        if removed:
            edges = edges.copy()
            edges[place - 1] -= token.steps[list(removed)].sum(axis=0)
        return int(Lattice(nodes, edges, self.lattice.start, self.lattice.end).best().labels[place])


def _subsets(count: int) -> Iterator[tuple[int, ...]]:
    sizes = (combinations(range(count), size) for size in range(count + 1))
    return islice(chain.from_iterable(sizes), _MOST_SUBSETS)


def _by_count(enough: NDArray[np.bool_], excess: Array) -> Iterator[tuple[int, int]]:
    """Numbers of features and labels, fewest features first, then the label that they favour most."""
    for count in np.flatnonzero(enough.any(axis=1)).tolist():
        for other in sorted(np.flatnonzero(enough[count]).tolist(), key=lambda label: -excess[count, label]):
            yield count, other


def _edges(lattice: Lattice, step: int) -> Array:
    return lattice.edges if lattice.edges.ndim == 2 else lattice.edges[step]


def _best_ahead_and_behind(lattice: Lattice) -> tuple[Array, Array]:
    """The best scores [T][L] of the tokens before each token and label, and of those after it."""
    nodes = lattice.nodes
    ahead, behind = np.empty_like(nodes), np.empty_like(nodes)
    ahead[:1], behind[-1:] = lattice.start, lattice.end
    for t in range(1, len(nodes)):
        ahead[t] = ((ahead[t - 1] + nodes[t - 1])[:, None] + _edges(lattice, t - 1)).max(axis=0)
    for t in range(len(nodes) - 2, -1, -1):
        behind[t] = (_edges(lattice, t) + (nodes[t + 1] + behind[t + 1])[None, :]).max(axis=1)
    return ahead, behind
