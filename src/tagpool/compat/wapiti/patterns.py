"""Pattern files of Wapiti and template files of CRF++: their lines, and the observations they produce.

A sentence is rows of columns. ``%x[row,column]`` is the text there, relative to the current row. Wapiti also has ``%t``
(whether a regular expression matches), ``%m`` (its first match), capital letters for lowercased results, and rows counted from
the first (``@1``) or the last (``@-1``). Lines that begin with ``u`` depend on one label, with ``b`` on two, with ``*`` on both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tagpool.compat.wapiti.expressions import Expression
from tagpool.errors import InputError, TemplateError
from tagpool.wording import counted

Rows = Sequence[Sequence[str]]
_COMMAND = re.compile(r'%([xXtTmM])\[\s*(@?)\s*([+-]?\d{1,6})\s*,\s*(\d{1,6})\s*(?:,"((?:[^"\\]|\\.)*)")?\]')
_BLANKS = " \t\v\f\r"


@dataclass(frozen=True)
class Command:
    """A cell of the sentence relative to a row, and how its text is used."""

    kind: str  # x, t or m
    lower: bool
    absolute: bool
    row: int
    column: int
    expression: Expression | None = None


@dataclass(frozen=True)
class Pattern:
    """A line: texts and commands, joined to an observation."""

    parts: tuple[str | Command, ...]
    crfpp: bool

    def observation(self, rows: Rows, at: int) -> str:
        """Return the observation for a row."""
        joined = b"".join(_bytes(part) if isinstance(part, str) else self._result(part, rows, at) for part in self.parts)
        return joined.partition(b"\0")[0].decode("utf-8", "surrogateescape")

    def _result(self, command: Command, rows: Rows, at: int) -> bytes:
        row = at + command.row
        if command.absolute:
            row = command.row + len(rows) if command.row < 0 else command.row - 1
        if row < 0:
            text = self._outside(-row, "-")
        elif row >= len(rows):
            text = self._outside(row - len(rows) + 1, "+")
        elif command.column >= len(rows[row]):
            raise InputError(
                f"row {row + 1}: expected a column {command.column}, got {counted(len(rows[row]), 'column')} (from 0 on)"
            )
        else:
            text = rows[row][command.column]
        result = _bytes(text)
        if command.expression is not None:
            match = command.expression.search(result)
            result = match or b""
            if command.kind == "t":
                result = b"false" if match is None else b"true"
        return result.lower() if command.lower else result  # bytes.lower changes only ASCII, as Wapiti does

    def _outside(self, steps: int, side: str) -> str:
        if self.crfpp:
            return f"_B{side}{steps}"
        return f"_x{side}{steps if steps <= 4 else '#'}"  # Wapiti counts to four


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def parse_wapiti_patterns(text: str, *, source: str | None = None) -> tuple[Pattern, ...]:
    r"""Parse a pattern file of Wapiti.

    >>> patterns = parse_wapiti_patterns('U:low=%X[0,0]\nu:end=%m[0,0,"..$"]\n*cap=%t[-1,0,"^\\u"]\nb')
    >>> [pattern.observation([["Ann"], ["LEFT"]], 1) for pattern in patterns]
    ['u:low=left', 'u:end=FT', '*cap=true', 'b']
    """
    patterns = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        content = line.split("#")[0].rstrip(_BLANKS)
        if not content:
            continue
        if content[0] not in "uUbB*":
            raise TemplateError("expected a line that begins with u, b or *", text=line, column=0, source=source, line=number)
        patterns.append(Pattern(_parts(content[0].lower() + content[1:], line, number, source), crfpp=False))
    return tuple(patterns)


def parse_crfpp_templates(text: str, *, source: str | None = None) -> tuple[Pattern, ...]:
    """Parse a template file of CRF++ into patterns with its feature strings. (``tagpool train`` makes templates of it.)

    >>> patterns = parse_crfpp_templates("# words\\nU01:%x[-1,0]/%x[0,0]\\nB")
    >>> [pattern.observation([["Ann"], ["left"]], 0) for pattern in patterns]
    ['U01:_B-1/Ann', 'B']
    """
    patterns = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        content = line.removesuffix("\r")  # blanks at the end are part of the observations
        if not content.strip() or content.startswith("#"):
            continue
        if content[0] not in "UB":
            raise TemplateError("expected a line that begins with U, B or #", text=line, column=0, source=source, line=number)
        parts = _parts(content, line, number, source)
        if any(not isinstance(part, str) and (part.kind != "x" or part.absolute or part.lower) for part in parts):
            raise TemplateError(
                "CRF++ has macros of the form %x[row,column] only", text=line, column=0, source=source, line=number
            )
        patterns.append(Pattern(parts, crfpp=True))
    return tuple(patterns)


def _parts(text: str, line: str, number: int, source: str | None) -> tuple[str | Command, ...]:
    def fail(message: str, at: int) -> TemplateError:
        return TemplateError(message, text=line, column=at, source=source, line=number)

    parts: list[str | Command] = []
    at = 0
    while at < len(text):
        match = _COMMAND.match(text, at)
        if match is None:
            if text[at] == "%":
                raise fail('expected a command such as %x[-1,0], %X[@1,0] or %m[0,0,"\\d*"]', at)
            end = text.find("%", at)
            end = len(text) if end < 0 else end
            parts.append(text[at:end])
            at = end
            continue
        kind, expression = match[1].lower(), match[5]
        if (kind == "x") != (expression is None):
            raise fail("%x has no regular expression" if kind == "x" else f"%{match[1]} needs a regular expression in quotes", at)
        compiled = None
        if expression is not None:
            try:
                compiled = Expression.parse(expression)
            except ValueError as error:
                raise fail(str(error), match.start(5)) from None
        parts.append(Command(kind, match[1].isupper(), bool(match[2]), int(match[3]), int(match[4]), compiled))
        at = match.end()
    return tuple(parts)


def attributes_of(patterns: Iterable[Pattern], rows: Rows) -> list[list[str]]:
    """Return the observations of every row, as given features for a tagger.

    >>> attributes_of(parse_crfpp_templates("U0:%x[0,0]\\nU1:%x[1,0]"), [["Ann"], ["left"]])
    [['U0:Ann', 'U1:left'], ['U0:left', 'U1:_B+1']]
    """
    lines = tuple(patterns)
    return [[pattern.observation(rows, at) for pattern in lines] for at in range(len(rows))]
