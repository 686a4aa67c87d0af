"""Transitions that a tagger must not use when it tags; a pool must not use those that its members must not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagpool.chain.lattice import Labelling, Lattice
from tagpool.experts.label_scheme import MOST_LABELS
from tagpool.experts.linear.lattices import Scored
from tagpool.experts.sequence_tagger import SequenceTagger
from tagpool.experts.states import States
from tagpool.experts.tagger import Tagger

_PENALTY = np.float32(-1e6)
_BOUNDARY = "\0boundary"  # no label


class ForbiddenEdges:
    """Edges that all single taggers with both labels forbid: transitions [L][L], first labels [L], last labels [L]."""

    def __init__(self, tagger: SequenceTagger) -> None:
        number = {label: index for index, label in enumerate(tagger.labels_)}
        count = len(number)
        self.any = False
        if count > MOST_LABELS:
            return
        forbidden, allowed = np.zeros((2, count + 1, count + 1), bool)  # the last row and column: the boundary
        for one in tagger.single_taggers():
            table = _label_table(one)
            places = np.array([*(number.get(label, -1) for label in one.labels_), count])
            of, known = places >= 0, places[places >= 0]
            forbidden[np.ix_(known, known)] |= table[np.ix_(of, of)]
            allowed[np.ix_(known, known)] |= ~table[np.ix_(of, of)]
        self._set(forbidden & ~allowed)

    @classmethod
    def of_states(cls, tagger: Tagger) -> ForbiddenEdges:
        """The edges between the states of a tagger; without labels that have two states, those between its labels."""
        edges = cls.__new__(cls)
        edges._set(_table_of(tagger))
        return edges

    def _set(self, forbidden: NDArray[np.bool_]) -> None:
        self.transitions, self.start, self.end = forbidden[:-1, :-1], forbidden[-1, :-1], forbidden[:-1, -1]
        self.any = bool(forbidden.any())

    def constrain_scores(self, scores: Scored) -> Scored:
        """Return scores whose best sequences have no forbidden edge."""
        return Scored(scores.nodes, *self._penalise(scores), scores.offsets) if self.any else scores

    def constrain(self, lattice: Lattice) -> Lattice:
        """Return a lattice whose best sequence has no forbidden edge."""
        return Lattice(lattice.nodes, *self._penalise(lattice)) if self.any else lattice

    def best_n(self, lattice: Lattice, n: int) -> list[Labelling]:
        """Return the ``n`` best sequences without a forbidden edge; the best sequence if all have one."""
        best = self.constrain(lattice).best_n(n)
        return [one for one in best if one.score > best[0].score + _PENALTY / 2]

    def _penalise(self, scores: Scored | Lattice) -> tuple[Any, Any, Any]:
        # Not minus infinity: without any allowed sequence, the best of all is used.
        return (
            np.where(self.transitions, _PENALTY, scores.edges),
            np.where(self.start, _PENALTY, scores.start),
            np.where(self.end, _PENALTY, scores.end),
        )


def _label_table(tagger: Tagger) -> NDArray[np.bool_]:
    """Return the forbidden edges between labels, [L + 1][L + 1]: those between all of their states."""
    table, states = _table_of(tagger), States((*tagger._fitted().labels, _BOUNDARY))
    if not states.merged:
        return table
    merged: NDArray[np.bool_] = states.sums(states.sums((~table).astype(np.float64)), axis=0) == 0
    return merged


def _table_of(tagger: Tagger) -> NDArray[np.bool_]:
    """Return the forbidden edges between the states of a tagger, [S + 1][S + 1]."""
    count = len(tagger._fitted().labels)
    table = np.zeros((count + 1, count + 1), bool)
    edges = tagger._fitted().forbidden()
    if len(edges):
        rows = edges.reshape(count + 2, count)
        table[:count, :count], table[count, :count], table[:count, count] = rows[:count], rows[count], rows[count + 1]
    return table
