"""Lazy import of public names, so that ``import tagpool`` is fast."""

from __future__ import annotations

import sys

# Not typing.TYPE_CHECKING: importing typing takes longer than all other imports here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


class LazyModule:
    """A module that is imported when one of its names is first used.

    >>> LazyModule("math").floor(2.5)
    2
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        __import__(self._name)
        value = getattr(sys.modules[self._name], name)
        setattr(self, name, value)
        return value


def attach(package: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a module ``__getattr__`` that imports each name from its module.

    >>> attach("tagpool", {"Corpus": "tagpool.corpus.corpus"})("Corpus").__name__
    'Corpus'
    """

    def find(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        __import__(names[name])  # importing importlib takes longer than this package
        return getattr(sys.modules[names[name]], name)

    return find
