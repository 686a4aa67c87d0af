"""Members with fixed lattices, and pools by brute force over every label sequence."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from oracles.enumeration import Enumeration

from tagpool import Lattice

LABELS = ("A", "B", "C")


@dataclass
class Fixed:
    """A tagger with fixed lattices."""

    fixed: list[Lattice]
    labels_: tuple[str, ...]
    is_fitted: bool = True

    def single_taggers(self) -> list[Any]:
        return []

    def lattices(self, sentences: Any) -> list[Lattice]:
        assert len(sentences) == len(self.fixed)
        return self.fixed

    def predict(self, sentences: Any) -> list[list[str]]:
        return [[self.labels_[n] for n in lattice.best().labels] for lattice in self.fixed]


@dataclass
class Tiny:
    """Lattices of one sentence as nested lists, [member](nodes, edges, start, end), with member weights and gold labels."""

    members: list[tuple[Any, Any, Any, Any]]
    shares: np.ndarray
    gold: list[int]

    @property
    def labels(self) -> tuple[str, ...]:
        return LABELS[: len(self.members[0][2])]

    @property
    def sentence(self) -> list[str]:
        return ["x"] * len(self.members[0][0])

    def lattices(self) -> list[Lattice]:
        L = len(self.labels)
        return [Lattice(nodes, edges or np.zeros((0, L, L)), start, end) for nodes, edges, start, end in self.members]

    def taggers(self) -> list[Fixed]:
        return [Fixed([lattice], self.labels) for lattice in self.lattices()]

    def probabilities(self) -> list[dict[tuple[int, ...], float]]:
        """The probability of every sequence, by member."""
        result = []
        for member in self.members:
            known = Enumeration(*member).probabilities()
            result.append({y: known.get(y, 0.0) for y in itertools.product(range(len(self.labels)), repeat=len(self.sentence))})
        return result


def shares_of(count: int) -> st.SearchStrategy[np.ndarray]:
    whole = st.lists(st.integers(1, 9), min_size=count, max_size=count)
    return whole.map(lambda parts: np.array(parts) / sum(parts))


@st.composite
def tinies(draw: st.DrawFn, scores: st.SearchStrategy[float] | None = None, most_members: int = 3) -> Tiny:
    """T up to 4, L up to 3."""
    T, L, M = draw(st.integers(1, 4)), draw(st.integers(2, 3)), draw(st.integers(1, most_members))
    scores = st.floats(-3, 3) if scores is None else scores

    def row() -> list[float]:
        return draw(st.lists(scores, min_size=L, max_size=L))

    def matrix() -> list[list[float]]:
        return [row() for _ in range(L)]

    vary = draw(st.booleans())
    members = [
        ([row() for _ in range(T)], [matrix() for _ in range(T - 1)] if vary else matrix(), row(), row()) for _ in range(M)
    ]
    return Tiny(members, draw(shares_of(M)), draw(st.lists(st.integers(0, L - 1), min_size=T, max_size=T)))


def close(one: Any, other: Any, *, within: float = 1e-9) -> bool:
    return bool(np.allclose(np.asarray(one), np.asarray(other), rtol=0, atol=within))


def log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf
