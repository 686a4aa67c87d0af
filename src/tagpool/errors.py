"""Every error tagpool raises on purpose.

All of them derive from :class:`TagpoolError`, so one ``except`` is enough for a caller, and the command line turns them into
one clear message. An error says where, what was expected, what came instead, and what to do about it.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing takes longer than everything that tagging imports
if TYPE_CHECKING:
    from pathlib import Path


class TagpoolError(Exception):
    """The base of all errors raised on purpose."""


class InputError(TagpoolError, ValueError):
    """Bad input: an invalid file, argument or value.

    ``source`` is a file name (or another short name of where the input came from), ``line`` the 1-based line in it.

    >>> print(InputError("expected 4 columns, got 3", source="train.conll", line=412))
    train.conll:412: expected 4 columns, got 3
    """

    def __init__(self, message: str, *, source: str | Path | None = None, line: int | None = None) -> None:
        self.message = message
        self.source = None if source is None else str(source)
        self.line = line
        super().__init__(self._text())

    def _text(self) -> str:
        place = self.source or ""
        if self.line is not None:
            place = f"{place}:{self.line}" if place else f"line {self.line}"
        return f"{place}: {self.message}" if place else self.message


class SchemeError(InputError):
    """A label sequence that its tag scheme (IOB1, BIO2, BILOU, BIOES) does not allow."""


class TemplateError(InputError):
    """An invalid feature template; shows the line with a caret below the place.

    ``column`` is 0-based into ``text``.

    >>> print(TemplateError("expected an offset", text="word[x]", column=5))
    expected an offset
      word[x]
           ^
    """

    def __init__(
        self,
        message: str,
        *,
        text: str | None = None,
        column: int | None = None,
        source: str | Path | None = None,
        line: int | None = None,
    ) -> None:
        self.text = text
        self.column = column
        super().__init__(message, source=source, line=line)

    def _text(self) -> str:
        head = super()._text()
        if self.text is None or self.column is None:
            return head
        # Tabs would put the caret in the wrong place on a terminal.
        return f"{head}\n  {self.text.expandtabs(1)}\n  {' ' * self.column}^"


class ResourceError(InputError):
    """A lexicon, cluster, embedding or other resource that is missing or unreadable."""


class OutputError(TagpoolError, OSError):
    """A file that could not be written; nothing half-written is left."""


class ModelError(InputError):
    """A model file that is damaged, foreign, or newer than this version."""


class TrainingError(TagpoolError):
    """Training that could not be done: it did not converge to anything finite."""


class NotFittedError(TagpoolError):
    """Something was used before ``fit``."""
