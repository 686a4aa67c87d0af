"""Lattice: the scores of all label sequences of a sentence, with their best sequences, probabilities and samples.

A sequence y of T labels out of L has the score Σ_t nodes[t, y_t] + Σ_t edges[y_{t-1}, y_t] + start[y_0] + end[y_{T-1}] and the
probability e^score / Z: a linear-chain conditional random field (Lafferty, McCallum and Pereira, ICML 2001). A maximum entropy
tagger is a lattice with zero edges. A logarithmic opinion pool is the weighted sum of the lattices of its members.

The arithmetic is native (``native/chain``), in float64. Methods take O(T·L²) time and O(T·L) memory unless their text says
otherwise. Scores of ±10,000 and sentences of 50,000 tokens cause no overflow or underflow.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tagpool import _native
from tagpool.chain.checks import FloatArray, LabelArray, as_allowed, as_groups, as_labels, as_number, as_scores, demand_shape
from tagpool.corpus.faults import NameFaults
from tagpool.errors import InputError, MemoryFor, check_type
from tagpool.wording import counted

_IMPOSSIBLE = "no label sequence is possible: every one has a score of -inf; check the forbidden labels and transitions"


class Labelling(NamedTuple):
    """Label sequence as numbers, with its score."""

    labels: LabelArray
    score: float


class Lattice:
    """Scores of every label sequence of one sentence.

    ``nodes`` is a [T][L] matrix. ``edges`` is [L][L], from label to label, or [T-1][L][L] if it depends on the position
    (transition features). ``start`` and ``end``, [L], are added at the two ends. A score of -inf forbids. Arrays are copied and
    read-only. A sentence without tokens has one label sequence, the empty one, with score 0 and probability 1.

    >>> lattice = Lattice(nodes=[[1.0, 0.0], [0.0, 0.0], [0.0, 2.0]], edges=[[1.0, 0.0], [0.0, 1.0]])
    >>> lattice.best()
    Labelling(labels=array([0, 0, 1], dtype=int32), score=4.0)
    >>> lattice.marginals().round(3).tolist()
    [[0.662, 0.338], [0.425, 0.575], [0.142, 0.858]]
    """

    def __init__(self, nodes: ArrayLike, edges: ArrayLike, start: ArrayLike | None = None, end: ArrayLike | None = None) -> None:
        self.nodes = as_scores(nodes, "nodes")
        if self.nodes.ndim != 2 or self.nodes.shape[1] == 0:
            raise InputError(f"expected shape (tokens, labels) with at least 1 label, got {self.nodes.shape}", source="nodes")
        T, L = self.nodes.shape
        self.edges = as_scores(edges, "edges")
        demand_shape(self.edges, "edges", (L, L), (max(T - 1, 0), L, L))
        self.start = as_scores(np.zeros(L) if start is None else start, "start")
        demand_shape(self.start, "start", (L,))
        self.end = as_scores(np.zeros(L) if end is None else end, "end")
        demand_shape(self.end, "end", (L,))
        self._chain = _native.Chain(self.nodes, self.edges, self.start, self.end)

    def __len__(self) -> int:
        return len(self.nodes)

    def __repr__(self) -> str:
        kind = "edges" if self.edges.ndim == 2 else "edges for each step"
        return f"<Lattice of {counted(len(self), 'token')}, {counted(self.label_count, 'label')}, {kind}>"

    def __reduce__(self) -> tuple[type[Lattice], tuple[FloatArray, ...]]:
        return Lattice, self._parts

    @property
    def _parts(self) -> tuple[FloatArray, ...]:
        return self.nodes, self.edges, self.start, self.end

    @property
    def label_count(self) -> int:
        """Number of labels."""
        return int(self.nodes.shape[1])

    @cached_property
    def _messages(self) -> _native.Messages:
        """Messages of the backward pass, which all sums share."""
        return self._chain.messages()

    def _possible_messages(self) -> _native.Messages:
        if not self._messages.possible:
            raise InputError(_IMPOSSIBLE)
        return self._messages

    def score(self, labels: Sequence[int] | NDArray[np.integer[Any]]) -> float:
        """Return the score of a label sequence; -inf if it is forbidden.

        The sum runs from the last token to the first, as in the searches, so it equals their scores exactly.

        >>> Lattice([[1.0, 0.0], [0.0, 0.5]], np.zeros((2, 2))).score([0, 1])
        1.5
        """
        return self._chain.score(as_labels(labels, len(self), self.label_count))

    def best(self, *, at_most_once: Iterable[int | Iterable[int]] = (), continues: ArrayLike | None = None) -> Labelling:
        """Return the label sequence with the highest score; among equal ones the lexicographically smallest.

        Scores are compared as float64 sums from the last token to the first. Whole numbers are exact; scores such as 0.1 + 0.2
        and 0.3 may differ by rounding.

        ``at_most_once`` restricts the search, exactly, to sequences in which each item occurs at most once. An item is a label,
        which then has at most one token, or a group of labels, which then has at most one run: adjacent tokens with labels of
        the group are one run. Where ``continues[previous, label]`` is False, a new run begins within a group: with ``B-X`` and
        ``I-X`` as a group and ``continues`` of ``Scheme.constraints``, there is at most one chunk of type X. A label may be in
        one group only. Time and memory double with each group that has several runs in the unrestricted best sequence.

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
            with NameFaults():
                labels, score = self._chain.best_once(group_of, allowed.tobytes())
        if score == -math.inf:
            raise InputError(_IMPOSSIBLE + (", and at_most_once" if max(group_of) >= 0 else ""))
        return Labelling(labels, score)

    @MemoryFor("compute n sequences; reduce n")
    def best_n(self, n: int) -> list[Labelling]:
        """Return the n best label sequences, best first; all that are possible if there are fewer than n.

        The search is exact for every n. Equal scores are in lexicographic order, and the first is that of :meth:`best`. Each
        further sequence adds at most O(T·L) time and memory, and usually far less.

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
        """Return ln P(labels) = score(labels) - ln Z, computed without cancellation; -inf if forbidden.

        >>> round(Lattice(np.zeros((3, 2)), np.zeros((2, 2))).log_probability([0, 1, 0]) / math.log(2), 9)
        -3.0
        """
        return self._chain.log_probability(self._possible_messages(), as_labels(labels, len(self), self.label_count))

    def marginals(self) -> FloatArray:
        """Return the probability of each label at each token, a [T][L] matrix; rows sum to 1.

        >>> Lattice([[0.0, 0.0]], np.zeros((2, 2)), start=[0.0, -np.inf]).marginals().tolist()
        [[1.0, 0.0]]
        """
        return self._chain.marginals(self._possible_messages()).reshape(self.nodes.shape)

    def pair_marginals(self) -> FloatArray:
        """Return the probability of each label bigram at tokens t and t + 1, as [T-1][L][L].

        >>> Lattice(np.zeros((2, 2)), [[0.0, -np.inf], [0.0, 0.0]]).pair_marginals().round(3).tolist()
        [[[0.333, 0.0], [0.333, 0.333]]]
        """
        T, L = self.nodes.shape
        return self._chain.pair_marginals(self._possible_messages()).reshape(max(T - 1, 0), L, L)

    def log_transitions(self) -> tuple[FloatArray, FloatArray]:
        """Return the lattice as a Markov chain: ln P(y_0), as [L], and ln P(y_{t+1} | y_t), as [T-1][L][L].

        Values are finite unless forbidden, however improbable. Rows of labels that no label can follow are -inf.

        >>> first, steps = Lattice(np.zeros((2, 2)), [[0.0, -np.inf], [0.0, 0.0]]).log_transitions()
        >>> np.exp(first).round(3).tolist(), np.exp(steps).round(3).tolist()
        ([0.333, 0.667], [[[1.0, 0.0], [0.5, 0.5]]])
        """
        T, L = self.nodes.shape
        with NameFaults():
            first, steps = self._chain.log_transitions(self._possible_messages())
        return first, steps.reshape(T - 1, L, L)

    def entropy(self) -> float:
        """Return the entropy of the whole sequence, -Σ_y P(y) ln P(y), in nats.

        >>> round(Lattice(np.zeros((3, 2)), np.zeros((2, 2))).entropy() / math.log(2), 9)
        3.0
        """
        return self._chain.entropy(self._possible_messages())

    @MemoryFor("compute n sequences; reduce n")
    def sample(self, n: int = 1, *, seed: int = 0) -> LabelArray:
        """Return n label sequences drawn from P, an [n][T] matrix.

        A seed gives the same sequences on every machine (xoshiro256** seeded by splitmix64, and an exponential function that
        does not depend on the system). The first ones do not depend on n.

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
        """Return the lattice in which only sequences that satisfy the constraints are possible.

        ``fixed`` maps positions to their label, ``forbidden`` to labels that they must not have. ``allowed_transitions``, [L][L],
        ``allowed_start`` and ``allowed_end``, [L], are True where a label may follow, begin or end. Probabilities are conditional
        on the constraints. If no sequence is possible, methods that need one raise an InputError.

        >>> lattice = Lattice(np.zeros((3, 2)), [[0.0, 0.0], [1.0, 0.0]])
        >>> lattice.constrained(fixed={2: 1}, forbidden={0: [0]}).best().labels.tolist()
        [1, 0, 1]
        >>> never_twice = [[True, True], [True, False]]
        >>> lattice.constrained(fixed={1: 1}, allowed_transitions=never_twice).marginals().tolist()
        [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
        """
        T, L = self.nodes.shape
        allowed = np.ones((T, L), bool)
        for position, label in (fixed or {}).items():
            row = allowed[as_number(position, "fixed, position", 0, T)]
            row[np.arange(L) != as_number(label, f"fixed[{position}]", 0, L)] = False
        for position, labels in (forbidden or {}).items():
            row = allowed[as_number(position, "forbidden, position", 0, T)]
            for label in labels if isinstance(labels, Iterable) else (labels,):
                row[as_number(label, f"forbidden[{position}]", 0, L)] = False
        return Lattice(
            np.where(allowed, self.nodes, -np.inf),
            _forbid(self.edges, allowed_transitions, "allowed_transitions"),
            _forbid(self.start, allowed_start, "allowed_start"),
            _forbid(self.end, allowed_end, "allowed_end"),
        )

    @classmethod
    def combine(cls, lattices: Sequence[Lattice], weights: Sequence[float] | FloatArray | None = None) -> Lattice:
        """Return the weighted sum of lattices of the same size: a logarithmic opinion pool, P(y) ∝ Π_m P_m(y)^weight_m.

        The default is equal weights that sum to 1. A lattice of weight 0 has no effect; what it forbids is allowed. A negative
        weight is an error for a lattice that forbids.

        >>> one, two = Lattice([[2.0, 0.0]], np.zeros((2, 2))), Lattice([[0.0, 1.0]], np.zeros((2, 2)))
        >>> Lattice.combine([one, two]).nodes.tolist()
        [[1.0, 0.5]]
        """
        check_type(lattices, (list, tuple), "a list of lattices")
        if not lattices:
            raise InputError("expected at least one lattice to combine, got none")
        for lattice in lattices:
            check_type(lattice, Lattice, "a list of lattices")
        factors = np.full(len(lattices), 1 / len(lattices)) if weights is None else np.asarray(weights, dtype=np.float64)
        demand_shape(factors, "weights", (len(lattices),))
        if not np.isfinite(factors).all():
            raise InputError(f"expected finite numbers, got {factors.tolist()}", source="weights")
        sums: list[FloatArray] = [np.zeros(part.shape) for part in lattices[0]._parts]
        for number, (lattice, factor) in enumerate(zip(lattices, factors.tolist(), strict=True)):
            demand_shape(lattice.nodes, f"lattices[{number}].nodes", lattices[0].nodes.shape)
            if factor == 0:  # x⁰ = 1, also for x = 0; 0·(-inf) would be NaN
                continue
            if factor < 0 and any((part == -np.inf).any() for part in lattice._parts):
                message = f"expected a weight of at least 0 for a lattice that forbids, got {factor}"
                raise InputError(message, source=f"weights[{number}]")
            # The sum of [L][L] and [T-1][L][L] edges is [T-1][L][L].
            sums = [total + factor * part for total, part in zip(sums, lattice._parts, strict=True)]
        return cls(*sums)


def _forbid(scores: FloatArray, allowed: ArrayLike | None, name: str) -> FloatArray:
    """Return the scores, -inf where not allowed; ``allowed`` has the shape of one position."""
    if allowed is None:
        return scores
    shape = scores.shape if scores.ndim < 3 else scores.shape[1:]
    return np.where(as_allowed(allowed, name, shape), scores, -np.inf)
