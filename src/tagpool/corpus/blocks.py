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

from tagpool import _native
from tagpool.corpus.files import (
    BYTE_ORDER_MARK,
    GZIP_MAGIC,
    STANDARD_STREAM,
    ZSTD_MAGIC,
    decode_lines,
    find_codec,
    name_read_errors,
    source_name,
)
from tagpool.errors import InputError
from tagpool.wording import counted

_SIZE = 1 << 21  # bytes read at once, fewer if a pipe has no more yet; the features of a word are computed once per block
_LONGEST = 1 << 24  # bytes of the longest sentence
_BLANK_LINE = re.compile(rb"\n[ \t\r]*\n")
# Beginning of a document, with the comments before it. The line must be complete.
_DOCUMENT = re.compile(
    rb"^[ \t]*-DOCSTART-(?=[ \t\r\n])|(?:(?<=\n\n)|(?<=\n\r\n)|\A)(?:#[^\n]*\n)*#[ \t]*newdoc(?=[ \r\n])", re.MULTILINE
)
_LINE_END = re.compile(rb"\n")
_BLANKS = re.compile(rb"[ \t\r\n\xef\xbb\xbf]*")  # those of _BLANK
_BLANK = b" \t\r\n" + BYTE_ORDER_MARK


_MARK_INVALID = "tagpool-mark-invalid"
# A lone surrogate, which is no valid UTF-8, replaces invalid bytes: the error then names the line.
codecs.register_error(_MARK_INVALID, lambda error: ("\udcff", error.end))  # type: ignore[attr-defined]


class Block(NamedTuple):
    """Complete sentences as UTF-8, the number of lines before them, and the error of a record that is skipped after them."""

    text: bytes
    lines_before: int
    error: InputError | None = None

    def has_document(self) -> bool:
        """Return whether a document begins in the text."""
        return _DOCUMENT.search(self.text) is not None

    def lines(self, source: str) -> Iterator[tuple[int, str]]:
        """Return the lines with their numbers."""
        return enumerate(decode_lines(self.text, source, self.lines_before), self.lines_before + 1)

    def valid_lines(self, source: str) -> Iterator[tuple[int, str | InputError]]:
        """Return the lines with their numbers; an error instead of a line that is not valid text."""
        if _native.is_utf8(self.text) and b"\0" not in self.text:
            yield from self.lines(source)
            return
        for number, line in enumerate(self.text.split(b"\n"), self.lines_before):
            try:
                yield from Block(line, number).lines(source)
            except InputError as error:
                yield number + 1, error


