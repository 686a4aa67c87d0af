"""Plots as SVG: nothing is cut off."""

from __future__ import annotations

import math
import re

import pytest

from tagpool.views.plots import heat_map

LETTER, ASCENT = 7, 11  # pixels


@pytest.mark.parametrize("name", ["a", "PER", "a long name of a type"])
def test_names_of_columns_are_below_the_upper_edge(name: str) -> None:
    html = heat_map("Types", [name], [name], [[1]])
    [(place, angle)] = re.findall(r"translate\([\d.]+ ([\d.]+)\) rotate\((-\d+)\)", html)
    shown = re.findall(r"</title>([^<]+)</text>", html)[0]
    radians = math.radians(-int(angle))
    assert float(place) >= len(shown) * LETTER * 0.75 * math.sin(radians) + ASCENT * math.cos(radians)
