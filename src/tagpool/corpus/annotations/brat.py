"""Stand-off files of brat: ``T1<tab>PER 0 7<tab>Ann Lee`` in a file ``.ann``, next to the text in a file ``.txt``.

Relations, events, attributes and notes are ignored. A span in several parts is read as one, from its first character to its last.
A line of the text is a sentence.
"""

from __future__ import annotations

import re
from pathlib import Path

from tagpool.corpus.annotations.annotation import DEFAULT_LAYER, Annotation, CharSpan, Layer, lines_of
from tagpool.corpus.files import read_lines, read_utf8, source_name
from tagpool.errors import InputError
from tagpool.wording import counted

SUFFIX = ".ann"
_KINDS = "TREAMN#*"  # spans, relations, events, attributes, modifications, references, notes, equivalences
_SPAN = re.compile(r"(\S+) (\d{1,9}) ((?:\d{1,9};\d{1,9} )*)(\d{1,9})")


def read_brat(path: str | Path, *, encoding: str = "utf-8") -> list[Annotation]:
    """Read the spans of a text."""
    source, text_path = source_name(path), Path(path).with_suffix(".txt")
    if not text_path.exists():
        raise InputError(f"the text of these annotations is missing; expected the file {text_path}", source=source)
    text = read_utf8(text_path, encoding=encoding).decode()
    notes: list[str] = []
    spans = []
    for number, line in enumerate(read_lines(path, encoding=encoding), 1):
        if line.strip() and line[0] not in _KINDS:
            raise InputError(f"expected a line such as T1<tab>PER 0 7<tab>Ann Lee, got {line[:60]!r}", source=source, line=number)
        if line.startswith("T"):
            spans.append(_read_span(line, text, text_path, source, number))
        if line.startswith("T") and ";" in line.split("\t")[1]:
            notes.append(f"{source}:{number}: a span in several parts is read as one")
    layer = Layer(spans=sorted(spans, key=lambda span: span[:3]))
    document = f"{source} 1"
    return [Annotation(source, 1, {DEFAULT_LAYER: layer}, text=text, sentences=lines_of(text), document=document, notes=notes)]


def _read_span(line: str, text: str, text_path: Path, source: str, number: int) -> CharSpan:
    fields = line.split("\t")
    match = _SPAN.fullmatch(fields[1]) if len(fields) >= 2 else None
    if match is None:
        raise InputError(f"expected a line such as T1<tab>PER 0 7<tab>Ann Lee, got {line[:60]!r}", source=source, line=number)
    start, end = int(match[2]), int(match[4])
    if not start < end <= len(text):
        length = counted(len(text), "character")
        raise InputError(f"span {start} {end} is outside the text of {length} in {text_path}", source=source, line=number)
    if len(fields) > 2 and not match[3] and text[start:end].split() != fields[2].split():
        advice = f"check that {text_path} is the text of these annotations"
        raise InputError(
            f"the text at {start} {end} is {text[start:end]!r}, not {fields[2]!r}; {advice}", source=source, line=number
        )
    return CharSpan(start, end, match[1], None, number)
