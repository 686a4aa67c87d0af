"""``tagpool audit --drift``: new text without gold labels, compared with a reference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import typer

from tagpool.auditing.drift import measure_drift
from tagpool.auditing.drift_result import Drift, DriftRow
from tagpool.cli.auditing.taggers import TaggerOptions
from tagpool.cli.auditing.texts import TextReader, read_texts
from tagpool.cli.console import notes, output, print_json, print_table
from tagpool.cli.inputs import expand_files, read_files
from tagpool.cli.outputs import refuse_inputs
from tagpool.cli.percent import in_percent
from tagpool.cli.progress import follow_steps
from tagpool.corpus.concatenation import concatenate
from tagpool.corpus.formats import Format
from tagpool.corpus.whole_file import WholeFile
from tagpool.errors import InputError
from tagpool.report.plots import check_file, level_panels
from tagpool.wording import counted


@dataclass
class DriftOptions:
    """Values of the options of ``tagpool audit --drift``."""

    reference: Sequence[str] = ()
    dev: Sequence[str] = ()
    train: Sequence[str] = ()
    by: str | None = None
    level: float = 0.99
    seed: int = 0
    plot: Path | None = None
    json: bool = False
    fail_on_alarm: bool = False
    columns: str | None = None
    format: Format | None = None
    encoding: str = "utf-8"


def show_drift(model: str | None, new: Sequence[str], tagger: TaggerOptions, options: DriftOptions) -> None:
    """Measure the drift of new files, and print a table or JSON.

    Without a ``model`` the options choose the tagger. With ``fail_on_alarm``, an alarm ends the command with exit code 1.
    """
    _check(new, options)
    labeller = tagger.labeller(model)
    reader = TextReader(labeller, options.columns, options.format, options.encoding)
    labelled = replace(reader, format=None) if options.format is Format.TEXT else reader  # no labels in running text
    known = [labelled.read(path) for path in expand_files(options.dev)]
    reference = concatenate([*known, *map(reader.read, expand_files(options.reference))])
    train = read_files(options.train, labelled.read) if options.train else None
    texts = read_texts(new, reader.read, options.by, options.encoding)
    with follow_steps(f"comparing {counted(len(texts), 'text')} with the reference") as step:
        drift = measure_drift(labeller, texts, reference, train=train, level=options.level, seed=options.seed, on_text=step)
    if options.plot is not None:
        draw_drift(options.plot, drift, list(texts))
    if options.json:
        print_json(in_percent(drift.to_dict(), ("value", "usual", "limit")))
    else:
        _show(drift, len(texts))
    if options.fail_on_alarm and drift.alarms:
        raise typer.Exit(1)


def _check(new: Sequence[str], options: DriftOptions) -> None:
    """Raise an error for missing or wrong options, before files are read."""
    if not new:
        raise InputError("--drift: expected new files after the model, got none")
    if not options.dev and not options.reference:
        raise InputError(
            "--drift compares with a text that the tagger works well on; give it with --dev FILE (or --reference FILE)"
        )
    if options.plot is not None:
        check_file(options.plot)
        refuse_inputs("--plot", options.plot, [*new, *options.dev, *options.reference, *options.train])
        WholeFile.check(options.plot)


def _show(drift: Drift, texts: int) -> None:
    """Print the alarms, and the strongest measure of each text without an alarm."""
    rows = list(_shown(drift.rows))
    print_table(
        ["text", "measure", "words", "value %", "usual %", "alarm level %", "strength", ""],
        [[row.text, row.measure, f"{row.tokens:,}", *_numbers(row), _verdict(row)] for row in rows],
        left=2,
    )
    alarmed = len({row.text for row in drift.alarms})
    output.print_line(f"{counted(alarmed, 'text')} of {texts:,} with an alarm")
    for name in dict.fromkeys(row.measure for row in drift.alarms):
        output.print_line(f"{name}: {next(row.advice for row in drift.alarms if row.measure == name)}")
    output.print_line(
        f"alarm levels: from samples of the reference ({drift.units}); known words: {drift.known_from}; without drift, "
        f"no text has an alarm with a probability of {drift.level:.4g}"
    )
    for reason in dict.fromkeys(f"{row.measure}: not applicable ({row.reason})" for row in drift.rows if row.reason):
        notes.print_line(f"note: {reason}")
    for note in drift.notes:
        notes.print_line(f"note: {note}")


def _shown(rows: Sequence[DriftRow]) -> Iterator[DriftRow]:
    """Yield the rows with an alarm, and the first one of each other text."""
    texts = {row.text for row in rows if row.alarm}
    for row in rows:
        if row.alarm or row.text not in texts:
            texts.add(row.text)
            yield row


def _numbers(row: DriftRow) -> list[str]:
    values = [row.value, row.usual, row.limit]
    return [
        *("–" if value is None else f"{100 * value:.1f}" for value in values),
        "–" if row.strength is None else f"{row.strength:.2f}",
    ]


def _verdict(row: DriftRow) -> str:
    if row.reason:
        return f"not applicable: {row.reason}"
    return ("alarm" if row.alarm else "") + (f" ({row.detail})" if row.alarm and row.detail else "")


def draw_drift(file: Path, drift: Drift, texts: Sequence[str]) -> None:
    """Draw each measure by text, with its usual value and the alarm levels, as the SVG or PNG of the file name."""
    numbers = {text: number for number, text in enumerate(texts, 1)}
    parts: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for row in sorted(drift.rows, key=lambda row: numbers[row.text]):
        if row.value is None or row.usual is None or row.limit is None:
            continue
        lines = parts.setdefault(row.measure, {"usual": [], "alarm level": [], "value": [], "alarm": []})
        place = float(numbers[row.text])
        lines["usual"].append((place, 100 * row.usual))
        lines["alarm level"].append((place, 100 * row.limit))
        lines["alarm" if row.alarm else "value"].append((place, 100 * row.value))
    if not parts:
        raise InputError("nothing to draw: no measure applies to the texts", source=file)
    level_panels(file, parts, list(texts), "%", "drift of new text")
