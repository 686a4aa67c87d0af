"""Training data of GLiNER: ``{"tokenized_text": ["Ann", "Lee", "left"], "ner": [[0, 1, "PER"]]}``, the last token included."""

from __future__ import annotations

from typing import Any

from tagpool.corpus.annotations.annotation import Annotation, CharSpan
from tagpool.corpus.annotations.json_values import is_offset, need_list, read_type
from tagpool.corpus.annotations.records import Record
from tagpool.corpus.jsonl import excerpt
from tagpool.wording import counted


def is_gliner_training(value: Any) -> bool:
    """Return whether a value is a record of this form."""
    return isinstance(value, dict) and "tokenized_text" in value


def read_gliner_training(record: Record) -> Annotation:
    """Read a record."""
    words = record.words("tokenized_text")
    annotation = record.annotation(words=words)
    spans = []
    for item in need_list(record.value.get("ner", []), "ner", record.fail):
        is_span = isinstance(item, list) and len(item) == 3 and is_offset(item[0]) and is_offset(item[1])
        if not (is_span and 0 <= item[0] <= item[1] < len(words)):
            form = '[first token, last token, "PER"]'
            raise record.fail(f'"ner": expected {form} within {counted(len(words), "token")}, got {excerpt(item)}')
        (start, _), (_, end) = (annotation.token_places[token] for token in item[:2])
        spans.append(CharSpan(start, end, read_type(item[2], record.fail)))
    return record.with_spans(sorted(spans, key=lambda span: span[:3]), words=words)
