"""Comparison of printed figures with ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tagpool.experiments.printed import bagging, elitist, induction, paths
from tagpool.experiments.printed.table import Column, PrintedRow, PrintedTable
from tagpool.experiments.study import Row

TABLES: tuple[PrintedTable, ...] = (*bagging.TABLES, *elitist.TABLES, *induction.TABLES, *paths.TABLES)
Rows = Mapping[str, Sequence[Row]]


@dataclass(frozen=True)
class Comparison:
    """A printed figure with ours, or with the reason why it is missing."""

    table: PrintedTable
    row: PrintedRow
    column: Column
    printed: float
    ours: Row | None = None
    reason: str = ""

    @property
    def reached(self) -> bool | None:
        """Whether our figure is as good as the printed one; None without a figure.

        >>> table = TABLES[0]
        >>> Comparison(table, table.rows[0], table.columns[0], 86.61, Row("a", "F1", 86.7)).reached
        True
        """
        if self.ours is None:
            return None
        return self.ours.ours <= self.printed if self.column.lower else self.ours.ours >= self.printed

    @property
    def tie(self) -> bool:
        """Whether the printed figure lies in our interval."""
        if self.ours is None or self.ours.low is None or self.ours.high is None:
            return False
        return self.ours.low <= self.printed <= self.ours.high

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as a dictionary."""
        figures = {name: getattr(self.ours, name, None) for name in ("ours", "low", "high")}
        names = {"paper": self.table.paper, "table": self.table.number, "row": self.row.name, "column": self.column.name}
        verdict = {"reached": self.reached, "tie": self.tie, "reason": self.reason or None}
        return {**names, "experiment": self.table.experiment, "printed": self.printed, **figures, **verdict}


def compare(table: PrintedTable, rows: Rows, missing: Mapping[str, str]) -> Iterator[Comparison]:
    """Yield every figure of a table. ``rows`` has our rows by experiment, ``missing`` why an experiment has none."""
    name = table.experiment or ""
    figures: dict[tuple[str | None, str | None], Row] = {(row.row, row.metric): row for row in rows.get(name, ())}
    for row in table.rows:
        for column, printed in zip(table.columns, row.figures, strict=True):
            if printed is None:
                continue
            reason = row.reason or column.reason
            figure = None if reason else figures.get((row.ours, column.metric))
            if figure is None and not reason:
                reason = f"{name} is not run" if name not in rows else f"the results of {name} have no such figure"
                reason = missing.get(name, reason)
            yield Comparison(table, row, column, printed, figure, reason)
