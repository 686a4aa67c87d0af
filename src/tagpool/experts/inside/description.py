"""Description: facts about a model, as JSON values and as text."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from tagpool.experts.inside.inspection import TopFeatures


@dataclass(frozen=True)
class Description:
    """Facts about a model: ``facts`` are JSON values, ``str`` gives the text."""

    facts: dict[str, Any]
    text: str

    def __str__(self) -> str:
        return self.text


def text_table(headers: Sequence[str], rows: Sequence[Sequence[object]], *, texts: Collection[int] = (0,)) -> str:
    """A table with the columns ``texts`` aligned to the left, and the others to the right.

    >>> print(text_table(["label", "weight"], [["PER", 1.5], ["O", 10.25]]))
    label  weight
    PER       1.5
    O       10.25
    """
    cells = [[str(cell) for cell in row] for row in (headers, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        columns = enumerate(zip(row, widths, strict=True))
        padded = [cell.ljust(width) if number in texts else cell.rjust(width) for number, (cell, width) in columns]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def weight_table(headers: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    """A blank line and a table of rows that end in a weight; nothing if there are no rows."""
    if not rows:
        return []
    cells = [[*row[:-1], f"{row[-1]:+.3f}"] for row in rows]
    return ["", text_table([*headers, "weight"], cells, texts=range(len(headers)))]


def top_features_table(label: str, top: TopFeatures) -> list[str]:
    """A blank line and the features for and against a label, side by side; empty without features."""
    rows = [[*_cells(one), *_cells(other)] for one, other in zip_longest(top.positive, top.negative)]
    if not rows:
        return []
    return ["", text_table([f"for {label}", "weight", f"against {label}", "weight"], rows, texts=(0, 2))]


def _cells(feature: tuple[str, float] | None) -> list[str]:
    return ["", ""] if feature is None else [feature[0], f"{feature[1]:+.3f}"]
