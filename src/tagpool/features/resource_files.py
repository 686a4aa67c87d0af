"""Resources by kind: from files, and the word lists of the package that the presets use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tagpool.errors import ResourceError
from tagpool.features.resources import AmbiguityClasses, Clusters, Gazetteer


def read_resource(kind: str, path: str | Path) -> Any:
    """Read a resource; ``kind`` is the template function that uses it."""
    if kind == "embedding":
        from tagpool.features.embeddings import Embeddings  # needs NumPy, unlike the other kinds

        return Embeddings.read(path)
    readers = {resource.kind: resource.read for resource in (Gazetteer, Clusters, AmbiguityClasses)}
    if kind not in readers:
        raise ResourceError(f"expected a resource for one of {', '.join(readers)}, embedding, got one for {kind!r}", source=path)
    return readers[kind](path)


def shipped_phrases(name: str) -> list[str]:
    """Return the phrases of a list of the package; empty if there is no such list."""
    file = Path(__file__).parent / "lists" / f"{name}.txt"
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    return [line for line in lines if line and not line.startswith("#")]


def shipped_resource(name: str, kind: str) -> Gazetteer | None:
    """Return a gazetteer of the package (``titles``: forms of address before a person's name); None if it is unknown.

    >>> shipped_resource("titles", "gazetteer").lists
    ('titles',)
    """
    phrases = shipped_phrases(name) if kind == Gazetteer.kind else []
    return Gazetteer({name: phrases}) if phrases else None
