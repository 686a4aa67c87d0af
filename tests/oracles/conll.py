"""CoNLL columns once more, in plain Python and in the plainest way, from what ``tagpool.corpus.conll`` says of the format.

Works on bytes with regular expressions; knows nothing of the native reader. Slow, and meant to be.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

LONGEST_LINE = 262_144
_KEY_VALUE = re.compile(rb"#[ \t]*[^ \t=]+[ \t]+= ")
_NEW_DOCUMENT = re.compile(rb"# [ \t]*newdoc( |$)")
_DOCUMENT_START = re.compile(rb"[ \t]*-DOCSTART-([ \t]|$)")


class ConllError(Exception):
    """``line`` is None where no line is to blame."""

    def __init__(self, line: int | None) -> None:
        super().__init__(line)
        self.line = line


@dataclass
class Parsed:
    """The tokens of each sentence, each a tuple of its columns; the sentences that begin documents; comments."""

    sentences: list[list[tuple[str, ...]]] = field(default_factory=list)
    documents: list[int] = field(default_factory=list)
    comments: list[tuple[int, int, str]] = field(default_factory=list)


def lines_of(data: bytes) -> list[bytes]:
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if not lines[-1]:
        lines.pop()
    return [line.rstrip(b"\r") for line in lines]


def fields_of(line: bytes, tabs: bool) -> list[bytes]:
    return line.split(b"\t") if tabs else re.findall(rb"[^ \t]+", line)


def guess_columns(data: bytes) -> int:
    for line in lines_of(data):
        if (
            line.strip(b" \t")
            and not _DOCUMENT_START.match(line)
            and not re.match(rb"#[ \t]", line)
            and not _KEY_VALUE.match(line)
        ):
            return len(fields_of(line, b"\t" in line))
    return 0


def check(line: bytes, number: int) -> None:
    if len(line) > LONGEST_LINE or b"\0" in line:
        raise ConllError(number)
    try:
        line.decode()
    except UnicodeDecodeError:
        raise ConllError(number) from None


def parse(data: bytes, columns: int | None = None) -> Parsed:
    if columns is None:
        columns = guess_columns(data) or 1
        if columns > 4:
            raise ConllError(None)
    parsed = Parsed()
    sentence: list[tuple[str, ...]] = []
    tabs: bool | None = None
    new_document = False

    def end_sentence() -> None:
        nonlocal sentence, new_document
        if not sentence:
            return
        if new_document:
            parsed.documents.append(len(parsed.sentences))
        parsed.sentences.append(sentence)
        sentence, new_document = [], False

    def start_document() -> None:
        nonlocal new_document
        end_sentence()
        if parsed.sentences and not parsed.documents:
            parsed.documents.append(0)
        new_document = True

    for number, line in enumerate(lines_of(data), 1):
        check(line, number)
        if not line.strip(b" \t"):
            end_sentence()
            continue
        if line.startswith(b"#") and not sentence:
            fits = len(fields_of(line, b"\t" in line if tabs is None else tabs)) == columns
            if _KEY_VALUE.match(line) or _NEW_DOCUMENT.match(line) or (not fits and re.match(rb"#([ \t]|$)", line)):
                if re.match(rb"#[ \t]*newdoc( |$)", line):
                    start_document()
                parsed.comments.append((len(parsed.sentences), 0, line.decode()))
                continue
        if _DOCUMENT_START.match(line):
            start_document()
            continue
        if tabs is None:
            tabs = b"\t" in line
        fields = fields_of(line, tabs)
        if len(fields) != columns or not all(fields):
            raise ConllError(number)
        sentence.append(tuple(item.decode() for item in fields))
    end_sentence()
    if not parsed.sentences:
        raise ConllError(None)
    parsed.comments = [comment for comment in parsed.comments if comment[0] < len(parsed.sentences)]
    return parsed
