"""Reading of resources by kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tagpool.errors import ResourceError
from tagpool.features.resources import AmbiguityClasses, Clusters, Gazetteer


def _read_embeddings(path: str | Path) -> Any:
    from tagpool.features.embeddings import Embeddings  # needs NumPy, unlike the other kinds

    return Embeddings.read(path)


_READERS: dict[str, Any] = {
    "gazetteer": Gazetteer.read,
    "cluster": Clusters.read,
    "ambiguity": AmbiguityClasses.read,
    "embedding": _read_embeddings,
}


def read_resource(kind: str, path: str | Path) -> Any:
    """Read a resource; ``kind`` is the template function that uses it."""
    if kind not in _READERS:
        raise ResourceError(f"expected a resource for one of {', '.join(_READERS)}, got one for {kind!r}", source=path)
    return _READERS[kind](path)
