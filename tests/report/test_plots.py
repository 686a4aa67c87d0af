"""Plots: the data, labels and limits of the figures, and the files they are written to."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tagpool import InputError
from tagpool.report import plots
from tagpool.report.plots import Panel, bars, check_file, curves, heat_map, level_panels, panels, trial_panels

pytest.importorskip("matplotlib")
LINES = {"one": [(0.1, 80.0), (1.0, 82.0)], "other": [(0.01, 60.0), (0.1, 79.0), (1.0, 81.0)]}


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The figures that are drawn after this."""
    drawn: list[Any] = []
    create = plots._figure
    monkeypatch.setattr(plots, "_figure", lambda size: drawn.append(create(size)) or drawn[-1])
    return drawn


def test_panels_are_files(tmp_path: Path, figures: list[Any]) -> None:
    names = panels(tmp_path / "x", [Panel("strength", LINES, logarithmic=True), Panel("epochs", LINES)], "F1", "Title", 6.0)
    assert names == ["x.svg", "x.png"]
    assert "image/svg+xml" in (tmp_path / "x.svg").read_text()
    assert (tmp_path / "x.png").stat().st_size > 5000
    (figure,) = figures
    assert [axes.get_xlabel() for axes in figure.axes] == ["strength", "epochs"]
    assert [axes.get_xscale() for axes in figure.axes] == ["log", "linear"]
    for axes in figure.axes:
        assert [list(zip(*line.get_data(), strict=True)) for line in axes.get_lines()] == list(LINES.values())
        assert axes.get_ylim() == pytest.approx((82.0 - 6.0, 82.0 + 0.3))
    assert [text.get_text() for text in figure.axes[-1].get_legend().get_texts()] == ["one", "other"]


def test_curves_have_all_points_and_the_same_bytes_again(tmp_path: Path, figures: list[Any]) -> None:
    lines = {"one model": [1.0, 2.0, 3.0], "feature missing": [3.0, 2.0, 1.0]}
    for name in ("a/x", "b/x"):  # in folders that do not exist
        assert curves(tmp_path / name, [0.0, 0.5, 1.0], lines, "share", "accuracy", "Title") == ["x.svg", "x.png"]
    for kind in ("svg", "png"):
        assert (tmp_path / f"a/x.{kind}").read_bytes() == (tmp_path / f"b/x.{kind}").read_bytes()
    (axes,) = figures[0].axes
    assert [list(line.get_ydata()) for line in axes.get_lines()] == list(lines.values())
    assert [line.get_linestyle() for line in axes.get_lines()] == ["-", "--"]
    widths = [line.get_linewidth() for line in axes.get_lines()]
    assert widths[0] > widths[1]
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title()) == ("share", "accuracy", "Title")


def test_bars_stand_beside_each_other_in_groups(tmp_path: Path, figures: list[Any]) -> None:
    heights = {"CRF": [50.0, 10.0], "pool": [49.0, 40.0]}
    assert bars(tmp_path / "x", ["clean", "noisy"], heights, "F1", "Title") == ["x.svg", "x.png"]
    (axes,) = figures[0].axes
    drawn = {container.get_label(): [(bar.get_x(), bar.get_height()) for bar in container] for container in axes.containers}
    assert {name: [height for _, height in row] for name, row in drawn.items()} == heights
    assert [x for x, _ in drawn["CRF"]] == pytest.approx([-0.4, 0.6])
    assert [x for x, _ in drawn["pool"]] == pytest.approx([0.0, 1.0])


def test_a_heat_map_has_a_number_in_each_cell(tmp_path: Path, figures: list[Any]) -> None:
    heat_map(tmp_path / "x.png", ["a", "b"], ["PER", "LOC"], np.array([[90.0, np.nan], [12.34, 50.0]]), "Title")
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
    axes = figures[0].axes[0]
    cells = {(int(text.get_position()[0]), int(text.get_position()[1])): text for text in axes.texts}
    assert {place: text.get_text() for place, text in cells.items()} == {(0, 0): "90.0", (0, 1): "12.3", (1, 1): "50.0"}
    assert [cells[place].get_color() for place in ((0, 0), (0, 1))] == ["black", "white"]


def test_matplotlib_is_optional(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(InputError, match=r'plots need matplotlib; pip install "tagpool\[plots\]"'):
        bars(tmp_path / "x", ["a"], {"b": [1.0]}, "F1", "Title")
    assert not list(tmp_path.iterdir())


def test_panels_of_trials(tmp_path: Path, figures: list[Any]) -> None:
    points = [(0.1, 80.0), (1.0, 82.0), (5.0, 81.0)]
    groups = {"finished": points, "stopped early": [(2.0, 70.0)], "defaults": points[:1], "best": points[1:2]}
    parts = [Panel("l2", groups, logarithmic=True), *(Panel(name, {"finished": points}) for name in ("batch", "epochs"))]
    for name in ("x.svg", "x.png", "again.svg"):
        trial_panels(tmp_path / name, parts, {"l2": 0.7, "batch": 0.3}, "dev F1", "3 trials")
    assert (tmp_path / "x.svg").read_bytes() == (tmp_path / "again.svg").read_bytes()
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
    axes = figures[0].axes
    assert [(one.get_xlabel(), one.get_xscale()) for one in axes] == [
        ("l2", "log"),
        ("batch", "linear"),
        ("epochs", "linear"),
        ("importance", "linear"),
    ]
    drawn = {one.get_label(): [tuple(point) for point in one.get_offsets().tolist()] for one in axes[0].collections}
    assert drawn == groups
    assert [bar.get_width() for bar in axes[3].patches] == [0.7, 0.3]
    assert [text.get_text() for text in axes[3].get_yticklabels()] == ["l2", "batch"]
    trial_panels(tmp_path / "y.svg", parts[:1], {}, "dev F1", "3 trials")
    assert len(figures[-1].axes) == 1


def test_the_name_of_a_plot_is_checked_before_it_is_drawn(tmp_path: Path) -> None:
    check_file(tmp_path / "x.svg")
    with pytest.raises(InputError, match=r"x\.pdf: expected the name of a picture that ends in \.svg or \.png"):
        check_file(tmp_path / "x.pdf")


@pytest.mark.parametrize("count", [1, 2, 3])
def test_level_panels_have_the_values_and_names_of_texts(tmp_path: Path, figures: list[Any], count: int) -> None:
    names = [f"day {number}" for number in range(1, 101)]
    lines = {"usual": [(1.0, 5.0), (100.0, 5.0)], "alarm level": [(1.0, 7.0), (100.0, 8.0)], "alarm": [(100.0, 9.0)]}
    level_panels(tmp_path / "x.svg", {f"measure {number}": lines for number in range(count)}, names, "%", "Title")
    (figure,) = figures
    assert [axes.get_title() for axes in figure.axes] == [f"measure {number}" for number in range(count)]
    for axes in figure.axes:
        drawn = {line.get_label(): list(zip(*line.get_data(), strict=True)) for line in axes.get_lines()}
        assert drawn == lines
    last = figure.axes[-1]
    assert [text.get_text() for text in last.get_xticklabels()] == names[::3]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == list(lines)
