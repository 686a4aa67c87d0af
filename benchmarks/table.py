"""Rows of the table that the benchmarks print: what, the figure, what was asked for and whether it was reached, and how."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    what: str
    figure: str
    asked: str = ""
    how: str = ""
    reached: bool | None = None  # None: nothing was asked for

    def cells(self) -> list[str]:
        verdict = {None: "", True: " (reached)", False: " (**not reached**)"}[self.reached]
        return [cell.replace("|", "\\|") for cell in (self.what, self.figure, self.asked + verdict, self.how)]

    def __str__(self) -> str:
        return "| " + " | ".join(self.cells()) + " |"


HEAD = "| what | figure | asked for | how |\n|---|---|---|---|"


def at_least(what: str, ratio: float, bound: float, how: str = "", *, unless: str = "") -> Row:
    """A ratio that ought to be large. ``unless`` says why it does not count, where it does not."""
    return Row(what, f"{ratio:.1f}×{'; ' + unless if unless else ''}", f"≥ {bound:g}×", how, not unless and ratio >= bound)


def at_most(what: str, ratio: float, bound: float, how: str = "", *, unless: str = "") -> Row:
    """A ratio that ought to be small."""
    return Row(what, f"{ratio:.2f}×{'; ' + unless if unless else ''}", f"≤ {bound:g}×", how, not unless and ratio <= bound)
