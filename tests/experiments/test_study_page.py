"""Pages of studies, written and read again."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagpool.errors import InputError
from tagpool.experiments.study import Row, Study, Table
from tagpool.experiments.study_page import read_page, study_page

NAMES = st.sampled_from(["one CRF", "bagged: each, and all", "M2: M1 + clusters", "dev (0.3)"])
FIGURES = st.integers(-9999, 9999).map(lambda number: number / 100)


@st.composite
def rows(draw: st.DrawFn) -> list[Row]:
    keys = draw(st.lists(st.tuples(NAMES, st.sampled_from(["F1", "30", "test, all"])), min_size=1, unique=True))
    result = []
    for name, metric in keys:
        low, high = draw(st.one_of(st.just((None, None)), st.tuples(FIGURES, FIGURES)))
        paper = draw(st.one_of(st.none(), FIGURES))
        result.append(Row(name, metric, draw(FIGURES), low, high, paper, draw(st.sampled_from(["", "**", "†‡"]))))
    return result


@given(rows())
def test_rows_are_read_as_they_were_written(written: list[Row]) -> None:
    study = Study("x", "Title", written, ["a note | with a bar"], [Table("Further", ["", "1"], [["a", "text"]])])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.md"
        path.write_text(study_page(study, "tagpool reproduce x"))
        page = read_page(path)
    assert page.command == "tagpool reproduce x"
    assert not page.quick
    assert sorted(page.rows, key=str) == sorted(written, key=str)


def test_a_quick_run_is_marked(tmp_path: Path) -> None:
    study = Study("x", "Title", [Row("a", "F1", 1.0, spread=0.5)])
    text = study_page(study, "tagpool reproduce x --quick")
    assert "**Quick run:**" in text
    assert "Quick" not in study_page(study, "tagpool reproduce x")
    (tmp_path / "x.md").write_text(text)
    page = read_page(tmp_path / "x.md")
    assert page.quick
    assert page.rows == (Row("a", "F1", 1.0, spread=0.5),)


@pytest.mark.parametrize(
    "table", ["", "|  | F1 |\n| --- | --- |\n| a | much |\n", "|  | F1 |\n| --- | --- |\n| a | 1.00 | 2.00 |\n"]
)
def test_other_pages_are_refused(tmp_path: Path, table: str) -> None:
    path = tmp_path / "x.md"
    path.write_text(f"# Title\n\n    tagpool reproduce x\n\n{table}")
    with pytest.raises(InputError, match=r"x\.md: not a page that tagpool reproduce wrote: .*; remove it"):
        read_page(path)
