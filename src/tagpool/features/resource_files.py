"""Resources of every kind from their files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tagpool.errors import ResourceError
from tagpool.features.resources import AmbiguityClasses, Clusters, Gazetteer
from tagpool.lazy import attach

# Embeddings need NumPy, which nobody else on this path does.
_lazy = attach(__name__, {"Embeddings": "tagpool.features.embeddings"})
_READERS: dict[str, Any] = {
    "gazetteer": Gazetteer.read,
    "cluster": Clusters.read,
    "ambiguity": AmbiguityClasses.read,
    "embedding": lambda path: _lazy("Embeddings").read(path),
}


def read_resource(kind: str, path: str | Path) -> Any:
    """Reads a resource; ``kind`` is the function of templates that uses it."""
    if kind not in _READERS:
        raise ResourceError(f"expected a resource for one of {', '.join(_READERS)}, got one for {kind!r}", source=path)
    return _READERS[kind](path)
