"""The truecaser of a tagger in its model file: an array of the words with capitals, separated by NUL and compressed.

A start-up file: it imports little.
"""

from __future__ import annotations

from tagpool.errors import ModelError
from tagpool.lazy import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from tagpool.corpus.truecasing import Truecaser

TRUECASE = "truecase"
"""Name of the array."""
_BEGINS = {"large": True, "small": False}  # the first entry: how sentences begin


def pack_truecaser(truecaser: Truecaser) -> bytes:
    """Return the bytes of a truecaser.

    >>> from tagpool.corpus.truecasing import Truecaser
    >>> unpack_truecaser(pack_truecaser(Truecaser(["Oslo"]))).forms
    {'oslo': 'Oslo'}
    """
    import zlib

    begins = next(name for name, value in _BEGINS.items() if value == truecaser.begins_large)
    return zlib.compress("\0".join([begins, *truecaser.forms.values()]).encode(), 6)


def unpack_truecaser(packed: bytes) -> Truecaser:
    """Return the truecaser of these bytes; a ModelError if they are damaged."""
    from tagpool.corpus.truecasing import Truecaser
    from tagpool.experts.metadata import read_names

    begins, *forms = read_names(packed, len(packed)) or [""]
    if begins not in _BEGINS or not all(form and form != form.lower() for form in forms):
        raise ModelError("damaged model: the truecaser is not a list of words with capitals")
    return Truecaser(forms, begins_large=_BEGINS[begins])


def truecaser_of(tagger: Any) -> Truecaser | None:
    """Return the truecaser of a tagger, from its training or its file; None without one."""
    if tagger._truecaser is not None:
        known: Truecaser = tagger._truecaser
        return known
    packed = tagger._fitted().array(TRUECASE) if tagger.is_fitted else None
    return None if packed is None else unpack_truecaser(packed)
