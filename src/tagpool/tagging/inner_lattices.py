"""Lattices of the states of a tagger that has BILOU inside: its n best sequences and its constraints are exact in them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tagpool.chain.checks import FloatArray
from tagpool.chain.lattice import Lattice
from tagpool.corpus.constraints import SchemeConstraints
from tagpool.corpus.corpus import Corpus
from tagpool.experts.forbidden import ForbiddenEdges
from tagpool.experts.linear.expert import Expert
from tagpool.experts.linear.lattices import state_scores
from tagpool.experts.states import States


class InnerLattices:
    """The states of a tagger; ``names`` has the label of each."""

    def __init__(self, tagger: Expert) -> None:
        self.tagger = tagger
        self.states = States(tagger._fitted().labels)
        self.names = list(self.states.names)

    def lattices(self, corpus: Corpus) -> list[Lattice]:
        """Return a lattice of states for every sentence."""
        return list(state_scores(self.tagger, corpus).lattices())

    def expand(self, constraints: SchemeConstraints) -> SchemeConstraints:
        """Return the constraints between states, so that every label sequence has one sequence of states."""
        of, forbidden = self.states.label_of, ForbiddenEdges.of_states(self.tagger)
        return replace(
            constraints,
            labels=self.states.names,
            transitions=constraints.transitions[np.ix_(of, of)] & ~forbidden.transitions,
            start=constraints.start[of] & ~forbidden.start,
            end=constraints.end[of] & ~forbidden.end,
            continues=constraints.continues[np.ix_(of, of)],
        )

    def marginals(self, lattice: Lattice) -> FloatArray:
        """Return the probability of the label of each state, [T][states]."""
        return self.states.sums(lattice.marginals())[:, self.states.label_of]

    def log_probability(self, lattice: Lattice, states: Any) -> float:
        """Return the logarithm of the probability of the labels of a sequence, which may have other states."""
        of = self.states.label_of
        nodes = np.where(of[None, :] == of[np.asarray(states)][:, None], lattice.nodes, -np.inf)
        return Lattice(nodes, lattice.edges, lattice.start, lattice.end).log_partition() - lattice.log_partition()
