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
_METADATA: dict[str, dict[str, None]] = {"svg": {"Date": None}, "png": {"Software": None}}  # by kind of file
TRIAL_STYLES: dict[str, dict[str, Any]] = {
    "finished": {"s": 16, "color": "tab:blue"},
    "stopped early": {"s": 16, "facecolors": "none", "edgecolors": "tab:gray"},
    "defaults": {"s": 70, "marker": "D", "color": "tab:orange"},
    "best": {"s": 130, "marker": "*", "color": "tab:red"},
}
"""The points of trials by name; later ones are drawn above earlier ones."""
LEVEL_STYLES: dict[str, dict[str, Any]] = {
    "usual": {"color": "tab:gray", "linewidth": 1, "linestyle": "--"},
    "alarm level": {"color": "tab:orange", "marker": "_", "linestyle": "none"},
    "value": {"color": "tab:blue", "marker": "o", "markersize": 4, "linestyle": "none"},
    "alarm": {"color": "tab:red", "marker": "D", "markersize": 5, "linestyle": "none"},
}
"""The values of texts and their levels by name."""


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
    write_bytes(path, _drawn(figure, "png"))


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


def trial_panels(file: Path, parts: Sequence[Panel], shares: Mapping[str, float], up: str, title: str) -> None:
    """Draw the points of each panel, and bars of ``shares`` by name if there are some, as the SVG or PNG of the file name.

    The points have the names of ``TRIAL_STYLES``.
    """
    count = len(parts) + bool(shares)
    columns = min(count, 3)
    rows = -(-count // columns)
    figure = _figure((4.2 * columns, 3.4 * rows + 0.6))
    grid = figure.subplots(rows, columns, squeeze=False)
    places = grid.ravel().tolist()
    for axes, part in zip(places, parts, strict=False):
        for number, (name, style) in enumerate(TRIAL_STYLES.items()):
            if points := part.lines.get(name):
                axes.scatter(*zip(*points, strict=True), label=name, zorder=2 + number, **style)
        axes.set_xscale("log" if part.logarithmic else "linear")
        axes.set_xlabel(part.across)
        axes.grid(alpha=0.3)
    if shares:
        axes = places[len(parts)]
        axes.barh(list(shares), list(shares.values()))
        axes.invert_yaxis()  # the largest share on top
        axes.set_xlabel("importance")
    for axes in places[count:]:
        axes.remove()
    for row in grid[:, 0]:
        row.set_ylabel(up)
    if shares and len(parts) % columns == 0:
        places[len(parts)].set_ylabel("")
    # A panel may lack some of the groups.
    names = {
        name: handle for axes in places[: len(parts)] for handle, name in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    figure.legend(names.values(), names.keys(), loc="outside lower center", ncols=4, fontsize=8)
    figure.suptitle(title, fontsize=10)
    write_bytes(file, _drawn(figure, file.suffix[1:]))


def level_panels(
    file: Path, parts: Mapping[str, Mapping[str, Sequence[tuple[float, float]]]], names: Sequence[str], up: str, title: str
) -> None:
    """Draw the values of texts against levels, one panel per measure, as the SVG or PNG of the file name.

    The lines of a panel have the names of ``LEVEL_STYLES``; x is the number of the text, from 1 on, whose name is in ``names``.
    """
    columns = min(len(parts), 2)
    rows = -(-len(parts) // columns)
    figure = _figure((max(4.5, min(0.35 * len(names) + 2.5, 12.0)) * columns, 3.2 * rows + 0.8))
    places = figure.subplots(rows, columns, squeeze=False, sharex=True).ravel().tolist()
    step = -(-len(names) // 40)  # more names would overlap
    for axes, (measure, lines) in zip(places, parts.items(), strict=False):
        for name, style in LEVEL_STYLES.items():
            if points := lines.get(name):
                axes.plot(*zip(*points, strict=True), label=name, **style)
        axes.set_title(measure, fontsize=9)
        axes.set_ylabel(up)
        axes.set_xticks(range(1, len(names) + 1, step), names[::step], rotation=90, fontsize=7)
        axes.grid(alpha=0.3)
    for axes in places[max(len(parts) - columns, 0) : len(parts)]:
        axes.xaxis.set_tick_params(labelbottom=True)  # the last panel of each column, also if one is missing below
    for axes in places[len(parts) :]:
        axes.remove()
    handles = {
        name: handle for axes in places[: len(parts)] for handle, name in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=4, fontsize=8)
    figure.suptitle(title, fontsize=10)
    write_bytes(file, _drawn(figure, file.suffix[1:]))


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
    figure.legend(loc="outside lower center", ncols=3, fontsize=8)  # inside it hides bars
    return _write(figure, path, up, title)


def ranked_bars(path: Path, values: Mapping[str, float], across: str, title: str) -> list[str]:
    """Draw a horizontal bar for each name, from top to bottom, with its value."""
    figure = _figure((8, 0.45 * len(values) + 1.2))
    axes = figure.subplots()
    drawn = axes.barh(list(values), list(values.values()))
    axes.bar_label(drawn, fmt="%.1f", padding=3, fontsize=8)
    axes.invert_yaxis()
    axes.margins(x=0.08)
    axes.grid(axis="x", alpha=0.3)
    axes.set_xlabel(across)
    return _write(figure, path, "", title)


def loss_bars(
    file: Path,
    kinds: Mapping[str, str],
    losses: Mapping[str, tuple[float, float, float]],
    marks: Mapping[str, float],
    across: str,
    title: str,
) -> None:
    """Draw a horizontal bar with its interval (value, low, high) for each name, as the SVG or PNG of the file name.

    ``kinds`` has the kind of each name, by which the bars are coloured. ``marks`` are further values of some names: the worth of
    parts of a model.
    """
    figure = _figure((9, 0.28 * len(losses) + 1.8))
    axes = figure.subplots()
    places = {name: number for number, name in enumerate(losses)}
    for number, kind in enumerate(sorted(set(kinds.values()))):
        rows = [name for name in losses if kinds[name] == kind]
        values = np.array([losses[name] for name in rows]).reshape(-1, 3)
        around = np.abs(values[:, 1:] - values[:, :1]).T
        axes.barh(
            [places[name] for name in rows], values[:, 0], xerr=around, color=f"C{number}", label=kind, error_kw=_ERROR_BARS
        )
    if marks:
        ends = list(marks.values())
        axes.plot(ends, [places[name] for name in marks], "D", color="black", markersize=4, label="worth", zorder=3)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_yticks(range(len(losses)), [_shortened(name) for name in losses], fontsize=8)
    axes.set_ylim(len(losses) - 0.5, -0.5)  # the largest loss on top
    axes.grid(axis="x", alpha=0.3)
    axes.set_xlabel(across)
    axes.legend(fontsize=8, loc="lower right")
    axes.set_title(title, fontsize=10)
    write_bytes(file, _drawn(figure, file.suffix[1:]))


_ERROR_BARS = {"elinewidth": 1.0, "capsize": 2.0, "ecolor": "dimgray"}
_MOST_LETTERS = 60


def _shortened(name: str) -> str:
    """Return a name without dollar signs, which begin formulas, and cut off if it is long."""
    name = name.replace("$", r"\$")
    return name if len(name) <= _MOST_LETTERS else f"{name[: _MOST_LETTERS - 1]}…"


def check_file(file: Path) -> None:
    """Raise an error before long work if a plot cannot have this name, or if matplotlib is missing."""
    if file.suffix[1:] not in _METADATA:
        raise InputError(f"{file}: expected the name of a picture that ends in {' or '.join(f'.{kind}' for kind in _METADATA)}")
    _figure((1, 1))


def _figure(size: tuple[float, float]) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError('plots need matplotlib; pip install "tagpool[plots]", or leave them out') from None
    return Figure(figsize=size, layout="constrained")


def _write(figure: Any, path: Path, up: str, title: str) -> list[str]:
    """Add the title, the label of the first y axis and a legend in the last plot, unless the figure has one.

    Write the files and return their names.
    """
    single = len(figure.axes) == 1
    figure.axes[0].set_ylabel(up)
    if not figure.legends and figure.axes[-1].get_legend_handles_labels()[0]:
        figure.axes[-1].legend(fontsize=8, loc="best" if single else "lower right")
    (figure.axes[0].set_title if single else figure.suptitle)(title, fontsize=10)
    path.parent.mkdir(parents=True, exist_ok=True)
    names = []
    for kind in _METADATA:
        file = path.with_suffix(f".{kind}")
        write_bytes(file, _drawn(figure, kind))
        names.append(file.name)
    return names


def _drawn(figure: Any, kind: str) -> bytes:
    """Return a figure as a file. The same seed gives the same file: no date, no random ids."""
    from matplotlib import rc_context

    drawn = io.BytesIO()
    with rc_context({"svg.hashsalt": "tagpool"}):
        figure.savefig(drawn, format=kind, dpi=130, metadata=_METADATA[kind])
    return drawn.getvalue()
