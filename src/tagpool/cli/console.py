"""Consoles, tables and options that all commands share."""

from __future__ import annotations

import functools
import inspect
import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from tagpool.corpus.formats import Format
from tagpool.errors import InputError
from tagpool.visible import VisibleStream, make_visible, one_line
from tagpool.wording import counted

if TYPE_CHECKING:
    from tagpool.cli.rich_console import PlainConsole


class LazyConsole:
    """A console of Rich that is created on first use. Lines for files and pipes are written without it."""

    def __init__(self, *, stderr: bool) -> None:
        self._is_stderr = stderr

    @functools.cached_property
    def rich(self) -> PlainConsole:
        """The console, for terminals, tables and progress."""
        from tagpool.cli.rich_console import PlainConsole

        return PlainConsole(stderr=self._is_stderr, soft_wrap=True)

    @property
    def is_terminal(self) -> bool:
        """Whether the stream is a terminal, or Rich is told to treat it as one."""
        stream = self._stream()
        return any(name in os.environ for name in _FORCING) or (stream is not None and stream.isatty())

    def print(self, value: object = "", *, style: str | None = None, **options: Any) -> None:
        """Print a text or an object of Rich."""
        stream = self._stream()
        if self.is_terminal or options or not isinstance(value, str) or stream is None:
            self.rich.print(value, style=style, **options)
        else:
            stream.write(f"{make_visible(value)}\n")
            stream.flush()

    def print_line(self, text: str, style: str | None = None) -> None:
        """Print one line: line ends in names of files, tokens and labels are visible."""
        self.print(one_line(text), style=style)

    def _stream(self) -> IO[str] | None:
        stream = sys.stderr if self._is_stderr else sys.stdout
        return stream.stream if isinstance(stream, VisibleStream) else stream


_FORCING = ("FORCE_COLOR", "TTY_COMPATIBLE")  # variables of Rich
output = LazyConsole(stderr=False)
errors = LazyConsole(stderr=True)

ColumnsOption = Annotated[str | None, typer.Option(help="Column names of a CoNLL file, such as word,pos,label.")]
LabelOption = Annotated[str | None, typer.Option(help="Column of the labels (default: label).")]
FormatOption = Annotated[Format | None, typer.Option("--format", help="File format (default: from the name).")]
EncodingOption = Annotated[str, typer.Option(help="File encoding.")]
OutputOption = Annotated[Path, typer.Option("--output", "-o", help="Output file; - is standard output.")]
UseOption = Annotated[list[str] | None, typer.Option(metavar="NAME=PATH", help="A resource and its file (repeatable).")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def report_error(message: str) -> None:
    """Print the message of an error."""
    errors.print_line(f"error: {message}", style="red")


def parse_uses(uses: Sequence[str] | None) -> dict[str, Path]:
    """Return the paths by name of ``NAME=PATH`` options."""
    paths: dict[str, Path] = {}
    for use in uses or ():
        name, equals, path = use.partition("=")
        if not equals or not name or not path:
            raise InputError(f"--use {use}: expected NAME=PATH, such as --use cities=cities.txt")
        if not Path(path).exists():
            raise InputError(f"--use {use}: there is no such file or folder", source=path)
        if name in paths:
            raise InputError(f"--use {use}: the resource {name!r} is given twice; give it once")
        paths[name] = Path(path)
    return paths


def expand_options(**groups: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator of commands: a parameter that is an object of a dataclass becomes one option per field."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(**options: Any) -> None:
            for name, group in groups.items():
                options[name] = group(**{field.name: options.pop(field.name) for field in fields(group)})
            command(**options)

        parameters: list[inspect.Parameter] = []
        for parameter in inspect.signature(command, eval_str=True).parameters.values():
            group = groups.get(parameter.name)
            if group is None:
                parameters.append(parameter)
                continue
            hints = get_type_hints(group, include_extras=True)
            for field in fields(group):
                parameters.append(parameter.replace(name=field.name, annotation=hints[field.name], default=field.default))
        run.__dict__["__signature__"] = inspect.Signature(parameters)
        return run

    return decorate


def print_json(value: Any) -> None:
    """Print one JSON value on one line."""
    typer.echo(make_visible(json.dumps(value, ensure_ascii=False), "u"))


def print_text(text: str) -> None:
    """Print a text as it is; on a terminal, control characters are visible."""
    typer.echo(make_visible(text) if sys.stdout.isatty() else text, nl=False)


def print_table(
    headers: Sequence[str], rows: Iterable[Sequence[object]], *, left: int = 1, title: str | None = None, fold: bool = False
) -> None:
    """Print a table whose first ``left`` columns are text and whose others are numbers.

    It has its full width, also on a narrow terminal; ``fold`` wraps text on a terminal.
    """
    from tagpool.cli.rich_console import PlainConsole, Table

    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for number, header in enumerate(headers):
        table.add_column(one_line(header), justify="left" if number < left else "right", no_wrap=number >= left)
    for row in rows:
        table.add_row(*(one_line(str(cell)) for cell in row))
    if fold and output.is_terminal:
        output.print(table)
    else:
        PlainConsole(width=10_000).print(table, crop=False)


def spell_bytes(count: int) -> str:
    """Return a number of bytes in kB or MB.

    >>> spell_bytes(1_250_000), spell_bytes(12)
    ('1.2 MB', '12 bytes')
    """
    for unit, size in (("MB", 1_000_000), ("kB", 1_000)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return counted(count, "byte")
