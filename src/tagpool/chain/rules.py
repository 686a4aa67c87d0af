"""What a tag scheme allows, as arrays over label numbers: for lattices that may only spell valid spans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagpool.chain.checks import BoolArray
from tagpool.chain.lattice import Lattice
from tagpool.corpus.schemes import Scheme, legal_transition
from tagpool.corpus.transitions import continues, label_parts
from tagpool.errors import InputError

_FORBIDDEN = np.float32(-1e6)


@dataclass(frozen=True, eq=False)
class SchemeRules:
    """The rules of a scheme for a list of labels; label i of a lattice is ``labels[i]``.

    ``transitions[i, j]``: j may follow i; ``start[i]``, ``end[i]``: i may stand first, last; ``continues[i, j]``: j directly
    after i belongs to the same chunk.
    """

    labels: tuple[str, ...]
    scheme: Scheme
    transitions: BoolArray
    start: BoolArray
    end: BoolArray
    continues: BoolArray

    def constrain(self, lattice: Lattice) -> Lattice:
        """Return the lattice in which only sequences that are valid in the scheme are possible.

        >>> lattice = Lattice([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]], np.zeros((3, 3)))
        >>> rules = scheme_rules(["O", "B-PER", "I-PER"], "bio2")
        >>> [rules.labels[label] for label in rules.constrain(lattice).best().labels]
        ['B-PER', 'I-PER']
        """
        if lattice.label_count != len(self.labels):
            raise InputError(f"expected a lattice of {len(self.labels)} labels, as the rules have, got {lattice.label_count}")
        return lattice.constrained(allowed_transitions=self.transitions, allowed_start=self.start, allowed_end=self.end)

    def scores(self) -> NDArray[np.float32]:
        """Return the rules as a model's scores of transitions, then of first and last labels: 0, or too little for any gain.

        >>> scheme_rules(["O", "I-PER"], "bio2").scores().reshape(4, 2).tolist()
        [[0.0, -1000000.0], [0.0, 0.0], [0.0, -1000000.0], [0.0, 0.0]]
        """
        allowed = np.concatenate([self.transitions.ravel(), self.start, self.end])
        found: NDArray[np.float32] = np.where(allowed, np.float32(0), _FORBIDDEN)
        return found

    def chunk(self, kind: str) -> tuple[int, ...]:
        """Return the labels of a type, for ``lattice.best(at_most_once=[...], continues=rules.continues)``.

        Plain labels are types of their own, and a run of one label is a chunk: as address parsers have it.

        >>> scheme_rules(["O", "B-PER", "I-PER"], "bio2").chunk("PER")
        (1, 2)
        """
        found = tuple(number for number, label in enumerate(self.labels) if self._type(label) == kind)
        if not found:
            known = sorted({each for each in map(self._type, self.labels) if each is not None})
            raise InputError(f"expected one of the types {', '.join(map(repr, known))}, got {kind!r}")
        return found

    def _type(self, label: str) -> str | None:
        if self.scheme is Scheme.PLAIN:
            return label
        parts = label_parts(label)
        return None if parts.role == "O" else parts.type


def scheme_rules(labels: Sequence[str], scheme: Scheme | str) -> SchemeRules:
    """Return what a scheme allows between labels, in the order of their numbers.

    >>> rules = scheme_rules(["O", "B-PER", "I-PER"], "bio2")
    >>> rules.transitions.astype(int).tolist(), rules.start.tolist()
    ([[1, 1, 0], [1, 1, 1], [1, 1, 1]], [True, True, False])
    >>> lattice = Lattice(nodes=[[0, 4, 0], [2, 0, 0], [0, 3, 2]], edges=np.zeros((3, 3)))
    >>> best = rules.constrain(lattice).best(at_most_once=[rules.chunk("PER")], continues=rules.continues)
    >>> [rules.labels[label] for label in best.labels]
    ['B-PER', 'O', 'O']
    """
    names, scheme = tuple(labels), Scheme.of(scheme)
    if len(set(names)) < len(names):
        twice = next(label for label in names if names.count(label) > 1)
        raise InputError(f"expected different labels, got {twice!r} twice")
    if scheme is Scheme.PLAIN:
        same = np.eye(len(names), dtype=bool)
    else:
        same = np.array([[continues(a, b) for b in names] for a in names], dtype=bool)
    return SchemeRules(
        labels=names,
        scheme=scheme,
        transitions=np.array([[legal_transition(a, b, scheme) for b in names] for a in names], dtype=bool),
        start=np.array([legal_transition(None, label, scheme) for label in names], dtype=bool),
        end=np.array([legal_transition(label, None, scheme) for label in names], dtype=bool),
        continues=same,
    )
