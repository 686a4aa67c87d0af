"""Words of messages. A start-up file."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number and the form of a noun for it; ``plural`` is for nouns that do not end in s.

    >>> counted(1, "sentence"), counted(1200, "sentence"), counted(0, "entry", "entries")
    ('1 sentence', '1,200 sentences', '0 entries')
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
