"""Study: what an experiment found, row by row, beside what a paper printed; as a table and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Row:
    """One figure: ours with its confidence interval, and the paper's where it has one. ``mark`` is its significance mark."""

    row: str
    metric: str
    ours: float
    low: float | None = None
    high: float | None = None
    paper: float | None = None
    mark: str = ""

    def to_dict(self) -> dict[str, Any]:
        """What a program reads."""
        return {
            "row": self.row,
            "metric": self.metric,
            "paper": self.paper,
            "ours": self.ours,
            "low": self.low,
            "high": self.high,
        }


@dataclass(frozen=True)
class Setting:
    """How an experiment is to be run.

    ``data`` is the folder of corpora, ``quick`` a subset of them, ``seeds`` how many of them, ``say`` is told of every step,
    ``plots`` the folder plots are written to (none: no plots).
    """

    data: Path | None = None
    quick: bool = False
    seeds: int = 3
    threads: int = 1
    say: Callable[[str], object] = lambda _: None
    plots: Path | None = None

    def seed_numbers(self) -> range:
        """The seeds; a quick run has one."""
        return range(1, 2 if self.quick else self.seeds + 1)


@dataclass(frozen=True)
class Table:
    """A further table: lines of cells under a heading."""

    title: str
    header: Sequence[str]
    lines: Sequence[Sequence[str]]

    def markdown(self) -> list[str]:
        """Its lines on the page."""
        return ["", f"## {self.title}", "", _line(self.header), _line(["---"] * len(self.header)), *map(_line, self.lines)]


@dataclass
class Study:
    """The outcome of an experiment."""

    name: str
    title: str
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    plots: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """What a program reads."""
        return {"name": self.name, "rows": [row.to_dict() for row in self.rows]}

    def markdown(self, command: str) -> str:
        """The table as a page."""
        metrics = list(dict.fromkeys(row.metric for row in self.rows))
        names = list(dict.fromkeys(row.row for row in self.rows))
        has_paper = {metric: any(row.paper is not None for row in self.rows if row.metric == metric) for metric in metrics}
        header = [
            "",
            *(column for metric in metrics for column in ([f"{metric}, paper"] if has_paper[metric] else []) + [metric]),
        ]
        lines = [f"# {self.title}", "", f"    {command}", "", _line(header), _line(["---"] * len(header))]
        cells = {(row.row, row.metric): row for row in self.rows}
        for name in names:
            line = [name]
            for metric in metrics:
                row = cells.get((name, metric))
                if has_paper[metric]:
                    line.append("" if row is None or row.paper is None else f"{row.paper:.2f}")
                line.append("" if row is None else _ours(row))
            lines.append(_line(line))
        lines += ["", *(f"- {note}" for note in self.notes)]
        lines += [line for table in self.tables for line in table.markdown()]
        lines += [f"\n![{self.title}]({plot})" for plot in self.plots if plot.endswith(".svg")]
        return "\n".join(lines).rstrip() + "\n"


def _ours(row: Row) -> str:
    interval = "" if row.low is None or row.high is None else f" ({row.low:.2f}-{row.high:.2f})"
    return f"{row.ours:.2f}{row.mark}{interval}"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
