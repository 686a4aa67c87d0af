"""Small plots as SVG. Colours are variables of the style sheet, lines also differ in markers, and the numbers are a table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tagpool.views.html import Html, element, join, table

Points = Sequence[tuple[float, float]]
_WIDTH, _HEIGHT = 360, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 54, 12, 10, 38  # margins
_TICKS = 5
_SIDE = 36  # of a cell of a heat map
_NAME = 7.0  # width of a letter of a name, about
_LONGEST = 14  # letters of a name that a heat map shows
# Shapes around (0, 0), one for each line.
_MARKERS = ("M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0", "M-3-3h6v6h-6z", "M0-4L4 0L0 4L-4 0z", "M0-4L4 3H-4z")


@dataclass(frozen=True)
class Axis:
    """An axis from ``low`` to ``high``; with ``percent``, 0.5 is written as 50%."""

    name: str
    low: float = 0.0
    high: float = 1.0
    percent: bool = True

    @classmethod
    def around(cls, name: str, values: Sequence[float], *, percent: bool = True) -> Axis:
        """Return an axis with round ends around values.

        >>> Axis.around("F1", [0.412, 0.893])
        Axis(name='F1', low=0.4, high=0.9, percent=True)
        """
        finite = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
        low, high = min(finite), max(finite)
        step = _round_step((high - low) / _TICKS or abs(high) / 10 or 1.0)
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        return cls(name, round(first * step, 12), round(max(last, first + 1) * step, 12), percent)

    def ticks(self) -> list[float]:
        """Return round numbers from ``low`` to ``high``."""
        step = _round_step((self.high - self.low) / _TICKS)
        first = math.ceil(self.low / step - 1e-9)
        return [round(number * step, 12) for number in range(first, math.floor(self.high / step + 1e-9) + 1)]

    def write(self, value: float) -> str:
        """Return a number as text."""
        return f"{100 * value:.4g}%" if self.percent else f"{value:,.6g}"

    def share(self, value: float) -> float:
        """Return the position of a value: 0 at ``low``, 1 at ``high``."""
        return min(max((value - self.low) / ((self.high - self.low) or 1.0), 0.0), 1.0)


def line_plot(title: str, lines: Mapping[str, Points], across: Axis, up: Axis, *, diagonal: bool = False) -> Html:
    """Return a plot with one line per name; ``diagonal`` adds the line of equal values.

    >>> plot = line_plot("Score", {"dev": [(1, 0.5), (2, 0.75)]}, Axis("epoch", 1, 2, percent=False), Axis("F1"))
    >>> plot.count("<svg"), "75%" in plot
    (1, True)
    """

    def place(x: float, y: float) -> tuple[float, float]:
        return (
            _LEFT + across.share(x) * (_WIDTH - _LEFT - _RIGHT),
            _HEIGHT - _BOTTOM - up.share(y) * (_HEIGHT - _TOP - _BOTTOM),
        )

    parts = _axes(across, up)
    if diagonal:
        ends = (max(across.low, up.low), min(across.high, up.high))
        (x1, y1), (x2, y2) = (place(end, end) for end in ends)
        parts.append(Html(f'<path class="tp-diagonal" d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"/>'))
    for number, points in enumerate(lines.values()):
        places = [place(x, y) for x, y in points]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        colour = f"tp-l{number % 8}"
        marker = _MARKERS[number % len(_MARKERS)]
        if places:
            parts.append(Html(f'<path class="tp-line {colour}" d="M{path}"/>'))
        # Markers of long lines would cover them.
        every = max(1, len(places) // 12)
        marks = "".join(f'<path transform="translate({x:.1f} {y:.1f})" d="{marker}"/>' for x, y in places[::every])
        parts.append(Html(f'<g class="tp-mark {colour}">{marks}</g>'))
    legend = _legend(list(lines)) if len(lines) > 1 else ""
    rows = [[name, across.write(x), up.write(y)] for name, points in lines.items() for x, y in points]
    numbers = table(["line", across.name, up.name], rows, caption=title, hidden=True)
    return _figure(title, (_WIDTH, _HEIGHT), parts, legend, numbers)


def heat_map(
    title: str, rows: Sequence[str], columns: Sequence[str], counts: Sequence[Sequence[int]], *, percent: bool = False
) -> Html:
    """Return a matrix of counts, such as gold types by predicted types; cells with equal names have another colour.

    With ``percent``, the numbers are percentages, and all cells have one colour.

    >>> heat_map("Types", ["PER"], ["PER", "LOC"], [[3, 1]]).count("<rect")
    2
    """
    left = 12 + _NAME * max((len(_short(name)) for name in rows), default=1)
    top = 17 + 0.75 * _NAME * max((len(_short(name)) for name in columns), default=1)
    width, height = left + _SIDE * len(columns) + 30, top + _SIDE * len(rows) + 4
    parts: list[Html] = []
    for number, name in enumerate(columns):
        where = f"translate({left + _SIDE * (number + 0.5):.0f} {top - 6:.0f}) rotate(-40)"
        parts.append(element("text", element("title", name), _short(name), transform=where))
    for row, (name, line) in enumerate(zip(rows, counts, strict=True)):
        y, total = top + _SIDE * row, sum(line) or 1
        label = element("title", name)
        parts.append(element("text", label, _short(name), x=f"{left - 6:.0f}", y=f"{y + _SIDE / 2 + 4:.0f}", text_anchor="end"))
        for column, count in enumerate(line):
            x, kind = left + _SIDE * column, "tp-same" if percent or name == columns[column] else "tp-other"
            # The root makes rare errors visible beside frequent right labels.
            shade = 0.75 * (count / 100 if percent else math.sqrt(count / total))
            place = f'x="{x:.0f}" y="{y:.0f}" width="{_SIDE - 2}" height="{_SIDE - 2}"'
            parts.append(Html(f'<rect class="{kind}" {place} fill-opacity="{shade:.2f}"/>'))
            if count:
                x, y_text = x + _SIDE / 2 - 1, f"{y + _SIDE / 2 + 3:.0f}"
                parts.append(element("text", f"{count:,}", class_="tp-count", text_anchor="middle", x=f"{x:.0f}", y=y_text))
    cells = [[name, *line] for name, line in zip(rows, counts, strict=True)]
    numbers = table(["", *columns], cells, caption=title, hidden=True)
    return _figure(title, (width, height), parts, "", numbers)


def _axes(across: Axis, up: Axis) -> list[Html]:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    parts = []
    for value in up.ticks():
        y = bottom - up.share(value) * (bottom - _TOP)
        parts.append(Html(f'<path class="tp-grid" d="M{_LEFT} {y:.1f}H{right}"/>'))
        parts.append(element("text", up.write(value), x=_LEFT - 5, y=f"{y + 3.5:.1f}", text_anchor="end"))
    for value in across.ticks():
        x = _LEFT + across.share(value) * (right - _LEFT)
        parts.append(Html(f'<path class="tp-grid" d="M{x:.1f} {_TOP}V{bottom}"/>'))
        parts.append(element("text", across.write(value), x=f"{x:.1f}", y=bottom + 14, text_anchor="middle"))
    middle = (_LEFT + right) / 2
    parts.append(element("text", across.name, x=middle, y=_HEIGHT - 6, text_anchor="middle", class_="tp-axis"))
    where = f"translate(10 {(_TOP + bottom) / 2:.0f}) rotate(-90)"
    parts.append(element("text", up.name, transform=where, text_anchor="middle", class_="tp-axis"))
    return parts


def _legend(names: Sequence[str]) -> Html:
    def entry(number: int, name: str) -> Html:
        marker = f'<path transform="translate(6 6)" d="{_MARKERS[number % len(_MARKERS)]}"/>'
        picture = f'<svg width="12" height="12" aria-hidden="true"><g class="tp-mark tp-l{number % 8}">{marker}</g></svg>'
        return element("span", Html(picture), " ", name)

    return element("div", join((entry(number, name) for number, name in enumerate(names)), " "), class_="tp-legend")


def _figure(title: str, size: tuple[float, float], parts: Sequence[Html], legend: object, numbers: Html) -> Html:
    width, height = size
    picture = element(
        "svg",
        *parts,
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=f"{width:.0f}",
        role="img",
        aria_label=f"{title}; the numbers are in the table that follows",
    )
    return element("figure", element("figcaption", title), picture, legend, numbers, class_="tp-plot")


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"


def _round_step(step: float) -> float:
    """Return the smallest of 1, 2 and 5 times a power of ten that is not below a step."""
    power = 10.0 ** math.floor(math.log10(step))
    return next((factor * power for factor in (1, 2, 5, 10) if factor * power >= step * (1 - 1e-9)), 10 * power)