class Blocks:
    """The blocks of a file; ``-`` is standard input, gzip and Zstandard are read directly.

    With ``by_line`` every line is a sentence, else blank lines separate sentences. Input from a pipe is passed on as soon as a
    sentence is complete, with ``by_document`` as soon as a document is. Sentences before the first document do not wait for it,
    unless ``in_document`` says that they are one.
    With ``keep_going``, a sentence that is too long is an empty block with an error; otherwise the error is raised.
    """

    def __init__(
        self,
        path: Path,
        *,
        encoding: str = "utf-8",
        by_line: bool = False,
        by_document: bool = False,
        in_document: bool = False,
        keep_going: bool = False,
    ) -> None:
        self.source = source_name(path)
        self.keep_going = keep_going
        self._path = path
        self._by_line = by_line
        self._by_document = by_document
        self._in_document = in_document
        codec = find_codec(encoding, self.source)
        self.encoding = codec.name
        self._decoder = None if codec.name == "utf-8" else codec.incrementaldecoder(_MARK_INVALID)
        self._lines = 0
        self._discarding = False  # a sentence that is too long
        self._searched = 0  # no sentence (or document) ends before this offset of the pending text

    def __iter__(self) -> Iterator[Block]:
        pending = bytearray()
        for data, more_now in self._pieces():
            pending += data
            if self._discarding:
                self._discard(pending)
            if self._discarding or (more_now and len(pending) < _SIZE):
                continue
            if (first := self._before_documents(pending)) is not None:
                yield from map(self._block, filter(None, [_take(pending, first)]))
                self._searched = 0
            cut = self._last_document(pending) if self._in_document else self._last_end(pending)
            if cut:
                self._searched = 0
                yield self._block(_take(pending, cut))
            elif len(pending) > _LONGEST:
                yield from self._refuse(pending)
        if self._discarding:
            return
        first = self._before_documents(pending) or 0
        yield from map(self._block, filter(None, [_take(pending, first), bytes(pending)]))

    def _refuse(self, pending: bytearray) -> Iterator[Block]:
        """Raise an error about a sentence without an end; with ``keep_going``, yield it and discard the sentence."""
        end, unit = ("line end", "line") if self._by_line else ("blank line between sentences", "sentence")
        if self._in_document:
            end, unit = "beginning of another document", "document"
        message = f"no {end} in {counted(len(pending), 'byte')}; divide the {unit}"
        error = InputError(message, source=self.source, line=self._lines + 1)
        if not self.keep_going or self._in_document:
            raise error
        yield Block(b"", self._lines, error)
        self._searched = 0
        self._discarding = True
        self._discard(pending)

    def _discard(self, pending: bytearray) -> None:
        """Remove the rest of a sentence that is too long, or as much of it as was read."""
        match = (_LINE_END if self._by_line else _BLANK_LINE).search(pending)
        self._discarding = match is None
        end = len(pending) if match is None else match.end()
        if match is None and (newline := pending.rfind(b"\n")) >= 0:
            end = newline  # a blank line may begin here
        self._lines += _take(pending, end).count(b"\n")

    def _before_documents(self, text: bytearray) -> int | None:
        """Return the offset of the beginning of the first document; None if it is not in this block."""
        if not self._by_document or self._in_document or (match := _DOCUMENT.search(text.lstrip(_BLANK))) is None:
            return None
        self._in_document = True
        # Blanks before the document belong to it.
        return match.start() + len(text) - len(text.lstrip(_BLANK)) if match.start() else 0

    def _last_document(self, text: bytearray) -> int:
        """Return the offset of the beginning of the last document; 0 if the text begins with it."""
        begin = max(_end_of_blanks(text, 0) + 1, self._searched)
        last = max((match.start() for match in _DOCUMENT.finditer(text, begin)), default=0)
        self._searched = max(begin, text.rfind(b"\n\n", begin) + 1, text.rfind(b"\n\r\n", begin) + 1)
        return last

    def _block(self, text: bytes) -> Block:
        if self._lines == 0 and b"\0" in text[:8] and text[8:9] == b"{":
            raise InputError("expected text, got a model; use: tagpool tag MODEL FILE", source=self.source)
        block = Block(text, self._lines)
        self._lines += text.count(b"\n")
        return block

    def _last_end(self, text: bytearray) -> int:
        """Return the offset after the last complete sentence; 0 if no sentence is complete. Each byte is searched once."""
        begin = self._searched
        if self._by_line:
            self._searched = len(text)
            return text.rfind(b"\n", begin) + 1
        unix, windows = text.rfind(b"\n\n", begin), text.rfind(b"\n\r\n", begin)
        end = max(unix + 2 if unix >= 0 else 0, windows + 3 if windows >= 0 else 0)
        # Lines of blanks are rare: search for them only if there is no empty line.
        end = end or max((match.end() for match in _BLANK_LINE.finditer(text, begin)), default=0)
        newline = text.rfind(b"\n", begin)
        is_open = newline >= 0 and _end_of_blanks(text, newline) == len(text)  # more blanks may follow
        self._searched = newline if is_open else len(text)
        return end

    # Bytes --------------------------------------------------------------------------------------------------------------

    def _pieces(self) -> Iterator[tuple[bytes, bool]]:
        """Yield pieces of the input as UTF-8, and whether more input is available at once."""
        try:
            with name_read_errors(self.source), _open(self._path) as stream:
                reader: Any = stream
                beginning = stream.peek(4)
                compressed = beginning[:4] == ZSTD_MAGIC or beginning[:2] == GZIP_MAGIC
                if beginning[:4] == ZSTD_MAGIC:
                    from tagpool.corpus.zstandard import ZstdReader

                    reader = ZstdReader(stream, self.source)
                elif compressed:
                    reader = gzip.GzipFile(fileobj=stream)
                while data := reader.read1(_SIZE):
                    yield self._recoded(data), compressed or bool(select.select([stream], [], [], 0)[0])
        except InputError:
            yield b"", False  # complete sentences are passed on before the error
            raise
        if self._decoder is not None:
            yield self._recoded(b"", final=True), False

    def _recoded(self, data: bytes, *, final: bool = False) -> bytes:
        if self._decoder is None:
            return data
        try:
            return self._decoder.decode(data, final).encode("utf-8", "surrogatepass")
        except UnicodeError as error:
            raise InputError(f"expected {self.encoding}: {error}", source=self.source) from None


def _take(pending: bytearray, count: int) -> bytes:
    """Remove the first bytes of the pending text, and return them."""
    taken = bytes(pending[:count])
    del pending[:count]
    return taken


def _end_of_blanks(text: bytearray, begin: int) -> int:
    match = _BLANKS.match(text, begin)
    return match.end() if match else begin


def _open(path: Path) -> Any:
    # A copy of standard input, so that the original stays open.
    return os.fdopen(os.dup(sys.stdin.fileno()), "rb") if str(path) == STANDARD_STREAM else path.open("rb")
