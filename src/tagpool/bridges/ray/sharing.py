"""Arguments of tasks: large objects that several tasks have, such as corpora, are sent to each machine only once."""

from __future__ import annotations

import functools
import io
import pickle
from collections.abc import Callable, Sequence
from typing import Any

from tagpool.corpus.corpus import Corpus
from tagpool.features.embeddings import Embeddings
from tagpool.features.resources import Gazetteer, WordClasses

_SHARED = (Corpus, Embeddings, Gazetteer, WordClasses)
_RECENT = 4  # shared objects that a process keeps


class _Pickler(pickle.Pickler):
    """Pickler that replaces shared objects by their number in ``objects``."""

    def __init__(self, file: io.BytesIO, objects: list[Any], numbers: dict[int, int]) -> None:
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self._objects, self._numbers = objects, numbers

    def persistent_id(self, value: object) -> int | None:
        """Return the number of a shared object."""
        if not isinstance(value, _SHARED):
            return None
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self._objects)
            self._objects.append(value)
        return self._numbers[id(value)]


class _Unpickler(pickle.Unpickler):
    """Unpickler that fetches shared objects."""

    def __init__(self, block: bytes, fetch: Callable[[int], Any]) -> None:
        super().__init__(io.BytesIO(block))
        self._fetch = fetch

    def persistent_load(self, number: int) -> Any:
        """Return the shared object with this number."""
        return self._fetch(number)


def pack(items: Sequence[Any]) -> tuple[list[bytes], list[Any]]:
    """Return the items as bytes, and the objects that they share.

    >>> corpus = Corpus.from_lists(word=[["Ann"]])
    >>> blocks, shared = pack([(1, corpus), (2, corpus)])
    >>> len(blocks), len(shared), unpack(blocks[1], shared.__getitem__)[0]
    (2, 1, 2)
    """
    objects: list[Any] = []
    numbers: dict[int, int] = {}
    blocks = []
    for item in items:
        file = io.BytesIO()
        _Pickler(file, objects, numbers).dump(item)
        blocks.append(file.getvalue())
    return blocks, objects


def unpack(block: bytes, fetch: Callable[[int], Any]) -> Any:
    """Return the item of a block; ``fetch`` returns a shared object."""
    return _Unpickler(block, fetch).load()


def run_packed(function: Callable[[Any], Any], block: bytes, references: Sequence[Any]) -> Any:
    """Call a function with a packed item, in a process of Ray."""
    return function(unpack(block, lambda number: _fetch(references[number])))


@functools.lru_cache(maxsize=_RECENT)
def _fetch(reference: Any) -> Any:
    import ray

    return ray.get(reference)
