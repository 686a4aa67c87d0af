"""Stand-off files of brat: ``T1<tab>PER 0 7<tab>Ann Lee`` in a file ``.ann``, next to the text in a file ``.txt``.

Relations, events, attributes and notes are counted, but not read. A span in several parts is read as one, from its first
character to its last; the parts of a span over several lines are one span. A line of the text is a sentence.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

from tagpool.corpus.annotations.annotation import DEFAULT_LAYER, Annotation, CharSpan, Layer, lines_of
from tagpool.corpus.annotations.losses import ATTRIBUTES, COMMENTS, IN_PARTS, RELATIONS, Losses
from tagpool.corpus.files import read_lines, read_utf8, source_name
from tagpool.errors import InputError
from tagpool.wording import counted

SUFFIX = ".ann"
_LOSSES = {"R": RELATIONS, "E": "events", "A": ATTRIBUTES, "M": ATTRIBUTES, "N": "references", "#": COMMENTS, "*": RELATIONS}
_KINDS = ("T", *_LOSSES)  # spans; relations, events, attributes, modifications, references, notes, equivalences
_SPAN = re.compile(r"(\S+) (\d{1,9}) ((?:\d{1,9};\d{1,9} )*)(\d{1,9})")


def read_brat(path: str | Path, *, encoding: str = "utf-8") -> list[Annotation]:
    """Read the spans of a text."""
    lines = read_lines(path, encoding=encoding)
    source, text_path = source_name(path), Path(path).with_suffix(".txt")
    if not text_path.exists():
        raise InputError(f"the text of these annotations is missing; expected the file {text_path}", source=source)
    text = read_utf8(text_path, encoding=encoding).decode()
    notes: list[str] = []
    losses = Losses()
    spans = []
    for number, line in enumerate(lines, 1):
        if line.strip() and line[0] not in _KINDS:
            raise InputError(f"expected a line such as T1<tab>PER 0 7<tab>Ann Lee, got {line[:60]!r}", source=source, line=number)
        if line.startswith("T"):
            spans.append(_read_span(line, text, text_path, source, number))
            if _has_gap(line.split("\t")[1], text):
                notes.append(f"{source}:{number}: a span in several parts is read as one")
                losses[IN_PARTS] += 1
        elif line.strip():
            losses[_LOSSES[line[0]]] += 1
    layer = Layer(spans=sorted(spans, key=lambda span: span[:3]))
    document = f"{source} 1"
    parts: dict[str, Any] = {"document": document, "notes": notes, "losses": losses}
    return [Annotation(source, 1, {DEFAULT_LAYER: layer}, text=text, sentences=lines_of(text), **parts)]


def _has_gap(places: str, text: str) -> bool:
    """Return whether there are other characters than blanks between the parts of a span."""
    parts = [list(map(int, part.split())) for part in places.partition(" ")[2].split(";")]
    return any(text[end:start].strip() for (_, end), (start, _) in pairwise(parts))


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
