"""WebAnno TSV 3.3: a file that INCEpTION imports, with the spans as named entities."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import accumulate

from tagpool.corpus.annotations.detection import FORMAT_LINE
from tagpool.corpus.annotations.losses import Losses
from tagpool.corpus.annotations.span_layers import ENTITY_LAYER
from tagpool.corpus.annotations.text_documents import UNKNOWN_LABELS, TextDocument, make_documents
from tagpool.corpus.corpus import Corpus

_CONTROLS = {"\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "\b": "\\b", "\\": "\\\\"}
_CONTROL = re.compile(r"[\x00-\x1f\\]")
_RESERVED = re.compile(r"->|[\\\[\]|_;*]")


def format_webanno(corpus: Corpus, losses: Losses) -> str:
    """Return the file of a corpus as one document."""
    (document,) = make_documents(corpus, losses, whole=True, lines=False)
    losses[UNKNOWN_LABELS] += len(document.unknown)
    units = _units(document.text)
    cells = _cells(document)
    lines = [f"{FORMAT_LINE}.3", f"#T_SP={ENTITY_LAYER}|identifier|value", ""]
    token = 0
    for sentence, (begin, end) in enumerate(document.sentences, 1):
        lines += ["", *(f"#Text={escape_text(line)}" for line in document.text[begin:end].split("\n"))]
        first = token
        while token < len(document.tokens) and document.tokens[token][0] < end:
            start, stop = document.tokens[token]
            fields = (f"{sentence}-{token - first + 1}", f"{units[start]}-{units[stop]}", escape_text(document.text[start:stop]))
            lines.append("\t".join((*fields, *cells.get(token, ("_", "_")), "")))
            token += 1
    return "\n".join(lines) + "\n"


def _cells(document: TextDocument) -> dict[int, tuple[str, str]]:
    """Return the two cells of each token in a span; spans of several tokens have a number."""
    starts = [start for start, _ in document.tokens]
    cells: dict[int, tuple[str, str]] = {}
    number = 0
    for span in document.spans:
        tokens = range(bisect_left(starts, span.start), bisect_left(starts, span.end))
        number += len(tokens) > 1
        mark = f"[{number}]" if len(tokens) > 1 else ""
        cells |= dict.fromkeys(tokens, (f"*{mark}", f"{escape_value(span.type)}{mark}"))
    return cells


def _units(text: str) -> list[int]:
    """Return the offset of every character, and of the end, in UTF-16 units."""
    return [0, *accumulate(2 if ord(character) > 0xFFFF else 1 for character in text)]


def escape_text(text: str) -> str:
    r"""Return a text or a token in which control characters and backslashes are escaped.

    >>> escape_text("a\tb")
    'a\\tb'
    """
    return _CONTROL.sub(lambda match: _CONTROLS.get(match[0], f"\\{match[0]}"), text)


def escape_value(value: str) -> str:
    r"""Return a value in which the characters with a meaning in cells are escaped.

    >>> escape_value("first_name")
    'first\\_name'
    """
    return _RESERVED.sub(lambda match: f"\\{match[0]}", value)
