"""Dialects of JSON records. To add one, write a file with its test and its reader, and list both in ``DIALECTS``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tagpool.corpus.annotations.annotation import Annotation
from tagpool.corpus.annotations.annotators import merge_records
from tagpool.corpus.annotations.gliner_training import is_gliner_training, read_gliner_training
from tagpool.corpus.annotations.json_values import is_training_pair, read_values
from tagpool.corpus.annotations.label_studio import is_label_studio, read_label_studio
from tagpool.corpus.annotations.records import Record
from tagpool.corpus.annotations.texts import is_text, is_without_text, read_text_record, read_training_pair, read_without_text
from tagpool.corpus.annotations.token_lists import is_token_list, read_token_list
from tagpool.corpus.files import source_name
from tagpool.corpus.jsonl import list_keys
from tagpool.errors import InputError


class Dialect(NamedTuple):
    """A form of records: its name, a test of a JSON value, and its reader."""

    name: str
    matches: Callable[[Any], bool]
    read: Callable[[Record], Annotation]


# The first one that matches reads a record.
DIALECTS = (
    Dialect("spaCy 2 training pair", is_training_pair, read_training_pair),
    Dialect("Label Studio task", is_label_studio, read_label_studio),
    Dialect("GLiNER training data", is_gliner_training, read_gliner_training),
    Dialect("tokens and labels", is_token_list, read_token_list),
    Dialect("text and spans", is_text, read_text_record),
    Dialect("entities without their text", is_without_text, read_without_text),
)
_KEYS = ("tokens", "text", "tokenized_text", "data")


def read_json(path: str | Path, *, encoding: str = "utf-8") -> list[Annotation]:
    """Read JSONL or a JSON array of records; every record may have another dialect."""
    annotations = []
    for value, fail, line in read_values(path, encoding=encoding):
        record = Record(value, fail, source_name(path), line)
        dialect = next((dialect for dialect in DIALECTS if dialect.matches(value)), None)
        if dialect is None and isinstance(value, dict):
            raise fail(f"expected a key 'tokens' or 'text'; {list_keys(value, _KEYS)}; rename the key of the text")
        if dialect is None:
            raise fail(f'expected a JSON object such as {{"text": ...}}, got {type(value).__name__}')
        annotations.append(dialect.read(record))
    if not annotations:
        raise InputError("expected records, got none: the array is empty", source=source_name(path), line=1)
    return merge_records(annotations)
