"""Tasks of Label Studio: ``{"data": {"text": ...}, "annotations": [{"result": [...]}], "predictions": [...]}``.

The labels are those of the first annotation that was not cancelled, or of the first prediction. Others have the names of their
annotator (``completed_by``) or model (``model_version``).
"""

from __future__ import annotations

from typing import Any

from tagpool.corpus.annotations.annotation import DEFAULT_LAYER, Annotation, Layer, lines_of
from tagpool.corpus.annotations.json_values import need_list
from tagpool.corpus.annotations.records import Record
from tagpool.corpus.annotations.span_items import read_spans
from tagpool.corpus.jsonl import list_keys


def is_label_studio(value: Any) -> bool:
    """Return whether a value is a task."""
    return isinstance(value, dict) and isinstance(value.get("data"), dict)


def read_label_studio(record: Record) -> Annotation:
    """Read a task; one without annotations and predictions has no labels."""
    text = _text(record)
    layers: dict[str, Layer] = {}
    for key, name_key in (("annotations", "completed_by"), ("predictions", "model_version")):
        for number, item in enumerate(need_list(record.value.get(key) or [], key, record.fail), 1):
            if not isinstance(item, dict):
                raise record.fail(f'"{key}": expected objects with a key "result", got {type(item).__name__}')
            if item.get("was_cancelled"):
                continue
            layer = Layer(spans=read_spans(_values(item, record), "result", text, record))
            layers.setdefault(DEFAULT_LAYER, layer)
            layers.setdefault(_name(item.get(name_key), f"{key}{number}"), layer)
    return record.annotation(layers, text=text, sentences=lines_of(text))


def _text(record: Record) -> str:
    data = record.value["data"]
    texts = [value for key, value in data.items() if isinstance(value, str)]
    if isinstance(data.get("text"), str):
        return str(data["text"])
    if len(texts) != 1:
        raise record.fail(f'expected the text in "data"; {list_keys(data, ["text"])}')
    return texts[0]


def _values(item: dict[str, Any], record: Record) -> list[dict[str, Any]]:
    """Return the labelled spans of a result; choices, ratings and relations have none."""
    spans = []
    for region in need_list(item.get("result", []), "result", record.fail):
        value = region.get("value") if isinstance(region, dict) else None
        if isinstance(value, dict) and "start" in value and (value.get("labels") or value.get("hypertextlabels")):
            labels = value.get("labels") or value["hypertextlabels"]
            spans.append({**value, "label": labels, "score": region.get("score", value.get("score"))})
    return spans


def _name(value: Any, default: str) -> str:
    if isinstance(value, dict):
        value = value.get("email", value.get("id"))
    return str(value) if isinstance(value, (str, int)) and value != "" else default
