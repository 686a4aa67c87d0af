"""Blocks: a stream of text in pieces that end at the end of a sentence."""

from __future__ import annotations

import codecs
import gzip
import os
import re
import select
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tagpool.corpus.files import BYTE_ORDER_MARK, GZIP_MAGIC, STANDARD_STREAM, decode_lines, name_read_errors, source_name
from tagpool.errors import InputError

_SIZE = 1 << 21  # bytes read at once, fewer if a pipe has no more yet; the features of a word are computed once per block
_LONGEST = 1 << 24  # bytes of the longest sentence
_BLANK_LINE = re.compile(rb"\n[ \t\r]*\n")
# Beginning of a document, with the comments before it. The line must be complete.
_DOCUMENT = re.compile(
    rb"^[ \t]*-DOCSTART-(?=[ \t\r\n])|(?:(?<=\n\n)|(?<=\n\r\n)|\A)(?:#[^\n]*\n)*#[ \t]*newdoc(?=[ \r\n])", re.MULTILINE
)
_BLANK = b" \t\r\n" + BYTE_ORDER_MARK


class Block(NamedTuple):
    """Complete sentences as UTF-8, and the number of lines before them."""

    text: bytes
    lines_before: int

    def lines(self, source: str) -> Iterator[tuple[int, str]]:
        """Return the lines with their numbers."""
        return enumerate(decode_lines(self.text, source, self.lines_before), self.lines_before + 1)


class Blocks:
    """The blocks of a file; ``-`` is standard input, gzip is read directly.

    With ``by_line`` every line is a sentence, else blank lines separate sentences. Input from a pipe is passed on as soon as a
    sentence is complete, with ``by_document`` as soon as a document is. Sentences before the first document do not wait for it.
    """

    def __init__(self, path: Path, *, encoding: str = "utf-8", by_line: bool = False, by_document: bool = False) -> None:
        self.source = source_name(path)
        self._path = path
        self._by_line = by_line
        self._by_document = by_document
        self._in_document = False
        try:
            codec = codecs.lookup(encoding)
        except (LookupError, ValueError):
            raise InputError(f"unknown encoding {encoding!r}; try utf-8, latin-1, cp1252 or utf-16", source=self.source) from None
        self._encoding = codec.name
        self._decoder = None if codec.name == "utf-8" else codec.incrementaldecoder()
        self._lines = 0

    def __iter__(self) -> Iterator[Block]:
        pending = b""
        for data, more_now in self._pieces():
            pending += data
            if more_now and len(pending) < _SIZE:
                continue
            if (first := self._before_documents(pending)) is not None:
                yield from map(self._block, filter(None, [pending[:first]]))
                pending = pending[first:]
            cut = self._last_document(pending) if self._in_document else self._last_end(pending)
            if cut:
                yield self._block(pending[:cut])
                pending = pending[cut:]
            elif len(pending) > _LONGEST:
                end = "line end" if self._by_line else "blank line between sentences"
                if self._in_document:
                    end = "beginning of another document"
                raise InputError(f"no {end} in {len(pending):,} bytes", source=self.source, line=self._lines + 1)
        first = self._before_documents(pending) or 0
        yield from map(self._block, filter(None, [pending[:first], pending[first:]]))

    def _before_documents(self, text: bytes) -> int | None:
        """Return the offset of the beginning of the first document; None if it is not in this block."""
        if not self._by_document or self._in_document or (match := _DOCUMENT.search(text.lstrip(_BLANK))) is None:
            return None
        self._in_document = True
        # Blanks before the document belong to it.
        return match.start() + len(text) - len(text.lstrip(_BLANK)) if match.start() else 0

    def _last_document(self, text: bytes) -> int:
        """Return the offset of the beginning of the last document; 0 if the text begins with it."""
        blanks = len(text) - len(text.lstrip(_BLANK))
        return max((match.start() for match in _DOCUMENT.finditer(text, blanks + 1)), default=0)

    def _block(self, text: bytes) -> Block:
        if self._lines == 0 and b"\0" in text[:8] and text[8:9] == b"{":
            raise InputError("expected text, got a model; use: tagpool tag MODEL FILE", source=self.source)
        block = Block(text, self._lines)
        self._lines += text.count(b"\n")
        return block

    def _last_end(self, text: bytes) -> int:
        """Return the offset after the last complete sentence; 0 if no sentence is complete."""
        if self._by_line:
            return text.rfind(b"\n") + 1
        unix, windows = text.rfind(b"\n\n"), text.rfind(b"\n\r\n")
        end = max(unix + 2 if unix >= 0 else 0, windows + 3 if windows >= 0 else 0)
        # Lines of blanks are rare: search for them only if there is no empty line.
        return end or max((match.end() for match in _BLANK_LINE.finditer(text)), default=0)

    # Bytes --------------------------------------------------------------------------------------------------------------

    def _pieces(self) -> Iterator[tuple[bytes, bool]]:
        """Yield pieces of the input as UTF-8, and whether more input is available at once."""
        with name_read_errors(self.source), _open(self._path) as stream:
            reader: Any = stream
            compressed = stream.peek(2)[:2] == GZIP_MAGIC
            if compressed:
                reader = gzip.GzipFile(fileobj=stream)
            while data := reader.read1(_SIZE):
                yield self._recoded(data), compressed or bool(select.select([stream], [], [], 0)[0])
        if self._decoder is not None:
            yield self._recoded(b"", final=True), False

    def _recoded(self, data: bytes, *, final: bool = False) -> bytes:
        if self._decoder is None:
            return data
        try:
            return self._decoder.decode(data, final).encode()
        except UnicodeError as error:
            raise InputError(f"expected {self._encoding}: {error}", source=self.source) from None


def _open(path: Path) -> Any:
    # A copy of standard input, so that the original stays open.
    return os.fdopen(os.dup(sys.stdin.fileno()), "rb") if str(path) == STANDARD_STREAM else path.open("rb")
