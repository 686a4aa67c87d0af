"""ItemSequence: the parsed features of one sequence."""

from __future__ import annotations

from operator import index

from tagpool import _native
from tagpool.compat.pycrfsuite.errors import FeatureError, NumberError
from tagpool.lazy import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any


class ItemSequence:
    """Parsed features of one sequence, to be used by trainers and taggers more than once.

    An item is a list or set of strings, or a dict of numbers, strings, bools, or lists, sets and dicts of these.

    >>> ItemSequence([["a", "b"], {"word": {"lower": "ann", "capital": True}, "length": 3}]).items()
    [{'a': 1.0, 'b': 1.0}, {'word:lower:ann': 1.0, 'word:capital': 1.0, 'length': 3.0}]
    """

    def __init__(self, pyseq: Any) -> None:
        try:
            self._native: _native.Attributes = pyseq._native if isinstance(pyseq, ItemSequence) else _native.Attributes(pyseq)
        except _native.InputFault as fault:
            raise FeatureError(str(fault.args[0])) from None

    def items(self) -> list[dict[str, float]]:
        """Return the attributes of each item with their values."""
        return self._native.items()

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        return f"<ItemSequence of size {len(self)}>"


def as_int(value: Any, what: str) -> int:
    """Return an integer of 32 bits; floats without a fraction are accepted, as python-crfsuite does."""
    try:
        number = int(value) if isinstance(value, float) and value.is_integer() else index(value)
    except TypeError:
        raise NumberError(f"expected the {what} as an integer, got {value!r}") from None
    if not -(2**31) <= number < 2**31:
        raise NumberError(f"expected the {what} as a number of 32 bits, got {number}")
    return number


def unwrap(sequence: Any) -> Any:
    """Return the native attributes of an ItemSequence; any other value as it is."""
    return sequence._native if isinstance(sequence, ItemSequence) else sequence
