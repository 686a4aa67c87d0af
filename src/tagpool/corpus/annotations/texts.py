"""Records with a text and its spans: spaCy (``ents``), Prodigy (``spans``), doccano (``label``), GLiNER, language models.

A record has ``text`` and the spans under one of ``SPAN_KEYS``, in a form of :mod:`tagpool.corpus.annotations.span_items`. The
tokens of spaCy and Prodigy are used, and so are the sentences of ``Doc.to_json()``. A task that was rejected in Prodigy has no
labels. A binary task is about one span: other tokens are unknown.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tagpool.corpus.annotations.annotation import DEFAULT_LAYER, Annotation, CharSpan, Layer, Place, lines_of
from tagpool.corpus.annotations.answers import ANSWER_KEYS, parse_answer
from tagpool.corpus.annotations.json_values import is_entity_list, is_offset, need_text
from tagpool.corpus.annotations.losses import CLASSES, COMMENTS, METADATA, REJECTED, RELATIONS
from tagpool.corpus.annotations.pipelines import is_pipeline_output, pipeline_spans
from tagpool.corpus.annotations.records import Record
from tagpool.corpus.annotations.span_items import are_named, read_spans
from tagpool.corpus.jsonl import NOTE_KEYS, has_list, list_keys

SPAN_KEYS = ("labels", "label", "entities", "spans", "ents", "entity", "annotations")
_KEYS = ("text", "tokens", "document", *SPAN_KEYS)
_OTHER_KEYS = ("sents", "cats", "Comments", "comments", "options", "accept", "config", "versions")  # of tools, without spans
_SHORT_EXPORT = ("annotator", "annotation_id", "lead_time")  # keys of Label Studio's JSON-MIN
_ACCEPT = "accept"
_READ = ("data", "answer", "annotator", "_annotator_id", "_session_id", "_is_binary", "_view_id", "_input_hash", "_task_hash")
_KINDS = {"relations": RELATIONS, "cats": CLASSES, "accept": CLASSES, "Comments": COMMENTS, "comments": COMMENTS}
_TOKEN_KEYS = ("sents", "options", "config")  # read, or settings of the tool
_NESTED = ("meta", "metadata", "info")  # their entries are fields of their own


def is_text(value: Any) -> bool:
    """Return whether a value is a record of this form; ``data`` is the text in some exports of doccano."""
    return isinstance(value, dict) and ("text" in value or isinstance(value.get("data"), str))


def is_without_text(value: Any) -> bool:
    """Return whether a value has the entities of a text that it does not have: it belongs to the sentence with its number."""
    if not isinstance(value, dict):
        return is_entity_list(value)
    others = [item for key, item in value.items() if key not in (*SPAN_KEYS, *NOTE_KEYS, *ANSWER_KEYS)]
    has_words = any(isinstance(item, str) and " " in item for item in others)  # perhaps the text, under another name
    if has_words or "tokens" in value or "tokenized_text" in value or "data" in value:
        return False
    key = span_key(value)
    is_named = key is not None and (not value[key] or are_named(value[key]) or is_entity_list(value[key]))
    return is_named or bool(_types_by_key(value)) or any(isinstance(value.get(key), str) for key in ANSWER_KEYS)


def read_without_text(record: Record) -> Annotation:
    """Read a record when its text is known."""
    value = record.value if isinstance(record.value, dict) else {"entities": record.value}
    annotation = record.with_spans([])
    annotation.read_with = lambda text: read_text_record(replace(record, value={**value, "text": text}))
    return annotation


def read_training_pair(record: Record) -> Annotation:
    """Read an example of spaCy 2."""
    text, spans = record.value
    return read_text_record(replace(record, value={**spans, "text": text}))


def read_text_record(record: Record) -> Annotation:
    """Read a record."""
    value = record.value
    text = need_text(value["text"] if "text" in value else value["data"], "text", record.fail)
    tokens = value.get("tokens")
    has_places = isinstance(tokens, list) and any(isinstance(token, dict) for token in tokens)
    places = record.token_places(text) if has_places else None
    parts: dict[str, Any] = {"text": text, "places": places, "sentences": _sentences(value.get("sents"), text) or lines_of(text)}
    parts["annotator"] = _annotator(value)
    parts["is_annotated"] = True if span_key(value) is not None else None if value.get("answer") == _ACCEPT else False
    _count_losses(record)
    answer = value.get("answer", _ACCEPT)
    is_binary = value.get("_is_binary") is True or value.get("_view_id") == "ner"
    if answer != _ACCEPT:
        record.losses[REJECTED] += 1
        record.note(f'"answer" is {answer!r}: the labels of this {"span" if is_binary else "text"} are ignored')
        return record.annotation({DEFAULT_LAYER: Layer(spans=[], partial=True)} if is_binary else {}, **parts)
    spans = _spans(record, text)
    if spans is None:
        return record.annotation(**parts)
    return record.annotation({DEFAULT_LAYER: Layer(spans=spans, partial=is_binary)}, **parts)


def _count_losses(record: Record) -> None:
    """Count what is neither the text nor its spans; the name of the document is read."""
    for key, item in record.value.items():
        if key in (*_KEYS, *_READ, *_TOKEN_KEYS, span_key(record.value)):
            continue
        size = len(item) if isinstance(item, (list, dict)) else item is not None and item != ""
        if key in _NESTED and isinstance(item, dict):
            record.losses[METADATA] += len(item.keys() - {"document"})
        else:
            record.losses[_KINDS.get(key, METADATA)] += size if key in _KINDS else bool(size)


def _spans(record: Record, text: str) -> list[CharSpan] | None:
    """Return the spans of a record; None if an answer of a language model has no JSON."""
    value = record.value
    key = span_key(value)
    if key is None:
        key = next((key for key in ANSWER_KEYS if isinstance(value.get(key), str)), None)
    elif isinstance(value[key], (list, dict)):
        _check_keys(record, has_spans=True)
    if key is None:
        _check_keys(record, has_spans=False)
        return read_spans(_types_by_key(value), "text", text, record)
    items = value[key]
    if isinstance(items, str) and key not in ("label", "labels", "entity"):
        items = parse_answer(items)
        if items is None:
            record.note(f'"{key}" has no JSON: there are no labels for this text')
            return None
        inner = span_key(items) if isinstance(items, dict) else None
        items = items if inner is None else items[inner]
    if is_pipeline_output(items) and items:
        return pipeline_spans(items, text, record)
    return read_spans(items, key, text, record)


def span_key(value: dict[str, Any]) -> str | None:
    """Return the key of the spans: one with entries before an empty one, and before the class of the text (a string).

    Span groups of spaCy come after its entities. In the short export of Label Studio, the key is the name of a tag.
    """
    keys = [key for key in SPAN_KEYS if key in value]
    if any(key in value for key in _SHORT_EXPORT):
        keys += [key for key, items in value.items() if key not in keys and _has_regions(items)]

    def rank(key: str) -> tuple[bool, bool, bool]:
        is_group = key == "spans" and isinstance(value[key], dict)
        return not isinstance(value[key], (list, dict)), not value[key], is_group

    return min(keys, key=rank, default=None)


def _has_regions(items: Any) -> bool:
    return (
        isinstance(items, list)
        and bool(items)
        and all(isinstance(one, dict) and {"start", "labels"} <= one.keys() for one in items)
    )


def _types_by_key(value: dict[str, Any]) -> dict[str, list[str]]:
    """Return the names of a record ``{"PER": ["Ann"], "LOC": []}``; types are in capitals."""
    lists = {key: items for key, items in value.items() if isinstance(items, list) and key not in _KEYS and key.isupper()}
    return lists if all(isinstance(name, str) for names in lists.values() for name in names) else {}


def _annotator(value: dict[str, Any]) -> str | None:
    """Return the annotator of a record of Prodigy or of the short export of Label Studio."""
    name = next((value[key] for key in ("annotator", "_annotator_id", "_session_id") if value.get(key) is not None), None)
    if isinstance(name, dict):
        name = name.get("email", name.get("id"))
    return str(name) if isinstance(name, (str, int)) and name != "" else None


def _check_keys(record: Record, *, has_spans: bool) -> None:
    """Raise an error for other keys that may have labels: lists, or next to spans lists of objects."""
    value = record.value
    types = {} if has_spans else _types_by_key(value)
    for key, items in value.items():
        if key in (*_KEYS, *NOTE_KEYS, *_OTHER_KEYS, *types) or (has_spans and key == span_key(value)):
            continue
        may_be_labels = _has_objects(items) if has_spans else has_list(items) or _is_json(items)
        if may_be_labels:
            keys = list_keys(value, _KEYS)
            raise record.fail(f"the key {key!r} may have labels, but is not understood; {keys}; rename or remove it")


def _has_objects(items: Any) -> bool:
    kinds = {"label", "labels", "type", "entity", "entity_group"}
    return isinstance(items, list) and bool(items) and all(isinstance(one, dict) and kinds & one.keys() for one in items)


def _is_json(items: Any) -> bool:
    return isinstance(items, str) and items.lstrip()[:1] in ("{", "[", "`") and has_list(parse_answer(items))


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
