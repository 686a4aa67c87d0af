"""Files whose sentences are the reference: gold labels, or the first expert."""

from __future__ import annotations

from pathlib import Path

from tagpool.corpus.annotations.detection import TOOL_KEYS, is_webanno
from tagpool.corpus.annotations.json_values import read_values
from tagpool.corpus.annotations.tables import is_table
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.formats import Format, format_of, read_labelled
from tagpool.corpus.jsonl import SPAN_KEYS


def read_reference(path: str | Path, *, columns: str | None, label: str | None, encoding: str) -> Corpus | None:
    """Read a corpus of a format of :func:`tagpool.read_corpus`, with all of its columns; None for other formats."""
    if is_webanno(path) or is_table(path, encoding=encoding):
        return None
    kind = format_of(path)
    if kind in (Format.BRAT, Format.INCEPTION):
        return None
    if kind is Format.JSONL and not _is_corpus(path, encoding):
        return None
    return read_labelled(path, columns=columns, label=label, encoding=encoding)


def _is_corpus(path: str | Path, encoding: str) -> bool:
    """Return whether the first record has words and labels, or a text and offsets of spans."""
    value = next((value for value, _, _ in read_values(path, encoding=encoding)), None)
    if not isinstance(value, dict):
        return False
    if TOOL_KEYS & value.keys():
        return False
    tokens = value.get("tokens", [])
    if "text" not in value:
        return isinstance(tokens, list) and all(isinstance(token, str) for token in tokens)
    return not tokens and all(isinstance(value.get(key, []), list) and _have_offsets(value.get(key, [])) for key in SPAN_KEYS)


def _have_offsets(spans: list[object]) -> bool:
    forms = ({"start", "end", "label"}, {"start_offset", "end_offset", "label"})
    return all(
        isinstance(span, list) or (isinstance(span, dict) and any(form <= span.keys() for form in forms)) for span in spans
    )
