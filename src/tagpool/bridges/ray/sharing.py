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


class _Objects:
    """Shared objects, and their numbers."""

    def __init__(self) -> None:
        self.objects: list[Any] = []
        self._numbers: dict[int, int] = {}

    def number(self, value: object) -> int | None:
        """Return the number of a shared object; None for others."""
        if not isinstance(value, _SHARED):
            return None
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self.objects)
            self.objects.append(value)
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
    """Return the items as bytes, and the objects that they share."""
    from ray import cloudpickle  # it sends classes of scripts and notebooks as code

    create: Any = cloudpickle.CloudPickler
    shared = _Objects()
    blocks = []
    for item in items:
        file = io.BytesIO()
        pickler = create(file, protocol=pickle.HIGHEST_PROTOCOL)
        pickler.persistent_id = shared.number
        pickler.dump(item)
        blocks.append(file.getvalue())
    return blocks, shared.objects


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
