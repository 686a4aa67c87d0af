"""ItemSequence: the features of one sequence, read once."""

from __future__ import annotations

from operator import index

from tagpool import _native
from tagpool.compat.pycrfsuite.errors import FeatureError, NumberError
from tagpool.lazy import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any


class ItemSequence:
    """The features of one sequence, read once, for trainers and taggers that get them more than once.

    For each item a list or set of strings, or a dict of numbers, strings, bools, and of lists, sets and dicts of such.

    >>> ItemSequence([["a", "b"], {"word": {"lower": "ann", "capital": True}, "length": 3}]).items()
    [{'a': 1.0, 'b': 1.0}, {'word:lower:ann': 1.0, 'word:capital': 1.0, 'length': 3.0}]
    """

    def __init__(self, pyseq: Any) -> None:
        self._native: _native.Attributes = pyseq._native if isinstance(pyseq, ItemSequence) else gathered(pyseq)

    def items(self) -> list[dict[str, float]]:
        """For each item its attributes with their values, as the model sees them."""
        return self._native.items()

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        return f"<ItemSequence of size {len(self)}>"


def whole(value: Any, what: str) -> int:
    """A whole number, of any type that has them; floats too where nothing is lost, as python-crfsuite takes them."""
    try:
        found = int(value) if isinstance(value, float) and value.is_integer() else index(value)
    except TypeError:
        raise NumberError(f"expected the {what} as a whole number, got {value!r}") from None
    if not -(2**31) <= found < 2**31:
        raise NumberError(f"expected the {what} as a number of 32 bits, got {found}")
    return found


def gathered(sequence: Any) -> _native.Attributes:
    """The attributes of a sequence."""
    try:
        return _native.Attributes(sequence)
    except _native.InputFault as fault:
        raise FeatureError(str(fault.args[0])) from None


def given(sequence: Any) -> Any:
    """A sequence as the native core takes it."""
    return sequence._native if isinstance(sequence, ItemSequence) else sequence
