"""Lattice: the scores of all label sequences of a sentence, as a value. Scores in; partition, best, marginals, samples out.

A sequence y of T labels out of L scores Σ_t nodes[t, y_t] + Σ_t edges[y_{t-1}, y_t] + start[y_0] + end[y_{T-1}], and has
the probability e^score / Z: a linear-chain conditional random field (Lafferty, McCallum and Pereira, ICML 2001). A maximum
entropy tagger is a lattice with zero edges, and a logarithmic opinion pool the weighted sum of its members' lattices.

Not here: where scores come from (the experts), names of labels (``Scheme.constraints``), and the
arithmetic, which is native/chain.hpp. All of it is float64, takes O(T·L²) time and O(T·L) memory unless said otherwise, and
loses nothing to overflow or underflow: scores of ±10,000 and sentences of 50,000 tokens are fine.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tagpool import _native
from tagpool.chain import constraints
from tagpool.chain.checks import FloatArray, LabelArray, as_allowed, as_groups, as_labels, as_number, as_scores, demand_shape
from tagpool.errors import InputError

_IMPOSSIBLE = "no label sequence is possible: every one meets a score of -inf; check the forbidden labels and transitions"


class Labelling(NamedTuple):
    """A label sequence, as numbers, with its score."""

    labels: LabelArray
    score: float


class Lattice:
    """The scores of every label sequence of one sentence.

    ``nodes`` has the shape (T, L), ``edges`` (L, L) as [from, to], or (T-1, L, L) if they differ from step to step (features on
    transitions); ``start`` and ``end`` (L,) are added at the two ends. A score of -inf forbids. Arrays are copied and read-only.

    >>> lattice = Lattice(nodes=[[1.0, 0.0], [0.0, 0.0], [0.0, 2.0]], edges=[[1.0, 0.0], [0.0, 1.0]])
    >>> lattice.best()
    Labelling(labels=array([0, 0, 1], dtype=int32), score=4.0)
    >>> lattice.marginals().round(3).tolist()
    [[0.662, 0.338], [0.425, 0.575], [0.142, 0.858]]
    """

    def __init__(self, nodes: ArrayLike, edges: ArrayLike, start: ArrayLike | None = None, end: ArrayLike | None = None) -> None:
        self.nodes = as_scores(nodes, "nodes")
        if self.nodes.ndim != 2 or 0 in self.nodes.shape:
            raise InputError(f"expected shape (tokens, labels), both at least 1, got {self.nodes.shape}", source="nodes")
        T, L = self.nodes.shape
        self.edges = as_scores(edges, "edges")
        demand_shape(self.edges, "edges", (L, L), (T - 1, L, L))
        self.start = as_scores(np.zeros(L) if start is None else start, "start")
        demand_shape(self.start, "start", (L,))
        self.end = as_scores(np.zeros(L) if end is None else end, "end")
        demand_shape(self.end, "end", (L,))
        self._chain = _native.Chain(self.nodes, self.edges, self.start, self.end)

    def __len__(self) -> int:
        return len(self.nodes)

    def __repr__(self) -> str:
        kind = "edges" if self.edges.ndim == 2 else "edges for each step"
        return f"<Lattice of {len(self)} tokens, {self.label_count} labels, {kind}>"

    def __reduce__(self) -> tuple[type[Lattice], tuple[FloatArray, ...]]:
        return Lattice, (self.nodes, self.edges, self.start, self.end)

    @property
    def label_count(self) -> int:
        """Number of labels."""
        return int(self.nodes.shape[1])

    @cached_property
    def _messages(self) -> _native.Messages:
        """The backward pass, which everything that sums shares."""
        return self._chain.messages()

    def _possible_messages(self) -> _native.Messages:
        if not self._messages.possible:
            raise InputError(_IMPOSSIBLE)
        return self._messages

    def score(self, labels: Sequence[int] | NDArray[np.integer[Any]]) -> float:
        """Return the score of a label sequence; -inf if it is forbidden.

        It is summed from the last token to the first, as the searches do, so that it equals their scores exactly.

        >>> Lattice([[1.0, 0.0], [0.0, 0.5]], np.zeros((2, 2))).score([0, 1])
        1.5
        """
        return self._chain.score(as_labels(labels, len(self), self.label_count))

    def best(self, *, at_most_once: Iterable[int | Iterable[int]] = (), continues: ArrayLike | None = None) -> Labelling:
        """Return the label sequence with the highest score; among equal ones the lexicographically smallest.

        "Equal" is what sums in float64 say, from the last token to the first: sure for whole numbers, while scores such as
        0.1 + 0.2 and 0.3 may differ by a rounding.

        ``at_most_once`` restricts the search, exactly, to sequences in which each of the items happens at most once. An item
        is a label, which may then stand on one token only, or a group of labels, which may be *entered* only once: a run of
        tokens with labels of the group counts once, whatever its length. Where ``continues[before, label]`` is False a new run
        begins within a group: with ``B-X`` and ``I-X`` as a group, and ``continues`` from ``Scheme.constraints``, there
        is at most one chunk of type X. A label may be in one group only. Time and memory double with each group that the best
        sequence without it would enter twice, and with no others.

        >>> lattice = Lattice([[0.0, 3.0], [0.0, 1.0], [0.0, 2.0], [0.0, 2.0]], np.zeros((2, 2)))
        >>> lattice.best().labels.tolist()
        [1, 1, 1, 1]
        >>> lattice.best(at_most_once=[1]).labels.tolist()
        [1, 0, 0, 0]
        >>> lattice.constrained(fixed={1: 0}).best(at_most_once=[(1,)]).labels.tolist()
        [0, 0, 1, 1]
        """
        L = self.label_count
        allowed = np.ones((L, L), bool) if continues is None else as_allowed(continues, "continues", (L, L)).copy()
        group_of = [-1] * L
        for number, (members, grouped) in enumerate(as_groups(at_most_once, L)):
            for label in members:
                group_of[label] = number
                allowed[label, label] &= grouped
        if max(group_of) < 0:
            labels, score = self._chain.best()
        else:
            try:
                labels, score = self._chain.best_once(group_of, allowed.tobytes())
            except _native.InputFault as fault:
                raise InputError(fault.args[0]) from None
        if score == -math.inf:
            raise InputError(_IMPOSSIBLE + (", and at_most_once" if max(group_of) >= 0 else ""))
        return Labelling(labels, score)

    def best_n(self, n: int) -> list[Labelling]:
        """Return the n best label sequences, best first; all that are possible if there are fewer than n.

        Exact for every n. Equal scores come in lexicographic order, in the sense of :meth:`best`, whose result is the first.
        Each further sequence adds at most O(T·L) time and memory, and usually far less.

        >>> lattice = Lattice([[1.0, 0.0], [0.0, 0.0]], np.zeros((2, 2)))
        >>> [(labels.tolist(), score) for labels, score in lattice.best_n(3)]
        [([0, 0], 1.0), ([0, 1], 1.0), ([1, 0], 0.0)]
        """
        count = as_number(n, "n", 1, 1 << 63)
        labels, scores = self._chain.best_n(count)
        if not scores:
            raise InputError(_IMPOSSIBLE)
        return list(map(Labelling, labels.reshape(len(scores), len(self)), scores))

    def log_partition(self) -> float:
        """Return ln Z = ln Σ_y e^score(y); -inf if no sequence is possible.

        >>> round(Lattice(np.zeros((3, 2)), np.zeros((2, 2))).log_partition() / math.log(2), 9)
        3.0
        """
        return self._messages.log_partition()

    def log_probability(self, labels: Sequence[int] | NDArray[np.integer[Any]]) -> float:
        """Return ln P(labels) = score(labels) - ln Z, without the cancellation of that difference; -inf if forbidden.

        >>> round(Lattice(np.zeros((3, 2)), np.zeros((2, 2))).log_probability([0, 1, 0]) / math.log(2), 9)
        -3.0
        """
        return self._chain.log_probability(self._possible_messages(), as_labels(labels, len(self), self.label_count))

    def marginals(self) -> FloatArray:
        """Return the probability of each label at each token, of shape (T, L); rows sum to 1.

        >>> Lattice([[0.0, 0.0]], np.zeros((2, 2)), start=[0.0, -np.inf]).marginals().tolist()
        [[1.0, 0.0]]
        """
        return self._chain.marginals(self._possible_messages()).reshape(self.nodes.shape)

    def pair_marginals(self) -> FloatArray:
        """Return the probability of each pair of labels at tokens t and t + 1, as [t, label, next label].

        >>> Lattice(np.zeros((2, 2)), [[0.0, -np.inf], [0.0, 0.0]]).pair_marginals().round(3).tolist()
        [[[0.333, 0.0], [0.333, 0.333]]]
        """
        T, L = self.nodes.shape
        return self._chain.pair_marginals(self._possible_messages()).reshape(T - 1, L, L)

    def log_transitions(self) -> tuple[FloatArray, FloatArray]:
        """Return the lattice as a Markov chain: ln P(y_0), of shape (L,), and ln P(y_{t+1} | y_t), as [t, label, next label].

        Finite for everything that is not forbidden, however improbable. Rows of labels that nothing can follow are all -inf.

        >>> first, steps = Lattice(np.zeros((2, 2)), [[0.0, -np.inf], [0.0, 0.0]]).log_transitions()
        >>> np.exp(first).round(3).tolist(), np.exp(steps).round(3).tolist()
        ([0.333, 0.667], [[[1.0, 0.0], [0.5, 0.5]]])
        """
        T, L = self.nodes.shape
        first, steps = self._chain.log_transitions(self._possible_messages())
        return first, steps.reshape(T - 1, L, L)

    def entropy(self) -> float:
        """Return -Σ_y P(y) ln P(y): how unsure the lattice is about the whole sequence, in nats.

        >>> round(Lattice(np.zeros((3, 2)), np.zeros((2, 2))).entropy() / math.log(2), 9)
        3.0
        """
        return self._chain.entropy(self._possible_messages())

    def sample(self, n: int = 1, *, seed: int = 0) -> LabelArray:
        """Return n label sequences drawn from P, of shape (n, T).

        A seed gives the same sequences on every machine (xoshiro256** seeded by splitmix64, and an exponential of our
        own); the first ones are the same however many are drawn.

        >>> Lattice(np.zeros((3, 2)), [[5.0, 0.0], [0.0, 5.0]]).sample(2, seed=1).shape
        (2, 3)
        """
        count = as_number(n, "n", 0, 1 << 63)
        drawn = self._chain.sample(self._possible_messages(), count, as_number(seed, "seed", 0, 1 << 64))
        return drawn.reshape(count, len(self))

    def constrained(
        self,
        *,
        fixed: Mapping[int, int] | None = None,
        forbidden: Mapping[int, int | Iterable[int]] | None = None,
        allowed_transitions: ArrayLike | None = None,
        allowed_start: ArrayLike | None = None,
        allowed_end: ArrayLike | None = None,
    ) -> Lattice:
        """Return the lattice in which only sequences that keep the constraints are possible.

        ``fixed`` gives tokens their label, ``forbidden`` takes one or more labels from tokens; ``allowed_transitions`` (L, L) as
        [from, to], ``allowed_start`` and ``allowed_end`` (L,) are True where a label may follow, begin or end. Probabilities
        are then those given the constraints. If no sequence is left, whatever needs one raises an InputError.

        >>> lattice = Lattice(np.zeros((3, 2)), [[0.0, 0.0], [1.0, 0.0]])
        >>> lattice.constrained(fixed={2: 1}, forbidden={0: [0]}).best().labels.tolist()
        [1, 0, 1]
        >>> never_twice = [[True, True], [True, False]]
        >>> lattice.constrained(fixed={1: 1}, allowed_transitions=never_twice).marginals().tolist()
        [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
        """
        return Lattice(
            constraints.constrained_nodes(self.nodes, fixed or {}, forbidden or {}),
            constraints.where_allowed(self.edges, allowed_transitions, "allowed_transitions"),
            constraints.where_allowed(self.start, allowed_start, "allowed_start"),
            constraints.where_allowed(self.end, allowed_end, "allowed_end"),
        )

    @classmethod
    def combine(cls, lattices: Sequence[Lattice], weights: Sequence[float] | FloatArray | None = None) -> Lattice:
        """Return the weighted sum of lattices of the same size: a logarithmic opinion pool, P(y) ∝ Π_m P_m(y)^weight_m.

        Without weights all count alike, and sum to 1. A member of weight 0 says nothing, not even what is forbidden. Weights
        may be negative, but not for a lattice that forbids.

        >>> one, two = Lattice([[2.0, 0.0]], np.zeros((2, 2))), Lattice([[0.0, 1.0]], np.zeros((2, 2)))
        >>> Lattice.combine([one, two]).nodes.tolist()
        [[1.0, 0.5]]
        """
        parts = constraints.weighted([(item.nodes, item.edges, item.start, item.end) for item in lattices], weights)
        return cls(*parts)
