"""Colours of types: the palette of Okabe and Ito (2008), which colour-blind readers can distinguish."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

COLOURS = 8
"""Number of colours in the style sheet: the classes ``tp-c0`` to ``tp-c7``."""


def number_colours(types: Iterable[str]) -> dict[str, int]:
    """Return the number of a colour for each type, in the order of the names; more than eight types share colours.

    The name of the type stands beside each colour, so a shared colour hides nothing.

    >>> number_colours(["PER", "LOC", "PER"])
    {'LOC': 0, 'PER': 1}
    """
    return {kind: number % COLOURS for number, kind in enumerate(sorted(set(types)))}


def colour_class(colours: Mapping[str, int], kind: str) -> str:
    """Return the class of a type; types that are not in ``colours`` are grey.

    >>> colour_class({"PER": 1}, "PER"), colour_class({}, "LOC")
    ('tp-c1', 'tp-cx')
    """
    return f"tp-c{colours[kind]}" if kind in colours else "tp-cx"
