"""The fewest features of a token without which it is labelled otherwise, with the rest of the sentence as it is.

Only what the token itself adds changes when it loses features. So for each pair of labels that it and the token before it may
have (a *cell*; at the first token, and where no feature looks at the label before, just the label), the best score of a sequence
through the cell is found once. Its label then is that of the best cell, less what the features left out give to it.

Features of the token alone give the same to every cell of a label. Hence the fewest of them by which another label r overtakes
are those that give most to the lead over r, largest first; and the fewest of all are the fewest over all r, and over all choices
of features of the transition into the token to leave out besides. There are few of those; smaller choices are tried first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations, islice

import numpy as np
from numpy.typing import NDArray

from tagpool.chain.lattice import Lattice
from tagpool.experts.inside.sentence_weights import Array, TokenWeights

_ROUNDING = 1e-4  # scores are sums in float32: a lead within this is none
_MOST_CHOICES = 4096  # of features of a transition: all choices from 12


@dataclass(frozen=True)
class Decisive:
    """Features by name, and the label that a token has without them."""

    names: list[str]
    instead: int


class Decisions:
    """The cells of every token of a sentence.

    ``lattice`` is over states, whose last labels are ``labels`` and whose labels before are ``before`` (-1: any): the pairs of
    labels of a chain of order 2, or the labels themselves.
    """

    def __init__(self, lattice: Lattice, labels: NDArray[np.int64], before: NDArray[np.int64]) -> None:
        self.lattice = lattice
        self.labels = labels
        self.before = before
        self.ahead, self.behind = _best_ahead_and_behind(lattice)

    def cells(self, place: int, token: TokenWeights) -> tuple[Array, NDArray[np.int64], NDArray[np.int64]]:
        """The best score through every cell that can be, with the label before (-1: any) and the label of each."""
        nodes = self.lattice.nodes[place]
        if len(token.steps) and self.before.max() < 0:
            count = len(self.labels)
            steps = self.lattice.edges if self.lattice.edges.ndim == 2 else self.lattice.edges[place - 1]
            before = self.ahead[place - 1] + self.lattice.nodes[place - 1]
            scores = (before[:, None] + steps + (nodes + self.behind[place])[None, :]).ravel()
            befores, labels = np.divmod(np.arange(count * count), count)
        else:
            scores, befores, labels = self.ahead[place] + nodes + self.behind[place], self.before, self.labels
        possible = np.flatnonzero(np.isfinite(scores))
        return scores[possible], befores[possible], labels[possible]

    def possible_labels(self, place: int) -> set[int]:
        """The labels a token may have."""
        scores = self.ahead[place] + self.lattice.nodes[place] + self.behind[place]
        return set(self.labels[np.isfinite(scores)].tolist())

    def decisive(self, place: int, label: int, token: TokenWeights) -> Decisive | None:
        """A smallest set of features without which a token has another label; None if there is none."""
        scores, befores, labels = self.cells(place, token)
        steps = token.steps[:, befores, labels]
        gains = token.scores[:, [label]] - token.scores
        order = np.argsort(-gains, axis=0, kind="stable")
        taken = np.zeros((len(gains) + 1, gains.shape[1]))
        np.cumsum(np.take_along_axis(gains, order, axis=0), axis=0, out=taken[1:])
        found: Decisive | None = None
        for left_out in _choices(len(steps)):
            if found is not None and len(left_out) >= len(found.names):
                break
            best = np.full(gains.shape[1], -np.inf)
            np.maximum.at(best, labels, scores - steps[list(left_out)].sum(axis=0))
            lead = best[label] - best
            enough = taken > lead + _ROUNDING
            enough[:, label] = False
            most = len(gains) if found is None else len(found.names) - len(left_out) - 1
            found = self._fewest(place, label, token, left_out, lead, taken, order, enough[: most + 1]) or found
        return found

    def _fewest(
        self,
        place: int,
        label: int,
        token: TokenWeights,
        left_out: tuple[int, ...],
        lead: Array,
        taken: Array,
        order: NDArray[np.intp],
        enough: NDArray[np.bool_],
    ) -> Decisive | None:
        """With these features of the transition left out, and the fewest of the token's own."""
        for count in np.flatnonzero(enough.any(axis=1)).tolist():
            # Among those that do with as few, the label that gets furthest ahead.
            for other in sorted(np.flatnonzero(enough[count]).tolist(), key=lambda r: lead[r] - taken[count, r]):
                chosen = order[:count, other].tolist()
                instead = self._label_without(place, token, chosen, left_out)
                if instead != label:
                    names = [token.names[i] for i in chosen] + [token.step_names[i] for i in left_out]
                    return Decisive(names, instead)
        return None

    def _label_without(self, place: int, token: TokenWeights, chosen: list[int], left_out: tuple[int, ...]) -> int:
        """The label of a token that lacks these features: tagged again."""
        nodes, edges = self.lattice.nodes.copy(), self.lattice.edges
        nodes[place] -= token.scores[chosen].sum(axis=0)[self.labels]
        steps = token.steps[list(left_out)].sum(axis=0)
        if left_out and self.before.max() < 0:
            edges = edges.copy()
            edges[place - 1] -= steps
        elif left_out:
            nodes[place] -= np.where(self.before >= 0, steps[self.before, self.labels], 0.0)
        best = Lattice(nodes, edges, self.lattice.start, self.lattice.end).best().labels[place]
        return int(self.labels[best])


def _choices(count: int) -> Iterator[tuple[int, ...]]:
    sizes = (combinations(range(count), size) for size in range(count + 1))
    return islice(chain.from_iterable(sizes), _MOST_CHOICES)


def _best_ahead_and_behind(lattice: Lattice) -> tuple[Array, Array]:
    """For each token and state the best score of what comes before the token, and of what comes after it."""
    nodes = lattice.nodes
    ahead, behind = np.empty_like(nodes), np.empty_like(nodes)
    ahead[0], behind[-1] = lattice.start, lattice.end

    def edges(step: int) -> Array:
        return lattice.edges if lattice.edges.ndim == 2 else lattice.edges[step]

    for t in range(1, len(nodes)):
        ahead[t] = ((ahead[t - 1] + nodes[t - 1])[:, None] + edges(t - 1)).max(axis=0)
    for t in range(len(nodes) - 2, -1, -1):
        behind[t] = (edges(t) + (nodes[t + 1] + behind[t + 1])[None, :]).max(axis=1)
    return ahead, behind
