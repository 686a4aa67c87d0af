"""Consoles of Rich, for terminals and tables. Importing Rich takes 40 ms, so commands without them do not import it."""

from __future__ import annotations

from typing import IO, Any

from rich.console import Console
from rich.table import Table as Table
from rich.text import Text

from tagpool.visible import VisibleStream, make_visible


class PlainConsole(Console):
    """Rich's console for plain text; a closed pipe (``| head``) raises BrokenPipeError instead of ending the program.

    Escape sequences in tokens, labels and file names are displayed, not executed.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **options)  # words may have brackets and colons

    def render_str(self, text: str, **options: Any) -> Text:
        """Return a text to print. Every string is printed through this method, also those of tables."""
        return super().render_str(make_visible(text), **options)

    @property
    def file(self) -> IO[str]:
        """The stream that is written to."""
        stream = super().file
        return stream.stream if isinstance(stream, VisibleStream) else stream

    @file.setter
    def file(self, stream: IO[str]) -> None:
        self._file = stream

    def on_broken_pipe(self) -> None:
        """Raise an error instead of ending the program."""
        raise BrokenPipeError
