"""Consoles and tables that all commands share. A start-up file, without typer."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Iterable, Sequence
from typing import IO, TYPE_CHECKING, Any

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


class NoteConsole(LazyConsole):
    """A console for progress and notes, which --quiet mutes."""

    is_muted = False

    def mute(self) -> None:
        """Print nothing from now on."""
        self.is_muted = True

    @property
    def is_terminal(self) -> bool:
        """Whether progress bars are drawn."""
        return not self.is_muted and super().is_terminal

    def print(self, value: object = "", *, style: str | None = None, **options: Any) -> None:
        """Print a text or an object of Rich, unless the console is muted."""
        if not self.is_muted:
            super().print(value, style=style, **options)


_FORCING = ("FORCE_COLOR", "TTY_COMPATIBLE")  # variables of Rich
output = LazyConsole(stderr=False)
errors = LazyConsole(stderr=True)
notes = NoteConsole(stderr=True)


def report_error(message: str) -> None:
    """Print the message of an error."""
    errors.print_line(f"error: {message}", style="red")


def print_json(value: Any) -> None:
    """Print one JSON value on one line."""
    _write(make_visible(json.dumps(value, ensure_ascii=False), "u") + "\n")


def print_text(text: str) -> None:
    """Print a text as it is; on a terminal, control characters are visible."""
    _write(make_visible(text) if sys.stdout.isatty() else text)


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def print_table(
    headers: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    left: int = 1,
    title: str | None = None,
    fold: bool = False,
    last_left: bool = False,
) -> None:
    """Print a table whose first ``left`` columns are text and whose others are numbers; with ``last_left`` the last is text, too.

    It has its full width, also on a narrow terminal; ``fold`` wraps text on a terminal.
    """
    from tagpool.cli.rich_console import PlainConsole, Table

    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    texts = {*range(left), *([len(headers) - 1] if last_left else [])}
    for number, header in enumerate(headers):
        table.add_column(one_line(header), justify="left" if number in texts else "right", no_wrap=number not in texts)
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
