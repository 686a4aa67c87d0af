"""Tasks of Label Studio: ``{"data": {"text": ...}, "annotations": [{"result": [...]}], "predictions": [...]}``.

Old exports have ``completions`` instead of annotations. The labels are those of the first annotation that was not cancelled, or
of the first prediction. Others have the names of their annotator (``completed_by``) or model (``model_version``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tagpool.corpus.annotations.annotation import DEFAULT_LAYER, Annotation, Layer, lines_of
from tagpool.corpus.annotations.json_values import need_list
from tagpool.corpus.annotations.losses import ATTRIBUTES, CLASSES, FURTHER_LABELS, METADATA, REJECTED, RELATIONS
from tagpool.corpus.annotations.records import Record
from tagpool.corpus.annotations.span_items import read_spans
from tagpool.corpus.jsonl import list_keys


def is_label_studio(value: Any) -> bool:
    """Return whether a value is a task."""
    return isinstance(value, dict) and isinstance(value.get("data"), dict)


def read_label_studio(record: Record) -> Annotation:
    """Read a task; one without annotations and predictions has no labels."""
    text, places = _text(record), None
    data = record.value["data"]
    if isinstance(data.get("tokens"), list):  # of texts that this library has written
        places = replace(record, value=data).token_places(text)
    record.losses[METADATA] += len([key for key, value in data.items() if key not in ("tokens", "document") and value != text])
    layers: dict[str, Layer] = {}
    names = (("annotations", "completed_by"), ("completions", "completed_by"), ("predictions", "model_version"))
    for key, name_key in names:
        for number, item in enumerate(need_list(record.value.get(key) or [], key, record.fail), 1):
            if not isinstance(item, dict):
                raise record.fail(f'"{key}": expected objects with a key "result", got {type(item).__name__}')
            if item.get("was_cancelled") or item.get("skipped"):
                record.losses[REJECTED] += 1
                continue
            layer = Layer(spans=read_spans(_values(item, record), "result", text, record))
            layers.setdefault(DEFAULT_LAYER, layer)
            layers.setdefault(_name(item.get(name_key), f"{key}{number}"), layer)
    return record.annotation(layers, text=text, places=places, sentences=lines_of(text))


def _text(record: Record) -> str:
    data = record.value["data"]
    texts = [value for key, value in data.items() if isinstance(value, str)]
    if isinstance(data.get("text"), str):
        return str(data["text"])
    if len(texts) > 1:
        texts = [text for text in texts if _fits(text, record.value)]
    if len(texts) != 1:
        raise record.fail(f'expected the text in "data"; {list_keys(data, ["text"])}; rename the key of the text')
    return texts[0]


def _fits(text: str, task: dict[str, Any]) -> bool:
    """Return whether the spans of a task are in a text, by their own text; false without spans."""
    parts = [item for key in ("annotations", "completions", "predictions") for item in _objects(task.get(key))]
    regions = [region for item in parts for region in _objects(item.get("result"))]
    values = [
        value for region in regions if isinstance(value := region.get("value"), dict) and isinstance(value.get("text"), str)
    ]
    return bool(values) and all(value["text"] in text for value in values)


def _objects(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list; other values are refused when they are read."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _values(item: dict[str, Any], record: Record) -> list[dict[str, Any]]:
    """Return the labelled spans of a result; choices, ratings and relations have none."""
    spans: list[dict[str, Any]] = []
    for region in need_list(item.get("result", []), "result", record.fail):
        value = region.get("value") if isinstance(region, dict) else None
        if isinstance(value, dict) and "start" in value and (value.get("labels") or value.get("hypertextlabels")):
            labels = value.get("labels") or value["hypertextlabels"]
            record.losses[ATTRIBUTES] += bool(region.get("meta"))
            if isinstance(labels, list) and len(labels) > 1:
                record.losses[FURTHER_LABELS] += len(labels) - 1
                record.note(f"span [{value['start']}, {value.get('end')}] has several labels: used the first, {labels[0]!r}")
            spans.append({**value, "label": labels, "score": region.get("score", value.get("score"))})
        elif isinstance(region, dict) and region.get("type") == "relation":
            record.losses[RELATIONS] += 1
        elif isinstance(value, dict):
            record.losses[ATTRIBUTES if "start" in value else CLASSES] += 1
    return spans


def _name(value: Any, default: str) -> str:
    if isinstance(value, dict):
        value = value.get("email", value.get("id"))
    return str(value) if isinstance(value, (str, int)) and value != "" else default
