"""The page with every figure of the papers, ours, and whether it is reached."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from tagpool.experiments.catalogue import EXPERIMENTS
from tagpool.experiments.printed.comparison import TABLES, Comparison, compare
from tagpool.experiments.printed.table import PrintedTable
from tagpool.experiments.study import Row, table_line
from tagpool.experiments.study_page import mark_quick

NAME = "README.md"
_REACHED, _TIE, _BELOW, _OTHER, _ABSENT = "reached", "not reached, tie", "not reached", "on other data", "without ours"
COUNTED = ("paper", "figures", _REACHED, _TIE, _BELOW, _OTHER, _ABSENT)
_TITLE = "Every figure of the four papers"
_RULE = (
    "A figure is reached if ours is at least the printed one, or at most, for losses and edit distances. *tie*: the printed "
    "figure lies in our 95% interval. *On other data*: the data of the paper are not available, and only the order of the rows "
    "can be compared. All figures but edit distances are in percent."
)
_WITHOUT = (
    "Without numbers to compare: Figure 1 and Table 4 of BAGGING (a plot, see `undertraining`; templates), "
    "Table 1 of ELITIST (templates), Tables 1, 2, 5 and 6 of DFI (sizes of corpora, templates). PATHS prints no figures for "
    "handwriting (`paths-ocr`)."
)


@dataclass(frozen=True)
class Finding:
    """Rows of an experiment with their origin and command, or the reason why they are missing."""

    rows: tuple[Row, ...] | None = None
    origin: str = ""
    command: str = ""
    reason: str = ""


def comparisons(findings: Mapping[str, Finding], tables: Iterable[PrintedTable] = TABLES) -> list[Comparison]:
    """Return every printed figure with ours."""
    rows = {name: one.rows for name, one in findings.items() if one.rows is not None}
    reasons = {name: one.reason for name, one in findings.items() if one.rows is None}
    return [one for table in tables for one in compare(table, rows, reasons)]


def counts(items: Sequence[Comparison]) -> list[list[str]]:
    """Return the numbers of figures for each paper, in the order of ``COUNTED``."""
    lines = []
    for paper, group in groupby(items, key=lambda one: one.table.paper):
        kinds = [_kind(one) for one in group]
        lines.append([paper, str(len(kinds)), *(str(kinds.count(kind)) for kind in COUNTED[2:])])
    return lines


def _kind(one: Comparison) -> str:
    if one.ours is None:
        return _ABSENT
    return _OTHER if one.table.other_data else _REACHED if one.reached else _TIE if one.tie else _BELOW


def index_page(findings: Mapping[str, Finding], version: str, command: str) -> str:
    """Return the page in Markdown. ``version`` names the code that ran, ``command`` wrote the page."""
    items = comparisons(findings)
    lines = [f"# {_TITLE}", "", f"    {command}", "", f"Written by {version}, from the runs below. {_RULE}", ""]
    lines += _table(COUNTED, counts(items))
    lines += ["", _WITHOUT, "", "## Experiments", ""]
    lines += _table(
        ("experiment", "command", "figures"), [_experiment(name, findings.get(name, Finding())) for name in EXPERIMENTS]
    )
    for table, group in groupby(items, key=lambda one: one.table):
        lines += ["", f"## {table.name}", "", _introduction(table, findings), "", *_figures(table, list(group))]
    return mark_quick("\n".join(lines) + "\n", command)


def shown_verdict(one: Comparison) -> str:
    """Return the verdict on a figure in words."""
    verdict = {True: "yes", False: "no", None: ""}[one.reached]
    verdict = f"{verdict}, tie" if one.tie else verdict
    return f"{verdict} ({_OTHER})" if one.ours is not None and one.table.other_data else verdict


def shown_figure(figure: float) -> str:
    """Return a printed figure with two digits, or four if it has as many.

    >>> shown_figure(86.6), shown_figure(0.8395), shown_figure(365400)
    ('86.60', '0.8395', '365,400')
    """
    if figure >= 1000:
        return f"{figure:,.0f}"
    return f"{figure:.2f}" if round(figure, 2) == figure else f"{figure:.4f}"


def _experiment(name: str, one: Finding) -> list[str]:
    if one.rows is None:
        return [name, f"`tagpool reproduce {name}`", one.reason.replace("|", "\\|") or "not run"]
    return [f"[{name}]({name}.md)", f"`{one.command}`", one.origin]


def _introduction(table: PrintedTable, findings: Mapping[str, Finding]) -> str:
    if table.experiment is None:
        return f"{table.title}."
    command = findings.get(table.experiment, Finding()).command or f"tagpool reproduce {table.experiment}"
    return f"{table.title}: `{command}`.{' ' if table.note else ''}{table.note}"


def _figures(table: PrintedTable, items: Sequence[Comparison]) -> list[str]:
    """Return a table of the figures that have ours, and a list of the others by reason."""
    ours = [one for one in items if one.ours is not None]
    lines = _table(
        ("row", "figure", "paper", "ours", "reached"),
        [
            [one.row.name, one.column.name, shown_figure(one.printed), one.ours.shown(), shown_verdict(one)]
            for one in ours
            if one.ours is not None
        ],
    )
    reasons: dict[str, dict[str, list[str]]] = {}
    for one in items:
        if one.ours is None:
            figures = reasons.setdefault(one.reason, {}).setdefault(one.row.name, [])
            figures.append(f"{one.column.name} {shown_figure(one.printed)}")
    parts = [lines] if ours else []
    for reason, rows in reasons.items():
        listed = [f"- {name}: {', '.join(figures)}" for name, figures in rows.items()]
        parts.append([f"Without ours ({reason}):", "", *listed])
    return "\n\n".join("\n".join(part) for part in parts).split("\n")


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [table_line(header), table_line(["---"] * len(header)), *map(table_line, rows)]
