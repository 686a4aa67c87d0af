"""Small lattices for property tests, and the brute force they are compared with."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from oracles.enumeration import Enumeration as Enumeration
from oracles.enumeration import entries as entries

from tagpool import Lattice

NEVER = st.just(-math.inf)
TIES = st.integers(-2, 2).map(float)
USUAL = st.floats(-5, 5)
LARGE = st.floats(-1e4, 1e4)
KINDS = [
    TIES,
    USUAL,
    LARGE,
    st.sampled_from([0.0, 1e4, -1e4, 1e-3]),
    TIES | NEVER,
    USUAL | USUAL | NEVER,
    LARGE | TIES | NEVER,
    st.integers(-10_000, 10_000).map(float) | NEVER,
]
WHOLE = [TIES, TIES | NEVER, st.integers(-10_000, 10_000).map(float), st.sampled_from([0.0, 1e4, -1e4])]


@dataclass(frozen=True)
class Problem:
    """The arguments of a lattice, as nested lists."""

    nodes: list[list[float]]
    edges: Any
    start: list[float] | None = None
    end: list[float] | None = None

    @property
    def tokens(self) -> int:
        return len(self.nodes)

    @property
    def labels(self) -> int:
        return len(self.nodes[0])

    def lattice(self) -> Lattice:
        # One token, and edges that vary: there is no step, and no list has the shape (0, L, L).
        return Lattice(self.nodes, self.edges or np.zeros((0, self.labels, self.labels)), self.start, self.end)

    def enumeration(self, **rules: Any) -> Any:
        return Enumeration(self.nodes, self.edges, self.start, self.end, **rules)


@st.composite
def problems(draw: st.DrawFn, kinds: list[st.SearchStrategy[float]] = KINDS, longest: int = 5, most: int = 4) -> Problem:
    tokens, labels = draw(st.integers(1, longest)), draw(st.integers(1, most))
    node_scores, edge_scores = draw(st.sampled_from(kinds)), draw(st.sampled_from(kinds))

    def row(scores: st.SearchStrategy[float]) -> list[float]:
        return draw(st.lists(scores, min_size=labels, max_size=labels))

    def matrix() -> list[list[float]]:
        return [row(edge_scores) for _ in range(labels)]

    return Problem(
        nodes=[row(node_scores) for _ in range(tokens)],
        edges=[matrix() for _ in range(tokens - 1)] if draw(st.booleans()) else matrix(),
        start=row(node_scores) if draw(st.booleans()) else None,
        end=row(node_scores) if draw(st.booleans()) else None,
    )
