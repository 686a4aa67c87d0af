"""Small word lists that the presets use."""

from __future__ import annotations

from importlib import resources

from tagpool.features.resources import Gazetteer

_FOLDER = resources.files("tagpool.features") / "lists"


def shipped_phrases(name: str) -> list[str]:
    """Return the phrases of a list; empty if there is no such list.

    >>> "Mr." in shipped_phrases("titles")
    True
    """
    file = _FOLDER / f"{name}.txt"
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    return [line for line in lines if line and not line.startswith("#")]


def shipped_resource(name: str, kind: str) -> Gazetteer | None:
    """Return a gazetteer of the package (``titles``: forms of address before a person's name); None if it is unknown.

    >>> shipped_resource("titles", "gazetteer").lists
    ('titles',)
    """
    phrases = shipped_phrases(name) if kind == Gazetteer.kind else []
    return Gazetteer({name: phrases}) if phrases else None
