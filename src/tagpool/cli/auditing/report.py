"""The result of an audit as tables and a plot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tagpool.auditing.parts import TEMPLATE
from tagpool.auditing.result import SLICE, Audit, AuditRow
from tagpool.cli.auditing.options import AuditOptions
from tagpool.cli.console import notes, output, print_table
from tagpool.cli.outputs import refuse_inputs
from tagpool.corpus.whole_file import WholeFile
from tagpool.evaluation.versions import Difference
from tagpool.report.plots import check_file, loss_bars
from tagpool.visible import one_line
from tagpool.wording import counted

_MOST_TEMPLATES = 5  # that are shown; --json has all


def check_outputs(options: AuditOptions, inputs: Sequence[str]) -> None:
    """Raise an error for a plot that could not be drawn, before long work."""
    if options.plot is not None:
        check_file(options.plot)
        refuse_inputs("--plot", options.plot, inputs)
        WholeFile.check(options.plot)


def show_audit(result: Audit, plot: Path | None) -> None:
    """Print the rows with the worst one first, and the parts that the model depends on."""
    low, high = (100 * end for end in result.interval)
    unit = "token" if result.plain else "span"
    output.print_line(
        f"{one_line(result.tagger)}: {result.metric} {100 * result.score:.2f} ({low:.2f} – {high:.2f}) on "
        f"{counted(result.sentences, 'sentence')} with {counted(result.gold, f'gold {unit}')}"
    )
    output.print()
    shown = list(_shown(result.rows))
    print_table(
        ["", "change", result.metric, "loss", "95% interval", "p", "advice"],
        [_cells(row) for row in shown],
        left=2,
        last_left=True,
        fold=True,
    )
    hidden = sum(row.kind != SLICE for row in result.rows) - sum(row.kind != SLICE for row in shown)
    if hidden:
        output.print_line(f"and {counted(hidden, 'template')} with smaller losses (--json has all)")
    if dependence := result.dependence:
        output.print()
        output.print_line("what the model depends on: the loss without a part, minus what a model trained without it loses")
        print_table(
            ["part", "loss", "worth", "dependence", "95% interval", "p"], [_dependence(row) for row in dependence], left=1
        )
    for note in result.notes:
        notes.print_line(f"note: {note}")
    if plot is not None:
        output.print_line(f"plot: {plot}")


def _shown(rows: Sequence[AuditRow]) -> Iterator[AuditRow]:
    """Yield the rows, of single templates only those with the largest significant losses."""
    templates = 0
    for row in rows:
        if row.perturbation == TEMPLATE:
            templates += 1
            if templates > _MOST_TEMPLATES or not (row.is_significant or row.reason):
                continue
        yield row


def _cells(row: AuditRow) -> list[str]:
    if row.loss is None or row.score is None:
        return [row.kind, row.name, "–", "–", "–", "–", f"not applicable: {row.reason}"]
    return [row.kind, row.name, f"{100 * row.score:.2f}", *_numbers(row.loss), row.advice]


def _numbers(difference: Difference) -> list[str]:
    low, high = (_signed(end) for end in difference.interval)
    return [_signed(difference.value), f"{low} – {high}", f"{difference.p_value:.4f}"]


def _signed(value: float) -> str:
    """Return a difference in points; a rounded zero has no sign."""
    text = f"{100 * value:.2f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", "−")


def _dependence(row: AuditRow) -> list[str]:
    assert row.loss is not None
    assert row.worth is not None
    assert row.dependence is not None
    return [row.name, _signed(row.loss.value), _signed(row.worth.value), *_numbers(row.dependence)]


def draw_audit(file: Path, result: Audit) -> None:
    """Draw the losses with their intervals as the SVG or PNG of the file name."""
    rows = [row for row in _shown(result.rows) if row.loss is not None]
    losses = {
        row.name: (100 * row.loss.value, 100 * row.loss.interval.low, 100 * row.loss.interval.high)
        for row in rows
        if row.loss is not None
    }
    worths = {row.name: 100 * row.worth.value for row in rows if row.worth is not None}
    title = f"{one_line(result.tagger)}: {result.metric} {100 * result.score:.2f} on unchanged text"
    loss_bars(file, {row.name: row.kind for row in rows}, losses, worths, f"loss of {result.metric} (points)", title)
