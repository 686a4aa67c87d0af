"""Plots as SVG and PNG. matplotlib (``tagpool[plots]``) is imported only when a plot is drawn."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tagpool.corpus.files import write_bytes
from tagpool.errors import InputError

_MARKERS = "osD^v"


def curves(path: Path, x: Sequence[float], lines: Mapping[str, Sequence[float]], across: str, up: str, title: str) -> list[str]:
    """Draw one line per name; return the names of the files. Equal lines stay visible: each has another marker and width."""
    figure = _figure((8, 5))
    axes = figure.subplots()
    for number, (name, values) in enumerate(lines.items()):
        # Later lines are thinner, so that a line below another one is not hidden.
        width, size = 5.5 - 4.5 * number / max(len(lines) - 1, 1), 9 - 5 * number / max(len(lines) - 1, 1)
        style = "--" if "missing" in name else "-"
        axes.plot(
            x, values, marker=_MARKERS[number % len(_MARKERS)], markersize=size, linewidth=width, linestyle=style, label=name
        )
    axes.set_xlabel(across)
    axes.grid(alpha=0.3)
    return _write(figure, path, up, title)


def heat_map(path: Path, rows: Sequence[str], columns: Sequence[str], values: Any, title: str) -> None:
    """Draw a PNG with a cell for each row and column, with its number."""
    figure = _figure((2.5 + 0.9 * len(columns), 1.5 + 0.45 * len(rows)))
    axes = figure.subplots()
    shown = axes.imshow(values, aspect="auto", cmap="viridis")
    axes.set_xticks(range(len(columns)), columns, rotation=45, ha="right", fontsize=8)
    axes.set_yticks(range(len(rows)), rows, fontsize=8)
    middle = (np.nanmax(values, initial=0.0) + np.nanmin(values, initial=100.0)) / 2
    for (row, column), value in np.ndenumerate(values):
        if not np.isnan(value):
            colour = "black" if value > middle else "white"  # high values have light cells
            axes.text(column, row, f"{value:.1f}", ha="center", va="center", fontsize=7, color=colour)
    axes.set_title(title, fontsize=9)
    figure.colorbar(shown)
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=130, metadata={"Software": None})
    write_bytes(path, drawn.getvalue())


@dataclass(frozen=True)
class Panel:
    """One of several plots side by side; each line has points (x, y)."""

    across: str
    lines: Mapping[str, Sequence[tuple[float, float]]]
    logarithmic: bool = False


def panels(path: Path, parts: Sequence[Panel], up: str, title: str, depth: float) -> list[str]:
    """Draw plots side by side with one legend, down to ``depth`` below the highest point."""
    figure = _figure((5.5 * len(parts), 5))
    highest = max(y for part in parts for points in part.lines.values() for _, y in points)
    for axes, part in zip(figure.subplots(1, len(parts), sharey=True, squeeze=False)[0], parts, strict=True):
        for name, points in part.lines.items():
            axes.plot(*zip(*points, strict=True), marker="o", markersize=3, label=name)
        axes.set_xscale("log" if part.logarithmic else "linear")
        axes.set_ylim(highest - depth, highest + 0.05 * depth)
        axes.set_xlabel(part.across)
        axes.grid(alpha=0.3)
    return _write(figure, path, up, title)


def bars(path: Path, groups: Sequence[str], values: Mapping[str, Sequence[float]], up: str, title: str) -> list[str]:
    """Draw a group of bars for each condition, with one bar per name."""
    figure = _figure((max(8.0, 1.9 * len(groups)), 5))
    axes = figure.subplots()
    width = 0.8 / max(len(values), 1)
    for number, (name, heights) in enumerate(values.items()):
        positions = [group + (number - (len(values) - 1) / 2) * width for group in range(len(groups))]
        axes.bar(positions, heights, width, label=name)
    axes.set_xticks(range(len(groups)), groups)
    axes.grid(axis="y", alpha=0.3)
    return _write(figure, path, up, title)


def _figure(size: tuple[float, float]) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError('plots need matplotlib; pip install "tagpool[plots]", or leave them out') from None
    return Figure(figsize=size, layout="constrained")


def _write(figure: Any, path: Path, up: str, title: str) -> list[str]:
    """Add the title, the label of the first y axis and the legend of the last plot; write the files and return their names."""
    from matplotlib import rc_context

    single = len(figure.axes) == 1
    figure.axes[0].set_ylabel(up)
    figure.axes[-1].legend(fontsize=8, loc="best" if single else "lower right")
    (figure.axes[0].set_title if single else figure.suptitle)(title, fontsize=10)
    path.parent.mkdir(parents=True, exist_ok=True)
    names = []
    # The same seed gives the same file: no date, no random ids.
    with rc_context({"svg.hashsalt": "tagpool"}):
        for kind, metadata in (("svg", {"Date": None}), ("png", {"Software": None})):
            file = path.with_suffix(f".{kind}")
            figure.savefig(file, dpi=130, metadata=metadata)
            names.append(file.name)
    return names
