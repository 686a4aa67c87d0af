"""Rows of the table that the benchmarks print: what, the figure, what was asked for and whether it was reached, and how."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Row:
    what: str
    figure: str
    asked: str = ""
    how: str = ""
    reached: bool | None = None  # None: nothing was asked for
    headline: bool = False  # whether it belongs into a short table too

    def __str__(self) -> str:
        verdict = {None: "", True: " (reached)", False: " (**not reached**)"}[self.reached]
        return _line(self.what, self.figure, self.asked + verdict, self.how)


HEAD = "| what | figure | asked for | how |\n|---|---|---|---|"


def _line(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def replace_table(path: Path, heading: str, rows: Iterable[Row]) -> None:
    """Puts the headlines in place of the table under a heading of a Markdown file."""
    before, found, section = path.read_text().partition(f"\n{heading}\n")
    lines = section.splitlines(keepends=True)
    places = [number for number, line in enumerate(lines) if line.startswith("|")]
    if not found or not places:
        raise SystemExit(f"{path} has no table under {heading!r}")
    first = places[0]
    last = next((number for number in range(first, len(lines)) if not lines[number].startswith("|")), len(lines))
    table = [_line("what", "reached", "asked for"), "|---|---|---|"] + [
        _line(row.what, row.figure, row.asked) for row in rows if row.headline
    ]
    path.write_text(before + found + "".join([*lines[:first], *(f"{line}\n" for line in table), *lines[last:]]))


def at_least(what: str, ratio: float, bound: float, how: str = "", *, unless: str = "", headline: bool = True) -> Row:
    """A ratio that ought to be large. ``unless`` says why it does not count, where it does not."""
    figure = f"{ratio:.1f}×{'; ' + unless if unless else ''}"
    return Row(what, figure, f"≥ {bound:g}×", how, not unless and ratio >= bound, headline)


def at_most(what: str, ratio: float, bound: float, how: str = "", *, unless: str = "", headline: bool = True) -> Row:
    """A ratio that ought to be small."""
    figure = f"{ratio:.2f}×{'; ' + unless if unless else ''}"
    return Row(what, figure, f"≤ {bound:g}×", how, not unless and ratio <= bound, headline)
