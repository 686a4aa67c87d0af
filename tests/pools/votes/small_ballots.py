"""Small random ballots and automata."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from oracles.paths import Sentence

from tagpool import Automaton
from tagpool.pools.votes.ballots import Ballots, ballots_of, native_ballots

LABELS = "ABC"


@dataclass
class Small:
    """Sentences with the labels of experts."""

    sentences: list[Sentence]
    experts: int

    def ballots(self) -> Ballots:
        predictions = {
            f"e{j}": [[None if row[j] is None else LABELS[row[j]] for row in votes] for votes, _ in self.sentences]
            for j in range(self.experts)
        }
        return ballots_of(predictions, [[LABELS[y] for y in gold] for _, gold in self.sentences], labels=LABELS)

    def native(self, automaton: Automaton | None = None, states: list[list[int]] | None = None):
        ballots = self.ballots()
        rows = None if states is None else np.array([s for row in states for s in row], np.int32)
        count = 1 + max((s for row in states or [] for s in row), default=0)
        return native_ballots(ballots, 1.0 - np.eye(len(LABELS)), rows, count, automaton)


@st.composite
def smalls(draw: st.DrawFn, longest: int = 3, abstentions: bool = True, same_length: bool = False) -> Small:
    experts = draw(st.integers(2, 3))
    label = st.integers(0, 2)
    messages = st.one_of(label, label, label, st.none()) if abstentions else label
    fixed = draw(st.integers(1, longest))
    sentences = []
    for _ in range(draw(st.integers(2, 6))):
        length = fixed if same_length else draw(st.integers(1, longest))
        votes = [[draw(messages) for _ in range(experts)] for _ in range(length)]
        sentences.append((votes, [draw(label) for _ in range(length)]))
    return Small(sentences, experts)


@st.composite
def automata(draw: st.DrawFn, experts: int, length: int) -> list[tuple[int, int, int]]:
    """Layers of one or two states, edges between neighbouring layers; every state lies on a path."""
    widths = [1, *(draw(st.integers(1, 2)) for _ in range(length - 1)), draw(st.integers(1, 2))]
    first = [sum(widths[:k]) for k in range(len(widths) + 1)]
    edges = []
    for k in range(length):
        here, there = range(first[k], first[k + 1]), range(first[k + 1], first[k + 2])
        pairs = {(s, draw(st.sampled_from(there))) for s in here} | {(draw(st.sampled_from(here)), s) for s in there}
        for origin, to in sorted(pairs):
            who = draw(st.sets(st.integers(0, experts - 1), min_size=1))
            edges += [(origin, to, expert) for expert in sorted(who)]
    return edges
