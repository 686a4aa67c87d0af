"""Printed figures beside ours, and the committed page of all figures."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tagpool.experiments.catalogue import EXPERIMENTS
from tagpool.experiments.printed.comparison import TABLES, Comparison, compare
from tagpool.experiments.printed.index_page import Finding, comparisons, counts, index_page, shown_verdict
from tagpool.experiments.printed.table import Column, PrintedRow, PrintedTable
from tagpool.experiments.study import Row
from tagpool.experiments.study_page import read_page

RESULTS = Path(__file__).parents[3] / "docs" / "results"
TABLE = PrintedTable(
    "PAPER",
    "Table 1",
    "Two models",
    "bagging-ner",
    (Column("F1", "test F1"), Column("loss", "test loss", lower=True), Column("size", reason="a size")),
    (PrintedRow("one", (80.0, 5.0, 10), "one CRF"), PrintedRow("cited", (90.0, None, None), reason="of others")),
)


def findings_of_pages() -> dict[str, Finding]:
    pages = {name: read_page(RESULTS / f"{name}.md") for name in EXPERIMENTS}
    assert not any(page.quick for page in pages.values())
    return {name: Finding(page.rows, "page", page.command) for name, page in pages.items()}


def verdicts(*rows: Row) -> list[str]:
    return [shown_verdict(one) for one in compare(TABLE, {"bagging-ner": rows}, {})]


def test_larger_scores_and_smaller_losses_are_better() -> None:
    assert verdicts(Row("one CRF", "test F1", 80.0), Row("one CRF", "test loss", 5.0)) == ["yes", "yes", "", ""]
    assert verdicts(Row("one CRF", "test F1", 79.99), Row("one CRF", "test loss", 5.01)) == ["no", "no", "", ""]
    assert verdicts(Row("one CRF", "test F1", 80.01), Row("one CRF", "test loss", 4.99)) == ["yes", "yes", "", ""]


def test_a_printed_figure_inside_the_interval_is_a_tie() -> None:
    assert verdicts(Row("one CRF", "test F1", 81.0, 80.0, 82.0), Row("one CRF", "test loss", 6.0, 5.0, 7.0))[:2] == [
        "yes, tie",
        "no, tie",
    ]
    assert verdicts(Row("one CRF", "test F1", 81.0, 80.01, 82.0), Row("one CRF", "test loss", 6.0, 5.01, 7.0))[:2] == [
        "yes",
        "no",
    ]


def test_every_figure_without_ours_has_a_reason() -> None:
    assert [one.reason for one in compare(TABLE, {}, {})] == ["bagging-ner is not run"] * 2 + ["a size", "of others"]
    assert next(compare(TABLE, {}, {"bagging-ner": "failed: no file"})).reason == "failed: no file"
    assert next(compare(TABLE, {"bagging-ner": []}, {})).reason == "the results of bagging-ner have no such figure"
    assert all(one.reason for one in comparisons({}))


def test_the_tables_of_the_papers_are_complete() -> None:
    figures = Counter(one.table.name for one in comparisons({}))
    assert figures == {
        "BAGGING, Table 1": 4,
        "BAGGING, Table 2": 3,
        "BAGGING, Table 3": 5,
        "ELITIST, Table 2, CoNLL": 42,
        "ELITIST, Table 2, MUC": 36,
        "ELITIST, Table 3, CoNLL": 12,
        "ELITIST, Table 3, MUC": 12,
        "DFI, Table 3": 15,
        "DFI, Table 4": 23,
        "DFI, Table 7": 15,
        "DFI, Table 8": 19,
        "PATHS, Table 1": 16,
        "PATHS, Table 2": 8,
        **{f"PATHS, Table {number}": 16 for number in (3, 4, 5, 6, 7)},
    }


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_table_names_an_experiment_or_reasons(table: PrintedTable) -> None:
    assert table.experiment is None or table.experiment in EXPERIMENTS
    for row in table.rows:
        assert bool(row.ours) != bool(row.reason), row
        assert row.ours is None or table.experiment is not None
    if table.experiment is not None:
        assert all(bool(column.metric) != bool(column.reason) for column in table.columns)


def test_precision_recall_and_f1_of_the_papers_agree() -> None:
    """The harmonic mean of printed precision and recall is the printed F1: no figure is mistyped."""
    checked = 0
    for table in TABLES:
        columns = [column.name for column in table.columns]
        for part in ("dev", "test", "IV", "OOV"):
            names = [f"{part} {measure}" for measure in ("precision", "recall", "F1")]
            if set(names) <= set(columns):
                for row in table.rows:
                    precision, recall, f1 = (row.figures[columns.index(name)] for name in names)
                    if precision is not None and recall is not None:
                        assert f1 == pytest.approx(2 * precision * recall / (precision + recall), abs=0.016), row.name
                        checked += 1
    assert checked == 32


def test_experiments_and_tables_have_the_same_printed_figures() -> None:
    findings = findings_of_pages()
    listed: dict[tuple[str, str, str], float] = {}
    for one in comparisons(findings):
        if one.ours is not None and one.table.experiment is not None:
            listed[one.table.experiment, one.ours.row, one.ours.metric] = round(one.printed, 2)
    shown = {
        (name, row.row, row.metric): row.paper
        for name, one in findings.items()
        for row in one.rows or ()
        if row.paper is not None
    }
    assert len(shown) > 100
    others = {key[1:]: shown.pop(key) for key in list(shown) if key[0] == "paths-pron"}  # the same tables with other experts
    assert shown == listed
    assert others == {key: listed[("paths-nbest", *key)] for key in others}


def test_counts_add_up() -> None:
    for paper, *numbers in counts(comparisons(findings_of_pages())):
        total, *parts = map(int, numbers)
        assert total == sum(parts), paper


def test_the_committed_page_has_the_figures_of_the_committed_pages() -> None:
    """After a run of an experiment, ``tagpool reproduce all --cached`` writes the page of all figures again."""
    text = (RESULTS / "README.md").read_text()
    assert without_origins(index_page(findings_of_pages(), "", "tagpool reproduce all")) == without_origins(text)
    for name in EXPERIMENTS:
        assert f"| [{name}]({name}.md) | `tagpool reproduce {name}" in text


def without_origins(page: str) -> str:
    page = re.sub(r"^Written by .*?\. (?=A figure)", "", page, flags=re.MULTILINE)
    return re.sub(r"^(\| \[[\w-]+\]\([\w-]+\.md\) \| `[^`]*` \|) .* \|$", r"\1", page, flags=re.MULTILINE)


def test_a_page_of_a_quick_run_is_marked() -> None:
    assert "Quick run" in index_page({}, "v", "tagpool reproduce all --quick")
    assert "Quick run" not in index_page({}, "v", "tagpool reproduce all")


def test_json_has_the_verdict() -> None:
    row = TABLE.rows[0]
    one = Comparison(TABLE, row, TABLE.columns[0], 80.0, Row("one CRF", "test F1", 79.0, 78.0, 81.0))
    assert one.to_dict() == {
        "paper": "PAPER",
        "table": "Table 1",
        "row": "one",
        "column": "F1",
        "experiment": "bagging-ner",
        "printed": 80.0,
        "ours": 79.0,
        "low": 78.0,
        "high": 81.0,
        "reached": False,
        "tie": True,
        "reason": None,
    }
