"""Lists of sequences from any iterable. A start-up file."""

from __future__ import annotations

from tagpool.errors import InputError
from tagpool.lazy import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any


def as_rows(sequences: Any, what: str = "sentences") -> list[Any]:
    """Return a list of sequences: iterators are read once, also those in place of a sequence. Other values do not change.

    >>> as_rows(iter([map(str, [1, 2]), ["3"], None]))
    [['1', '2'], ['3'], None]
    """
    try:
        rows = list(sequences)
    except TypeError:
        raise InputError(f"expected {what}, got {type(sequences).__name__}") from None
    return [list(row) if hasattr(row, "__iter__") and not hasattr(row, "__len__") else row for row in rows]
