"""Consoles, tables and options that all commands share."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from tagpool.corpus.formats import Format


class _Console(Console):
    """Rich's console for plain text; a closed pipe (``| head``) raises BrokenPipeError instead of ending the program."""

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **options)  # words may have brackets and colons

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


output = _Console(soft_wrap=True)
errors = _Console(stderr=True, soft_wrap=True)

ColumnsOption = Annotated[str | None, typer.Option(help="Column names of a CoNLL file, such as word,pos,label.")]
LabelOption = Annotated[str | None, typer.Option(help="Column of the labels (default: label).")]
FormatOption = Annotated[Format | None, typer.Option("--format", help="File format (default: from the name).")]
EncodingOption = Annotated[str, typer.Option(help="File encoding.")]
OutputOption = Annotated[Path, typer.Option("--output", "-o", help="Output file; - is standard output.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def report_error(message: str) -> None:
    """Print the message of an error."""
    errors.print(f"error: {message}", style="red")


def print_json(value: Any) -> None:
    """Print one JSON value on one line."""
    typer.echo(json.dumps(value, ensure_ascii=False))


def print_table(
    headers: Sequence[str], rows: Iterable[Sequence[object]], *, left: int = 1, title: str | None = None, fold: bool = False
) -> None:
    """Print a table whose first ``left`` columns are text and whose others are numbers.

    It has its full width, also on a narrow terminal; ``fold`` wraps text on a terminal.
    """
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for number, header in enumerate(headers):
        table.add_column(header, justify="left" if number < left else "right", no_wrap=number >= left)
    for row in rows:
        table.add_row(*map(str, row))
    if fold and output.is_terminal:
        output.print(table)
    else:
        _Console(width=10_000).print(table, crop=False)


def spell_bytes(count: int) -> str:
    """Return a number of bytes in kB or MB.

    >>> spell_bytes(1_250_000), spell_bytes(12)
    ('1.2 MB', '12 bytes')
    """
    for unit, size in (("MB", 1_000_000), ("kB", 1_000)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"
