"""Records with a text and its spans: spaCy (``ents``), Prodigy (``spans``), doccano (``label``), GLiNER, language models.

A record has ``text`` and the spans under one of ``SPAN_KEYS``, in a form of :mod:`tagpool.corpus.annotations.span_items`. The
tokens of spaCy and Prodigy are used, and so are the sentences of ``Doc.to_json()``. A task that was rejected in Prodigy has no
labels.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tagpool.corpus.annotations.annotation import Annotation, Place, lines_of
from tagpool.corpus.annotations.json_values import is_offset, need_text
from tagpool.corpus.annotations.pipelines import is_pipeline_output, pipeline_spans
from tagpool.corpus.annotations.records import Record
from tagpool.corpus.annotations.span_items import read_spans
from tagpool.corpus.jsonl import NOTE_KEYS, has_list, list_keys

SPAN_KEYS = ("labels", "label", "entities", "spans", "ents", "entity")
_KEYS = ("text", "tokens", "document", *SPAN_KEYS)
_OTHER_KEYS = ("sents", "cats", "Comments", "comments", "options", "accept", "config", "versions")  # of tools, without spans


def is_text(value: Any) -> bool:
    """Return whether a value is a record of this form."""
    return isinstance(value, dict) and "text" in value


def read_training_pair(record: Record) -> Annotation:
    """Read an example of spaCy 2."""
    text, spans = record.value
    return read_text_record(replace(record, value={**spans, "text": text}))


def read_text_record(record: Record) -> Annotation:
    """Read a record."""
    value = record.value
    text = need_text(value["text"], "text", record.fail)
    tokens = value.get("tokens")
    has_places = isinstance(tokens, list) and any(isinstance(token, dict) for token in tokens)
    places = record.token_places(text) if has_places else None
    sentences = _sentences(value.get("sents"), text) or lines_of(text)
    answer = value.get("answer", "accept")
    if answer != "accept":
        record.note(f'"answer" is {answer!r}: the labels of this text are ignored')
        return record.annotation(text=text, places=places, sentences=sentences)
    key = span_key(value)
    if key is None:
        _check_keys(record)
        spans = []
    elif is_pipeline_output(value[key]) and value[key]:
        spans = pipeline_spans(value[key], record)
    else:
        spans = read_spans(value[key], key, text, record)
    return record.with_spans(spans, text=text, places=places, sentences=sentences)


def span_key(value: dict[str, Any]) -> str | None:
    """Return the key of the spans: one with entries before an empty one, and before the class of the text (a string)."""
    keys = [key for key in SPAN_KEYS if key in value]
    keys.sort(key=lambda key: (not isinstance(value[key], (list, dict)), not value[key]))
    return keys[0] if keys else None


def _check_keys(record: Record) -> None:
    """Raise an error if a record without spans has other keys with lists: they may be its annotation."""
    for key, value in record.value.items():
        if key not in (*_KEYS, *NOTE_KEYS, *_OTHER_KEYS) and has_list(value):
            keys = list_keys(record.value, _KEYS)
            raise record.fail(f"the key {key!r} may have labels, but is not understood; {keys}; rename or remove it")


def _sentences(value: Any, text: str) -> list[Place]:
    """Return the sentences of ``Doc.to_json()``; none if they are not valid."""
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        return []
    places = [(item.get("start"), item.get("end")) for item in value]
    return [
        (start, end)
        for start, end in places
        if is_offset(start) and is_offset(end) and 0 <= start < end <= len(text) and text[start:end].strip()
    ]
