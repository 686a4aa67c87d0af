"""Detection of files of annotation tools by their content, where the name of the file does not tell them apart."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

from tagpool.corpus.annotations.json_values import read_values
from tagpool.corpus.files import BYTE_ORDER_MARK, GZIP_MAGIC, ZSTD_MAGIC, name_read_errors, plain_suffix, read_bytes, source_name
from tagpool.corpus.jsonl import SPAN_KEYS
from tagpool.errors import InputError

FORMAT_LINE = "#FORMAT=WebAnno TSV 3"
TOOL_KEYS = {"answer", "annotator", "annotation_id"}  # of records that are not all labels of one annotator
_OTHER_KEYS = {"_input_hash", "_task_hash", "_view_id", "annotator", "annotation_id", "Comments", "relations", "cats"}
_DOCCANO_LABEL = "label"  # texts without it are not annotated
_ANSWERS = ("accept", "reject", "ignore")


def is_webanno(path: str | Path) -> bool:
    """Return whether a file ``.tsv`` begins as WebAnno TSV does."""
    if plain_suffix(path) != ".tsv":
        return False
    with name_read_errors(source_name(path)):
        if not Path(path).is_file():  # reading takes the beginning of a pipe
            return False
        with Path(path).open("rb") as file:
            first = file.readline(100)
    if first.startswith((GZIP_MAGIC, ZSTD_MAGIC)):
        first = read_bytes(path)
    return first.removeprefix(BYTE_ORDER_MARK).startswith(FORMAT_LINE.encode())


def is_tool_file(path: str | Path, *, encoding: str = "utf-8") -> bool:
    """Return whether a JSON file is one of Prodigy, doccano or Label Studio that is no usual JSONL.

    Any record may show it: a tool has fields that are absent where they are empty. An array is no JSONL.
    """
    texts = set()  # whether texts have a label of doccano
    if read_bytes(path, encoding=encoding).removeprefix(BYTE_ORDER_MARK).lstrip().startswith(b"["):
        return True
    with contextlib.suppress(InputError):  # the reader reports it
        for value, _, _ in read_values(path, encoding=encoding):
            if _is_tool_record(value):
                return True
            if isinstance(value, dict) and "text" in value and (_DOCCANO_LABEL in value or value.keys().isdisjoint(SPAN_KEYS)):
                texts.add(_DOCCANO_LABEL in value)
    return len(texts) == 2


def is_tool_line(line: str) -> bool:
    """Return whether a line is part of an array, or a record that is no usual JSONL.

    >>> is_tool_line("["), is_tool_line('{"data": {"text": "Ann left."}}'), is_tool_line('{"text": "Ann left."}')
    (True, True, False)
    """
    try:
        return line.lstrip().startswith("[") or _has_other_form(json.loads(line))
    except (ValueError, RecursionError):
        return False


def _has_other_form(value: Any) -> bool:
    """Return whether a record is a task of Label Studio, or has tokens as objects."""
    if not isinstance(value, dict):
        return False
    tokens = value.get("tokens")
    return isinstance(value.get("data"), dict) or (isinstance(tokens, list) and any(isinstance(token, dict) for token in tokens))


def _is_tool_record(value: Any) -> bool:
    if _has_other_form(value):
        return True
    has_tool_key = isinstance(value, dict) and (value.get("answer") in _ANSWERS or bool(_OTHER_KEYS & value.keys()))
    return has_tool_key and "text" in value
