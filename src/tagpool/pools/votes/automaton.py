"""Automaton: a general acyclic automaton of path experts, given as edges between named states.

An edge follows one expert for one token. Every path from the start to an end has the same number of edges, one per token. An
automaton has constraints that a table of states does not have: never return to an expert, switch two experts together, or
exclude an expert at a position.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from tagpool import _native
from tagpool.errors import InputError, check_type
from tagpool.pools.votes.ballots import Ballots
from tagpool.wording import counted


class Automaton:
    """States and edges (from, to, expert), experts by name or number from 0 (default start: the origin of the first edge).

    >>> one_change = Automaton([("s", "a", 0), ("s", "b", 1), ("a", "end", 0), ("a", "end", 1), ("b", "end", 1)])
    >>> len(one_change), one_change.length, one_change.path_count
    (5, 2, 3)
    """

    def __init__(self, edges: Iterable[tuple[Hashable, Hashable, str | int]], start: Hashable | None = None) -> None:
        check_type(edges, Iterable, "edges; write them as [(from, to, expert), ...]")
        self.edges = [_edge(edge, number) for number, edge in enumerate(edges, 1)]
        if not self.edges:
            raise InputError("an automaton needs edges: (from, to, expert), ...")
        self.start = self.edges[0][0] if start is None else start
        self._outgoing: dict[Hashable, list[int]] = {}
        for number, (origin, to, _) in enumerate(self.edges):
            self._outgoing.setdefault(origin, []).append(number)
            self._outgoing.setdefault(to, [])
        if self.start not in self._outgoing:
            raise InputError(f"no edge leaves the start {self.start!r}")
        self._check_acyclic()
        self.states = self._sort_by_depth()
        self.length = self._depth[self.states[-1]]
        self._number = {state: number for number, state in enumerate(self.states)}
        self._check_ends()

    def __len__(self) -> int:
        return len(self.edges)

    def __repr__(self) -> str:
        size = f"{counted(len(self.states), 'state')}, {counted(len(self), 'edge')}"
        return f"<Automaton of {size}, {counted(self.length, 'position')}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Automaton) and (self.edges, self.start) == (other.edges, other.start)

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def positional(cls, experts: int, length: int) -> Automaton:
        """Return an automaton with every expert at every position; equivalent to the key ``position``.

        >>> Automaton.positional(3, 2)
        <Automaton of 3 states, 6 edges, 2 positions>
        """
        for name, value in (("experts", experts), ("length", length)):
            if type(value) is not int or value < 1:
                raise InputError(f"{name}={value!r}: expected a whole number of at least 1")
        return cls([(k, k + 1, expert) for k in range(length) for expert in range(experts)])

    @property
    def path_count(self) -> int:
        """Number of path experts."""
        paths = {state: int(not self._outgoing[state]) for state in self.states}
        for state in reversed(self.states):
            paths[state] += sum(paths[self.edges[number][1]] for number in self._outgoing[state])
        return paths[self.start]

    @property
    def log_path_count(self) -> float:
        """Logarithm of the number of path experts."""
        return math.log(self.path_count)  # exact also for integers above the range of float

    def edge_order(self) -> list[int]:
        """Return the number of each native edge in ``edges``."""
        return [number for state in self.states for number in self._outgoing[state]]

    def native(self, ballots: Ballots) -> _native.PathAutomaton:
        """Return the native automaton; its edges are in the order of ``edge_order``."""
        too_long = np.flatnonzero(ballots.lengths > self.length)
        if too_long.size:
            length = int(ballots.lengths[too_long[0]])
            raise InputError(
                f"it has {counted(length, 'token')}, but the automaton's paths have {counted(self.length, 'edge')}",
                source=f"sentence {too_long[0] + 1}",
            )
        order = self.edge_order()
        counts = [len(self._outgoing[state]) for state in self.states]
        to = [self._number[self.edges[number][1]] for number in order]
        experts = [_expert(self.edges[number][2], ballots.experts) for number in order]
        depth = [self._depth[state] for state in self.states]
        parts = ([0, *np.cumsum(counts).tolist()], to, experts, depth)
        return _native.PathAutomaton(*(np.array(part, np.uint32) for part in parts))

    def to_json(self) -> list[list[Any]]:
        """Return the edges with numbers for states; the start is 0."""
        return [[self._number[origin], self._number[to], expert] for origin, to, expert in self.edges]

    @classmethod
    def from_json(cls, edges: Sequence[Sequence[Any]]) -> Automaton:
        """Return the automaton with these edges."""
        return cls([(int(origin), int(to), expert) for origin, to, expert in edges], start=0)

    # Checks ------------------------------------------------------------------------------------------------------------

    def _check_acyclic(self) -> None:
        """Raise an error that names a cycle, if there is one (Kahn 1962: remove states without incoming edges)."""
        incoming = dict.fromkeys(self._outgoing, 0)
        for _, to, _ in self.edges:
            incoming[to] += 1
        free = [state for state, count in incoming.items() if not count]
        while free:
            for number in self._outgoing[free.pop()]:
                to = self.edges[number][1]
                incoming[to] -= 1
                if not incoming[to]:
                    free.append(to)
        left = {state for state, count in incoming.items() if count}
        if not left:
            return
        walk: list[Hashable] = []
        state = next(iter(left))
        while state not in walk:  # follow edges backwards: every remaining state has a remaining predecessor
            walk.append(state)
            state = next(origin for origin, to, _ in self.edges if to == state and origin in left)
        cycle = [state, *reversed(walk[walk.index(state) :])]
        raise InputError(f"the automaton has a cycle: {' -> '.join(map(repr, cycle))}; path experts need an acyclic one")

    def _sort_by_depth(self) -> list[Hashable]:
        """Return the states by depth; raise an error if a state has two depths or is unreachable."""
        self._depth: dict[Hashable, int] = {self.start: 0}
        order = [self.start]
        for state in order:  # order grows in the loop
            for number in self._outgoing[state]:
                to = self.edges[number][1]
                if to not in self._depth:
                    self._depth[to] = self._depth[state] + 1
                    order.append(to)
                elif self._depth[to] != self._depth[state] + 1:
                    raise InputError(
                        f"state {to!r} is reached by paths of {self._depth[to]} and of "
                        f"{counted(self._depth[state] + 1, 'edge')}; "
                        "all paths to a state must be equally long, since an edge labels the token at its depth"
                    )
        unreachable = next((state for state in self._outgoing if state not in self._depth), None)
        if unreachable is not None:
            raise InputError(f"no path leads from the start {self.start!r} to state {unreachable!r}")
        return order

    def _check_ends(self) -> None:
        early = next((s for s in self.states if not self._outgoing[s] and self._depth[s] < self.length), None)
        if early is not None:
            raise InputError(
                f"paths that end in {early!r} have {counted(self._depth[early], 'edge')}, others {self.length}: "
                "all must be equally long"
            )


def _edge(edge: Any, number: int) -> tuple[Hashable, Hashable, str | int]:
    try:
        origin, to, expert = edge
        hash((origin, to))
    except (TypeError, ValueError):
        raise InputError(f"edge {number}: expected (from, to, expert), got {edge!r}") from None
    if isinstance(expert, bool) or not isinstance(expert, (str, int)):
        raise InputError(f"edge {number}: expected an expert's name or number, got {expert!r}")
    return origin, to, expert


def _expert(expert: str | int, names: Sequence[str]) -> int:
    if isinstance(expert, str):
        if expert not in names:
            raise InputError(f"an edge follows expert {expert!r}, but the experts are {', '.join(map(repr, names))}")
        return names.index(expert)
    if not 0 <= expert < len(names):
        raise InputError(f"an edge follows expert {expert}, but the experts are 0 to {len(names) - 1}")
    return expert
