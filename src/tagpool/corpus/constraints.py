"""Transitions that a tag scheme allows, as arrays over label numbers; ``Scheme.constraints`` creates them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from tagpool.corpus.transitions import Scheme, continues, has_label, label_parts
from tagpool.errors import InputError
from tagpool.lazy import TYPE_CHECKING, LazyModule
from tagpool.wording import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    BoolArray = NDArray[np.bool_]
else:
    np = LazyModule("numpy")

_FORBIDDEN = -1e6


class _Lattice(Protocol):
    @property
    def label_count(self) -> int: ...

    def constrained(self, *, allowed_transitions: Any, allowed_start: Any, allowed_end: Any) -> Any: ...


_AnyLattice = TypeVar("_AnyLattice", bound=_Lattice)


@dataclass(frozen=True, eq=False)
class SchemeConstraints:
    """Allowed label sequences of a scheme, for L labels; label i of a lattice is ``labels[i]``.

    ``transitions``, an [L][L] matrix: j may follow i. ``start``, ``end``, [L]: i may be first, last.
    ``continues``, an [L][L] matrix: j directly after i belongs to the same chunk.
    """

    labels: tuple[str, ...]
    scheme: Scheme
    transitions: BoolArray
    start: BoolArray
    end: BoolArray
    continues: BoolArray

    def constrain(self, lattice: _AnyLattice) -> _AnyLattice:
        """Return the lattice in which only sequences that are valid in the scheme are possible."""
        if lattice.label_count != len(self.labels):
            raise InputError(
                f"expected a lattice of {counted(len(self.labels), 'label')}, as in the constraints, got {lattice.label_count}"
            )
        constrained: _AnyLattice = lattice.constrained(
            allowed_transitions=self.transitions, allowed_start=self.start, allowed_end=self.end
        )
        return constrained

    def scores(self) -> NDArray[np.float32]:
        """Return scores of transitions, then of first and last labels: 0 if allowed, else -1e6.

        >>> Scheme.BIO2.constraints(["O", "I-PER"]).scores().reshape(4, 2).tolist()
        [[0.0, -1000000.0], [0.0, 0.0], [0.0, -1000000.0], [0.0, 0.0]]
        """
        allowed = np.concatenate([self.transitions.ravel(), self.start, self.end])
        scores: NDArray[np.float32] = np.where(allowed, np.float32(0), np.float32(_FORBIDDEN))
        return scores

    def chunk(self, kind: str) -> tuple[int, ...]:
        """Return the label numbers of a type, for ``lattice.best(at_most_once=[...], continues=constraints.continues)``.

        The type of a plain label is the label; a run of one plain label is a chunk, as in address parsers.

        >>> Scheme.BIO2.constraints(["O", "B-PER", "I-PER"]).chunk("PER")
        (1, 2)
        """
        types = [self._type(label) for label in self.labels]
        if kind not in types:
            known = sorted({one for one in types if one is not None})
            raise InputError(f"expected one of the types {', '.join(map(repr, known))}, got {kind!r}")
        return tuple(number for number, one in enumerate(types) if one == kind)

    def _type(self, label: str) -> str | None:
        if self.scheme is Scheme.PLAIN:
            return label
        parts = label_parts(label)
        return None if parts.role == "O" else parts.type


def make_constraints(scheme: Scheme, labels: Sequence[str]) -> SchemeConstraints:
    """Return the constraints of a scheme for labels, in the order of their numbers; see ``Scheme.constraints``."""
    names = tuple(labels)
    if len(set(names)) < len(names):
        twice = next(label for label in names if names.count(label) > 1)
        raise InputError(f"expected different labels, got {twice!r} twice")
    is_plain = scheme is Scheme.PLAIN
    legal = legal_transitions(scheme, names)
    return SchemeConstraints(
        labels=names,
        scheme=scheme,
        transitions=legal[:-1, :-1],
        start=legal[-1, :-1],
        end=legal[:-1, -1],
        continues=np.array([[a == b if is_plain else continues(a, b) for b in names] for a in names], dtype=bool),
    )


def legal_transitions(scheme: Scheme, labels: Sequence[str]) -> BoolArray:
    """Return ``legal_transition`` for all pairs of labels; the last row and column are the boundary of a sentence.

    >>> legal_transitions(Scheme.BIO2, ["O", "I-X"]).astype(int).tolist()
    [[1, 0, 1], [1, 1, 1], [1, 0, 1]]
    """
    boundary = (*labels, None)
    if scheme is Scheme.PLAIN:
        return np.ones((len(boundary), len(boundary)), bool)
    known = np.array([has_label(scheme, label) for label in boundary])
    parts = [label_parts(label) for label in boundary]
    role = np.array([part.role for part in parts])
    numbers: dict[str, int] = {}
    kind = np.array([numbers.setdefault(part.type, len(numbers)) for part in parts])
    same_span = (kind[:, None] == kind) & (role != "O")[:, None]
    if scheme is Scheme.IOB1:
        legal = same_span | (role != "B")
    elif scheme is Scheme.BIO2:
        legal = same_span | (role != "I")
    else:
        is_open, continuing = np.isin(role, ("B", "I"))[:, None], np.isin(role, ("I", "E"))
        legal = np.where(is_open, continuing & same_span, ~continuing)
    result: BoolArray = legal & known[:, None] & known
    return result
