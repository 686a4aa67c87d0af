"""Declaration of a printed table: its figures, and the experiment, rows and metrics that have ours."""

from __future__ import annotations

from dataclasses import dataclass

OTHERS = "a system of other authors"


@dataclass(frozen=True)
class Column:
    """A column: its heading, and the metric of our experiment. Without a metric, ``reason`` says why it is missing.

    ``lower``: the smaller figure is the better one.
    """

    name: str
    metric: str | None = None
    reason: str = ""
    lower: bool = False


@dataclass(frozen=True)
class PrintedRow:
    """A row: its name, a figure for each column, and the row of our experiment or the reason why it is missing."""

    name: str
    figures: tuple[float | None, ...]
    ours: str | None = None
    reason: str = ""


@dataclass(frozen=True)
class PrintedTable:
    """A table of a paper, or one block of it.

    ``note`` says what differs from the paper; ``other_data``: ours are measured on other data, so that only the order compares.
    """

    paper: str
    number: str
    title: str
    experiment: str | None
    columns: tuple[Column, ...]
    rows: tuple[PrintedRow, ...]
    note: str = ""
    other_data: bool = False

    @property
    def name(self) -> str:
        """Return the paper and the number of the table."""
        return f"{self.paper}, {self.number}"
