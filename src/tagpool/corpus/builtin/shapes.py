"""Slots of the built-in corpus: the shapes of entities, read from ``shapes.txt``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from tagpool.corpus.builtin.names import Entry, lists, parse_phrase, read_resource

Row = tuple[str, str, str, str]  # a token: word, part of speech, chunk, label
Piece = tuple[str, tuple[Row, ...]]  # part of a sentence: its words lower-cased and joined by blanks, and its rows
Pool = tuple[Piece, ...]  # alternatives, one of which is drawn
# A place in a sentence: its shapes from seen names and from unseen names (empty if it is not an entity).
Step = tuple[tuple[tuple[Pool, ...], ...], tuple[tuple[Pool, ...], ...]]


@dataclass(frozen=True)
class Slot:
    """Entity type and shapes, each repeated as often as its weight; a shape is a sequence of lists and words."""

    label: str
    shapes: tuple[tuple[str | Entry, ...], ...]


@cache
def slots() -> dict[str, Slot]:
    """Return all slots by name."""
    by_name: dict[str, Slot] = {}
    name = ""
    for line in read_resource("shapes.txt").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith(" "):
            weight, *tokens = line.split()
            shape = tuple(token[1:-1] if token.startswith("{") else parse_phrase(token, "NNP") for token in tokens)
            by_name[name] = Slot(by_name[name].label, by_name[name].shapes + (shape,) * int(weight))
        else:
            name, label = line.split()
            by_name[name] = Slot(label, ())
    return by_name


def slot_step(name: str, *, opens_chunk: bool) -> Step:
    """Return the alternatives for ``{name}`` in a noun phrase."""
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
    """Tag a name inside a noun phrase; a preposition in it is a separate chunk, as in ``University of Leeds``."""
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
