"""Study: results of an experiment, row by row, beside those of the paper; as a table and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

SEEDS = 3  # of an experiment, unless it has another number


@dataclass(frozen=True)
class Row:
    """One figure with its confidence interval, and the paper's if it has one. ``mark`` marks significance.

    A mean over random samples has their standard deviation as ``spread`` instead of an interval, and is printed with ``digits``
    decimals. ``paper_spread`` is the standard deviation in the paper.
    """

    row: str
    metric: str
    ours: float
    low: float | None = None
    high: float | None = None
    paper: float | None = None
    mark: str = ""
    spread: float | None = None
    samples: int | None = None
    paper_spread: float | None = None
    digits: int = 1

    def to_dict(self) -> dict[str, Any]:
        """Return the row as a dictionary; rows of samples have their spread and number."""
        optional = ("spread", "samples", "paper_spread")
        return {
            name: value
            for name, value in vars(self).items()
            if name not in ("mark", "digits") and (name not in optional or value is not None)
        }

    def shown(self) -> str:
        """Return our figure as tables show it.

        >>> Row("a", "F1", 1.0, 0.5, 1.5, mark="*").shown()
        '1.00* (0.50-1.50)'
        """
        if self.spread is not None:
            return f"{self.ours:.{self.digits}f} ± {self.spread:.{self.digits}f}"
        interval = "" if self.low is None or self.high is None else f" ({self.low:.2f}-{self.high:.2f})"
        return f"{self.ours:.2f}{self.mark}{interval}"

    @property
    def printed(self) -> str:
        """The figure of the paper as text, empty without one."""
        if self.paper is None:
            return ""
        return f"{self.paper:.2f}" + ("" if self.paper_spread is None else f" ± {self.paper_spread:.2f}")


@dataclass(frozen=True)
class Setting:
    """Settings of a run.

    ``data`` is the folder of corpora, ``quick`` uses a subset of them and one seed, ``seeds`` is the number of seeds (default:
    the experiment's), ``report`` is called with every step, ``plots`` is the folder of the plots (None: no plots).
    """

    data: Path | None = None
    quick: bool = False
    seeds: int | None = None
    threads: int = 1
    report: Callable[[str], object] = lambda _: None
    plots: Path | None = None

    def seed_numbers(self) -> range:
        """Return the seeds; a quick run has one."""
        return range(1, 2 if self.quick else (self.seeds or SEEDS) + 1)


@dataclass(frozen=True)
class Table:
    """A further table with a heading."""

    title: str
    header: Sequence[str]
    lines: Sequence[Sequence[str]]

    def markdown(self) -> list[str]:
        """Return the lines of the table in Markdown."""
        return [
            "",
            f"## {self.title}",
            "",
            table_line(self.header),
            table_line(["---"] * len(self.header)),
            *map(table_line, self.lines),
        ]


@dataclass
class Study:
    """Results of an experiment.

    ``sections`` has the metrics of each heading; without sections, all are in one table. An interrupted one is not ``complete``.
    """

    name: str
    title: str
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    plots: list[str] = field(default_factory=list)
    sections: dict[str, list[str]] = field(default_factory=dict)
    complete: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Return the name, the rows and further tables as a dictionary."""
        tables = [{"title": one.title, "header": list(one.header), "lines": [*map(list, one.lines)]} for one in self.tables]
        return {"name": self.name, "rows": [row.to_dict() for row in self.rows]} | ({"tables": tables} if tables else {})

    def markdown(self, command: str) -> str:
        """Return the page in Markdown."""
        lines = [f"# {self.title}", "", f"    {command}", ""]
        for heading, metrics in self.sections.items():
            lines += [f"## {heading}", "", *self._table(metrics), ""]
        lines += [] if self.sections else [*self._table(list(dict.fromkeys(row.metric for row in self.rows))), ""]
        lines += ["## Notes", ""] if self.sections else []
        lines += [f"- {note}" for note in self.notes]
        lines += [line for table in self.tables for line in table.markdown()]
        lines += [f"\n![{self.title}]({plot})" for plot in self.plots if plot.endswith(".svg")]
        return "\n".join(lines).rstrip() + "\n"

    def _table(self, metrics: Sequence[str]) -> list[str]:
        """Return the lines of the table with these metrics as columns, each after the figures of the paper if it has any."""
        cells = {(row.row, row.metric): row for row in self.rows if row.metric in metrics}
        has_paper = {metric: any(row.paper is not None for row in cells.values() if row.metric == metric) for metric in metrics}
        header = [
            "",
            *(column for metric in metrics for column in ([f"{metric}, paper"] if has_paper[metric] else []) + [metric]),
        ]
        lines = [table_line(header), table_line(["---"] * len(header))]
        for name in dict.fromkeys(name for name, _ in cells):
            line = [name]
            for metric in metrics:
                row = cells.get((name, metric))
                if has_paper[metric]:
                    line.append("" if row is None else row.printed)
                line.append("" if row is None else row.shown())
            lines.append(table_line(line))
        return lines


def mean_row(name: str, metric: str, values: NDArray[np.float64], paper: float | None = None, scale: float = 1.0) -> Row:
    """Return a row with the mean of several runs, times ``scale``, and its 95% interval."""
    mean = scale * float(values.mean())
    if len(values) < 2:
        return Row(name, metric, round(mean, 2), paper=paper)
    half = 1.96 * scale * float(values.std(ddof=1)) / float(np.sqrt(len(values)))
    return Row(name, metric, round(mean, 2), round(mean - half, 2), round(mean + half, 2), paper)


def sample_row(name: str, metric: str, values: Sequence[float]) -> Row:
    """Return a row with the mean and the standard deviation of random samples.

    >>> sample_row("majority", "30", [1.0, 2.0, 3.0]).spread
    1.0
    """
    spread = round(float(np.std(values, ddof=1)), 2) if len(values) > 1 else None
    return Row(name, metric, round(float(np.mean(values)), 2), spread=spread, samples=len(values))


def table_line(cells: Sequence[str]) -> str:
    """Return the line of a table in Markdown.

    >>> table_line(["a", "1.00"])
    '| a | 1.00 |'
    """
    return "| " + " | ".join(cells) + " |"
