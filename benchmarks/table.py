"""Rows of the table that the benchmarks print."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """A measurement: its name, the figure, and the method with the absolute times."""

    what: str
    figure: str
    how: str = ""

    def __str__(self) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in (self.what, self.figure, self.how)) + " |"


HEAD = "| what | figure | how |\n|---|---|---|"


def speedup(what: str, ratio: float, how: str = "", *, unless: str = "") -> Row:
    """Return the row of a ratio that should be large. ``unless`` states why the comparison is not fair, if it is not."""
    return Row(what, f"{ratio:.1f}×{'; ' + unless if unless else ''}", how)


def fraction(what: str, ratio: float, how: str = "", *, unless: str = "") -> Row:
    """Return the row of a ratio that should be small."""
    return Row(what, f"{ratio:.2f}×{'; ' + unless if unless else ''}", how)
