"""Consoles, tables and options that all commands share."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tagpool.corpus.formats import Format
from tagpool.errors import InputError


class _Console(Console):
    """Rich's console; a closed pipe (``| head``) raises BrokenPipeError instead of ending the program."""

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


def print_table(shown: Table) -> None:
    """Prints a table at its full width, whatever the width of the terminal."""
    _Console(width=10_000).print(shown, crop=False)


def print_json(value: Any) -> None:
    """Prints one JSON value on one line."""
    typer.echo(json.dumps(value, ensure_ascii=False))


def table(headers: Sequence[str], rows: Iterable[Sequence[object]], *, left: int = 1, title: str | None = None) -> Table:
    """A table whose first ``left`` columns are text and whose others are numbers."""
    result = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for number, header in enumerate(headers):
        result.add_column(escape(header), justify="left" if number < left else "right", no_wrap=number >= left)
    for row in rows:
        result.add_row(*(escape(str(cell)) for cell in row))
    return result


def print_features(features: Iterable[tuple[str, float]]) -> None:
    """Prints the features of a token, one line per template."""
    by_template: dict[str, list[str]] = {}
    for name, value in features:
        template, _, text = name.partition("=")
        by_template.setdefault(template, []).append(text if value == 1 else f"{text} ({value:g})")
    for template, values in by_template.items():
        output.print(f"    {template} = {'  '.join(values)}", highlight=False, markup=False)


def parse_uses(uses: Sequence[str]) -> dict[str, Path]:
    """The paths by name of ``NAME=PATH`` options."""
    paths: dict[str, Path] = {}
    for use in uses:
        name, equals, path = use.partition("=")
        if not equals or not name or not path:
            raise InputError(f"--use {use}: expected NAME=PATH, such as --use cities=cities.txt")
        if not Path(path).exists():
            raise InputError(f"--use {use}: there is no such file or folder", source=path)
        paths[name] = Path(path)
    return paths
