"""The slots of the built-in corpus: how the names of ``names.txt`` make up an entity, read from ``shapes.txt``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from tagpool.corpus.builtin.names import Entry, lists, resource, tagged

Row = tuple[str, str, str, str]
"""A token: word, part of speech, chunk, label."""

Piece = tuple[str, tuple[Row, ...]]
"""Part of a sentence: its words lower-cased and joined by blanks, and its rows."""

Pool = tuple[Piece, ...]
"""Pieces of which one is drawn."""

Step = tuple[tuple[tuple[Pool, ...], ...], tuple[tuple[Pool, ...], ...]]
"""A place in a sentence: the shapes it may take from seen names, and those from unseen ones (none: it is no entity)."""


@dataclass(frozen=True)
class Slot:
    """A slot: its entity type and its shapes, each as often as its weight; a shape is a sequence of lists and words."""

    label: str
    shapes: tuple[tuple[str | Entry, ...], ...]


@cache
def slots() -> dict[str, Slot]:
    """All slots by name."""
    found: dict[str, Slot] = {}
    name = ""
    for line in resource("shapes.txt").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith(" "):
            weight, *tokens = line.split()
            shape = tuple(token[1:-1] if token.startswith("{") else tagged(token, "NNP") for token in tokens)
            found[name] = Slot(found[name].label, found[name].shapes + (shape,) * int(weight))
        else:
            name, label = line.split()
            found[name] = Slot(label, ())
    return found


def slot_step(name: str, *, opens_chunk: bool) -> Step:
    """What a frame may put in the place of ``{name}``, as part of a noun phrase."""
    slot = slots()[name]
    seen = _pools(slot, opens_chunk, unseen=False)
    return seen, () if slot.label == "O" else _pools(slot, opens_chunk, unseen=True)


def _pools(slot: Slot, opens_chunk: bool, *, unseen: bool) -> tuple[tuple[Pool, ...], ...]:
    return tuple(
        tuple(
            _pool(part, slot.label, opens_chunk and place == 0, place == 0, unseen, after_of=_is_of(shape, place - 1))
            for place, part in enumerate(shape)
        )
        for shape in slot.shapes
    )


def _is_of(shape: tuple[str | Entry, ...], place: int) -> bool:
    part = shape[place] if place >= 0 else ""
    return not isinstance(part, str) and part[-1][1] == "IN"


@cache
def _pool(part: str | Entry, label: str, opens_chunk: bool, opens_name: bool, unseen: bool, *, after_of: bool) -> Pool:
    if isinstance(part, str):
        names = lists()[part]
        entries = names.unseen if unseen and not names.closed else names.seen
    else:
        entries = (part,)
    return tuple(_piece(entry, label, opens_chunk or after_of, opens_name) for entry in entries)


def _piece(entry: Entry, label: str, opens_chunk: bool, opens_name: bool) -> Piece:
    """A name inside a noun phrase; a preposition in it makes a chunk of its own, as in ``University of Leeds``."""
    rows = []
    for place, (word, pos) in enumerate(entry):
        if pos == "IN":
            chunk = "B-PP"
        elif (place == 0 and opens_chunk) or (place > 0 and entry[place - 1][1] == "IN"):
            chunk = "B-NP"
        else:
            chunk = "I-NP"
        tag = "O" if label == "O" else f"{'B' if place == 0 and opens_name else 'I'}-{label}"
        rows.append((word, pos, chunk, tag))
    return " ".join(word for word, _ in entry).lower(), tuple(rows)
