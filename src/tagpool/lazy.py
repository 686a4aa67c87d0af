"""Names that are imported when first used, so that ``import tagpool`` costs next to nothing."""

from __future__ import annotations

import sys

# typing.TYPE_CHECKING would be the usual name, but importing typing takes longer than everything else here together.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def attach(package: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """A module ``__getattr__`` that finds each name in the module given for it.

    >>> attach("tagpool", {"Corpus": "tagpool.corpus.corpus"})("Corpus").__name__
    'Corpus'
    """

    def find(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        __import__(names[name])  # importing importlib would take longer than this whole package
        return getattr(sys.modules[names[name]], name)

    return find
