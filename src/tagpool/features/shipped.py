"""Small word lists shipped with the package, so that the presets work as they are."""

from __future__ import annotations

from importlib import resources

from tagpool.features.resources import Gazetteer

_FOLDER = resources.files("tagpool.features") / "lists"


def shipped_resource(name: str, kind: str) -> Gazetteer | None:
    """The shipped gazetteer of this name (``titles``: forms of address before a person's name), None if there is none.

    >>> shipped_resource("titles", "gazetteer").lists
    ('titles',)
    """
    file = _FOLDER / f"{name}.txt"
    if kind != Gazetteer.kind or not file.is_file():
        return None
    phrases = [line for line in file.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return Gazetteer({name: phrases})
