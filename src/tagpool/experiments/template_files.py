"""The templates of the experiments, as text."""

from __future__ import annotations

from importlib.resources import files


def templates(*names: str) -> str:
    """The texts of these files, one after the other."""
    place = files("tagpool.experiments.templates")
    return "\n".join(place.joinpath(f"{name}.txt").read_text("utf-8") for name in names)
