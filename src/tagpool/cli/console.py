"""What the commands share: the two consoles, tables, and options that mean the same everywhere."""

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
    """Rich's console, but a reader who has had enough (``| head``) is no failure."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


output = _Console(soft_wrap=True)
errors = _Console(stderr=True, soft_wrap=True)

ColumnsOption = Annotated[str | None, typer.Option(help="Names of the columns of a CoNLL file, such as word,pos,chunk,label.")]
LabelOption = Annotated[str | None, typer.Option(help="The column that holds the labels, if it is not called label.")]
FormatOption = Annotated[Format | None, typer.Option("--format", help="The file's format; guessed from its name when not given.")]
EncodingOption = Annotated[str, typer.Option(help="The file's encoding.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


def print_table(shown: Table) -> None:
    """A table at its full width: numbers cut off are wrong numbers, and a file or pipe has no width."""
    _Console(width=10_000).print(shown, crop=False)


def print_json(value: Any) -> None:
    """One JSON value on one line, whatever the terminal's width."""
    typer.echo(json.dumps(value, ensure_ascii=False))


def table(headers: Sequence[str], rows: Iterable[Sequence[object]], *, left: int = 1, title: str | None = None) -> Table:
    """A table whose first ``left`` columns are text and whose others are numbers."""
    found = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for number, header in enumerate(headers):
        found.add_column(escape(header), justify="left" if number < left else "right", no_wrap=number >= left)
    for row in rows:
        found.add_row(*(escape(str(cell)) for cell in row))
    return found


def print_features(features: Iterable[tuple[str, float]]) -> None:
    """A token's features, one line a template."""
    by_template: dict[str, list[str]] = {}
    for name, value in features:
        template, _, text = name.partition("=")
        by_template.setdefault(template, []).append(text if value == 1 else f"{text} ({value:g})")
    for template, values in by_template.items():
        output.print(f"    {template} = {'  '.join(values)}", highlight=False, markup=False)


def parse_uses(uses: Sequence[str]) -> dict[str, Path]:
    """``NAME=PATH`` options as a mapping."""
    found: dict[str, Path] = {}
    for use in uses:
        name, equals, path = use.partition("=")
        if not equals or not name or not path:
            raise InputError(f"--use {use}: expected NAME=PATH, such as --use cities=cities.txt")
        if not Path(path).exists():
            raise InputError(f"--use {use}: there is no such file or folder", source=path)
        found[name] = Path(path)
    return found
