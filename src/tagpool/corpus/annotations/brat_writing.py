"""Stand-off files of brat: the text in a file ``.txt``, and spans in a file ``.ann``."""

from __future__ import annotations

import re
from pathlib import Path

from tagpool.corpus.annotations.annotation import CharSpan
from tagpool.corpus.annotations.losses import Losses
from tagpool.corpus.annotations.text_documents import TOKENS, UNKNOWN_LABELS, TextDocument, make_documents
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import STANDARD_STREAM, open_output
from tagpool.errors import InputError


def write_brat(corpus: Corpus, path: str | Path, losses: Losses) -> None:
    """Write a corpus as one text, one sentence per line: both files, or none if that fails."""
    if str(path) == STANDARD_STREAM:
        raise InputError("brat has two files, the text and the spans; name the file of the spans, such as -o names.ann")
    if Path(path).suffix == ".txt":
        raise InputError("this is the name of the text; name the file of the spans, such as -o names.ann", source=str(path))
    (document,) = make_documents(corpus, losses, whole=True)
    spans = format_spans(document, losses)
    with open_output(Path(path).with_suffix(".txt")) as write, open_output(path) as write_spans:
        write(document.text.encode())
        write_spans(spans.encode())


def format_spans(document: TextDocument, losses: Losses) -> str:
    """Return one line per span; a span over several lines has several parts, since brat displays lines."""
    losses[UNKNOWN_LABELS] += len(document.unknown)
    losses[TOKENS] += document.has_own_tokens
    return "".join(f"T{number}\t{_line(span, document.text)}\n" for number, span in enumerate(document.spans, 1))


def _line(span: CharSpan, text: str) -> str:
    parts = [match.span() for match in re.finditer(r"[^\n]+", text[span.start : span.end])]
    places = ";".join(f"{span.start + start} {span.start + end}" for start, end in parts)
    return f"{span.type} {places}\t{text[span.start : span.end].replace(chr(10), ' ')}"
