"""Control characters as visible text, so that a terminal displays them and does not execute them. A start-up file."""

from __future__ import annotations

import re

from tagpool.lazy import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, TextIO

# Control characters except tab and line ends, other separators of lines, and characters that change the direction of text.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]|\r(?!\n)")


def make_visible(text: str, code: str = "") -> str:
    r"""Return a text with escapes such as ``\x1b`` in place of control characters; those of ``code`` "u" are valid in JSON.

    >>> make_visible("a\x1b[31mb\tc\n"), make_visible("\x9b", "u")
    ('a\\x1b[31mb\tc\n', '\\u009b')
    """
    if text.isprintable():
        return text
    return _CONTROL.sub(lambda match: _escape(ord(match[0]), code), text)


def one_line(text: str) -> str:
    r"""Return a text on one line: line ends, which names of files and tokens may have, are visible, too.

    >>> one_line("a\nb\r\nc\u2028d")
    'a\\nb\\r\\nc\\u2028d'
    """
    return text if text.isprintable() else make_visible(text.replace("\r", "\\r").replace("\n", "\\n"))


def _escape(number: int, code: str) -> str:
    return f"\\u{number:04x}" if code or number > 0xFF else f"\\x{number:02x}"


class VisibleStream:
    """A text stream that writes control characters as visible text; ``stream`` is the stream itself."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write a text."""
        return self.stream.write(make_visible(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)
