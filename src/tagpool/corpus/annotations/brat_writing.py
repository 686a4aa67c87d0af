"""Stand-off files of brat: the text in a file ``.txt``, and spans in a file ``.ann``."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path

from tagpool.corpus.annotations.annotation import DEFAULT_LAYER, CharSpan
from tagpool.corpus.annotations.brat import read_brat
from tagpool.corpus.annotations.losses import Losses
from tagpool.corpus.annotations.text_documents import TOKENS, UNKNOWN_LABELS, TextDocument, make_documents
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import COMPRESSED_SUFFIXES, STANDARD_STREAM, name_read_errors, open_output
from tagpool.errors import InputError

_CONTROL = re.compile(r"[\t\r\n]")  # they end a field or a line


def write_brat(corpus: Corpus, path: str | Path, losses: Losses) -> None:
    """Write a corpus as one text, one sentence per line: both files, or none if that fails.

    A text that exists is kept if it is the same, and replaced only if it is that of the annotations that are replaced.
    """
    if str(path) == STANDARD_STREAM:
        raise InputError("brat has two files, the text and the spans; name the file of the spans, such as -o names.ann")
    if Path(path).suffix in COMPRESSED_SUFFIXES:
        raise InputError("brat has no compressed files; name the file of the spans, such as -o names.ann", source=str(path))
    if Path(path).suffix == ".txt":
        raise InputError("this is the name of the text; name the file of the spans, such as -o names.ann", source=str(path))
    (document,) = make_documents(corpus, losses, whole=True)
    spans = format_spans(document, losses)
    text_path, text = Path(path).with_suffix(".txt"), document.text.encode()
    with contextlib.ExitStack() as files:
        if not _is_written(text_path, text, path):
            files.enter_context(open_output(text_path))(text)
        files.enter_context(open_output(path))(spans.encode())


def _is_written(text_path: Path, text: bytes, path: str | Path) -> bool:
    """Return whether a file has the text; blanks at its end change no offset. Raise an error if it has another one."""
    if not os.path.exists(text_path):  # noqa: PTH110 - Path.exists raises errors for bad names, which opening reports
        return False
    with name_read_errors(str(text_path)):
        present = text_path.read_bytes()
    if len(present) >= len(text) and present.rstrip() == text.rstrip():
        return True
    if not _has_spans(path):
        advice = "choose another name for the annotations, or another folder"
        raise InputError(f"the text of the annotations {path} would replace this file; {advice}", source=str(text_path))
    return False


def _has_spans(path: str | Path) -> bool:
    """Return whether annotations exist, with spans that fit their text."""
    with contextlib.suppress(InputError):
        (annotation,) = read_brat(path)
        return bool(annotation.layers[DEFAULT_LAYER].spans)
    return False


def format_spans(document: TextDocument, losses: Losses) -> str:
    """Return one line per span; a span over several lines has several parts, since brat displays lines."""
    losses[UNKNOWN_LABELS] += len(document.unknown)
    losses[TOKENS] += document.has_own_tokens
    return "".join(f"T{number}\t{_line(span, document.text)}\n" for number, span in enumerate(document.spans, 1))


def _line(span: CharSpan, text: str) -> str:
    parts = [match.span() for match in re.finditer(r"[^\n]+", text[span.start : span.end])]
    places = ";".join(f"{span.start + start} {span.start + end}" for start, end in parts)
    return f"{span.type} {places}\t{_CONTROL.sub(' ', text[span.start : span.end])}"
