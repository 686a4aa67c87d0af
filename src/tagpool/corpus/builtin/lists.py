"""Gazetteers of the built-in corpus: phrases for use as lexicons."""

from __future__ import annotations

import zlib
from functools import cache
from itertools import product

from tagpool.corpus.builtin.names import Entry, lists
from tagpool.corpus.builtin.shapes import slots

_PLAIN = (
    "first_names", "last_names", "cities", "countries", "regions", "rivers", "agencies", "nationalities", "peoples",
    "languages", "works", "feasts",
)  # fmt: skip

_BUILT = {
    "companies": ("co", "bank"),
    "institutions": ("uni", "arts", "hospital", "council", "police", "paper"),
    "clubs": ("club", "team"),
    "parties": ("party",),
    "places": ("street", "peak", "water", "coast", "airport", "area"),
    "events": ("race", "cup", "open", "fest", "prize", "treaty"),
    "products": ("product",),
}

_COVERED_OF_TEN = 7


def name_lists() -> dict[str, tuple[str, ...]]:
    """Return lists of phrases by the kind of name; each covers about 70% of the seen and of the unseen names.

    Names of people come as lists of first and last names; names made up of several parts, such as companies,
    as phrases.

    >>> names = name_lists()
    >>> sorted(names)[:4], names["countries"][:3]
    (['agencies', 'cities', 'clubs', 'companies'], ('Albania', 'Algeria', 'Argentina'))
    """
    return dict(_name_lists())


@cache
def _name_lists() -> dict[str, tuple[str, ...]]:
    phrase_lists = {name: tuple(_text(entry) for entry in _covered(name)) for name in _PLAIN}
    for name, kinds in _BUILT.items():
        phrases = [phrase for kind in kinds for shape in slots()[kind].shapes for phrase in _phrases(shape)]
        phrase_lists[name] = tuple(dict.fromkeys(phrases))
    return phrase_lists


def _phrases(shape: tuple[str | Entry, ...]) -> list[str]:
    """Return all phrases of a shape, or an empty list for a shape with two open lists (too many phrases)."""
    if sum(isinstance(part, str) and not lists()[part].closed for part in shape) > 1:
        return []
    choices = [_covered(part) if isinstance(part, str) else (part,) for part in shape]
    return [" ".join(_text(entry) for entry in entries) for entries in product(*choices)]


def _covered(name: str) -> tuple[Entry, ...]:
    names = lists()[name]
    if names.closed:
        return names.seen
    return tuple(
        entry for entry in (*names.seen, *names.unseen) if zlib.crc32(f"covered {_text(entry)}".encode()) % 10 < _COVERED_OF_TEN
    )


def _text(entry: Entry) -> str:
    return " ".join(word for word, _ in entry)
