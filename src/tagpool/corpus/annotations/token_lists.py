"""Records with a list of words: ``{"tokens": ["Ann", "left"], "labels": ["B-PER", "O"]}``.

Every other list with one string per token is a further column. ``workers`` has the labels of a crowd by annotator. ``scores`` (or
``confidence``) has one number per token. A label ``?`` or null abstains.
"""

from __future__ import annotations

from typing import Any

from tagpool.corpus.annotations.annotation import DEFAULT_LAYER, Annotation, Layer
from tagpool.corpus.annotations.json_values import need_list, read_score
from tagpool.corpus.annotations.records import Record
from tagpool.corpus.annotations.span_items import are_named, read_spans
from tagpool.corpus.annotations.texts import SPAN_KEYS, span_key
from tagpool.corpus.jsonl import NOTE_KEYS, has_list, list_keys
from tagpool.wording import counted

ABSTAINS = "?"
_KEYS = ("tokens", "labels", "workers", "scores", "confidence", "document")


def is_token_list(value: Any) -> bool:
    """Return whether a value is a record of this form, and not a text with spans."""
    if not isinstance(value, dict) or not isinstance(value.get("tokens"), list):
        return False
    has_objects = any(isinstance(token, dict) for token in value["tokens"])
    return not has_objects and ("text" not in value or ("labels" in value and not has_spans(value["labels"])))


def has_spans(labels: Any) -> bool:
    """Return whether labels are spans, and not one string per token."""
    return isinstance(labels, list) and any(isinstance(label, (list, dict)) for label in labels)


def read_token_list(record: Record) -> Annotation:
    """Read a record; ``workers`` hide the other columns."""
    value, words = record.value, record.words("tokens")
    layers: dict[str, Layer] = {}
    if "labels" in value:
        layers[DEFAULT_LAYER] = Layer(_labels(value["labels"], "labels", len(words), record), scores=_scores(record, len(words)))
    if "workers" in value:
        if not isinstance(value["workers"], dict):
            raise record.fail('"workers": expected an object with a list of labels by annotator')
        for name, labels in value["workers"].items():
            layers[name] = Layer(_labels(labels, f"workers.{name}", len(words), record))
        return record.annotation(layers, words=words)
    for key, column in value.items():
        is_column = isinstance(column, list) and len(column) == len(words) and all(isinstance(item, str) for item in column)
        if is_column and key not in _KEYS:
            layers[key] = Layer(_labels(column, key, len(words), record))
    if not layers:
        _add_entities(record, words, layers)
    return record.annotation(layers, words=words)


def _add_entities(record: Record, words: list[str], layers: dict[str, Layer]) -> None:
    """Add entities that are named by their text; other keys with lists may be annotations, and are errors."""
    key = span_key(record.value)
    if key is not None and are_named(record.value[key]):
        text = record.annotation(words=words).running_text
        layers[DEFAULT_LAYER] = Layer(spans=read_spans(record.value[key], key, text, record))
    elif words and any(has_list(record.value[name]) for name in record.value if name not in (*_KEYS, *NOTE_KEYS)):
        keys = list_keys(record.value, (*_KEYS, "text", *SPAN_KEYS))
        raise record.fail(f"the tokens have no 'labels', one per token, and spans need a 'text' instead of tokens; {keys}")


def _labels(value: Any, key: str, count: int, record: Record) -> list[str | None]:
    labels = need_list(value, key, record.fail)
    if not all(label is None or (isinstance(label, str) and label) for label in labels):
        raise record.fail(f'"{key}": expected a list of non-empty strings')
    if len(labels) != count:
        raise record.fail(f"expected {counted(count, 'label')}, one per token, got {len(labels)}")
    return [None if label == ABSTAINS else label for label in labels]


def _scores(record: Record, count: int) -> list[float | None] | None:
    value = record.value.get("scores", record.value.get("confidence"))
    return list(map(read_score, value)) if isinstance(value, list) and len(value) == count else None
