"""Small drawings as SVG, with colours for light and dark pages."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from pathlib import Path

Points = Sequence[tuple[float, float]]
_STYLE = """.tagpool-figure{color:#24292f;--blue:#1d5fa8;--orange:#b35900;--grey:#6b6b6b;font-family:sans-serif;font-size:14px}
@media (prefers-color-scheme:dark){.tagpool-figure{color:#e6edf3;--blue:#7ab8ff;--orange:#ffb266;--grey:#a0a0a0}}"""
BLUE, ORANGE, GREY, INK = "var(--blue)", "var(--orange)", "var(--grey)", "currentColor"
_DASHES = {"solid": "", "dashed": ' stroke-dasharray="7 5"', "dotted": ' stroke-dasharray="2 4"'}


class Drawing:
    """Elements of a picture; y grows downwards."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._parts: list[str] = []

    def text(
        self, x: float, y: float, text: str, *, colour: str = INK, anchor: str = "middle", size: int = 14, bold: bool = False
    ) -> None:
        """Add a text with its baseline at y."""
        weight = ' font-weight="bold"' if bold else ""
        self._parts.append(
            f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}"{weight} fill="{colour}">'
            f"{html.escape(text)}</text>"
        )

    def box(self, x: float, y: float, width: float, height: float, *lines: str, colour: str = BLUE, line: str = "solid") -> None:
        """Add a box around lines of text; its place is that of its centre."""
        left, top = x - width / 2, y - height / 2
        self._parts.append(
            f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" rx="6" fill="none" stroke="{colour}" '
            f'stroke-width="1.5"{_DASHES[line]}/>'
        )
        first = y + 5 - 9 * (len(lines) - 1)
        for number, one in enumerate(lines):
            self.text(x, first + 18 * number, one)

    def line(self, points: Points, *, colour: str = INK, width: float = 1.5, line: str = "solid") -> None:
        """Add connected lines."""
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        self._parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width:g}"{_DASHES[line]}/>')

    def arrow(self, x1: float, y1: float, x2: float, y2: float, *, colour: str = GREY, width: float = 1.5) -> None:
        """Add an arrow."""
        self.line([(x1, y1), (x2, y2)], colour=colour, width=width)
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        across, down = (x2 - x1) / length, (y2 - y1) / length
        sides = [(x2 - 9 * across + side * 4 * down, y2 - 9 * down - side * 4 * across) for side in (1, -1)]
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in [(x2, y2), *sides])
        self._parts.append(f'<polygon points="{corners}" fill="{colour}"/>')

    def circle(self, x: float, y: float, radius: float, text: str = "", *, colour: str = GREY, width: float = 1.5) -> None:
        """Add a circle around a text."""
        self._parts.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="none" stroke="{colour}" stroke-width="{width:g}"/>'
        )
        if text:
            self.text(x, y + 5, text)

    def bar(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        """Add a filled bar; its place is that of its lower left corner."""
        self._parts.append(f'<rect x="{x:g}" y="{y - height:g}" width="{width:g}" height="{height:g}" fill="{colour}"/>')

    def save(self, path: Path) -> None:
        """Write the file."""
        size = f'viewBox="0 0 {self.width} {self.height}" width="{self.width}" height="{self.height}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" class="tagpool-figure" {size}>\n<style>{_STYLE}</style>\n'
        path.write_text(head + "\n".join(self._parts) + "\n</svg>\n", encoding="utf-8")


def plot(
    lines: Mapping[str, Points], x_name: str, y_name: str, *, x_ticks: Sequence[float], y_ticks: Sequence[float], y_unit: str = ""
) -> Drawing:
    """Return a plot; every line has another colour and pattern, and its name at its right end."""
    drawing = Drawing(640, 350)
    left, right, top, bottom = 60, 420, 36, 295

    def place(x: float, y: float) -> tuple[float, float]:
        return (
            left + (right - left) * (x - x_ticks[0]) / (x_ticks[-1] - x_ticks[0]),
            bottom - (bottom - top) * (y - y_ticks[0]) / (y_ticks[-1] - y_ticks[0]),
        )

    for tick in y_ticks:
        _, y = place(x_ticks[0], tick)
        drawing.line([(left, y), (right, y)], colour=GREY, width=0.4)
        drawing.text(left - 8, y + 5, f"{tick:g}{y_unit}", anchor="end", size=13)
    for tick in x_ticks:
        x, _ = place(tick, y_ticks[0])
        drawing.text(x, bottom + 20, f"{tick:g}", size=13)
    drawing.text((left + right) / 2, bottom + 44, x_name)
    drawing.text(left, top - 16, y_name, anchor="start")
    styles = [(BLUE, "solid"), (ORANGE, "dashed"), (GREY, "dotted"), (INK, "solid")]
    ends: list[float] = []
    for (name, points), (colour, pattern) in zip(lines.items(), styles, strict=False):
        drawing.line([place(x, y) for x, y in points], colour=colour, width=2.5, line=pattern)
        _, y = place(*points[-1])
        while any(abs(y - other) < 18 for other in ends):
            y += 3
        ends.append(y)
        drawing.text(right + 8, y + 5, name, colour=colour, anchor="start")
    return drawing
