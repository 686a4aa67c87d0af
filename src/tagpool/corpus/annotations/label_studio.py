"""Tasks of Label Studio: ``{"data": {"text": ...}, "annotations": [{"result": [...]}], "predictions": [...]}``.

Old exports have ``completions`` instead of annotations. The labels are those of the first annotation that was not cancelled, or
of the first prediction. Others have the names of their annotator (``completed_by``) or model (``model_version``). Tags of HTML
are no text; spans have offsets in the text without them (``globalOffsets``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tagpool.corpus.annotations.annotation import DEFAULT_LAYER, Annotation, Layer, lines_of
from tagpool.corpus.annotations.html_texts import HtmlText, is_html, read_html
from tagpool.corpus.annotations.json_values import is_offset, need_list
from tagpool.corpus.annotations.losses import ATTRIBUTES, CLASSES, FURTHER_LABELS, METADATA, REJECTED, RELATIONS
from tagpool.corpus.annotations.records import Record
from tagpool.corpus.annotations.span_items import read_spans
from tagpool.corpus.jsonl import list_keys


def is_label_studio(value: Any) -> bool:
    """Return whether a value is a task."""
    return isinstance(value, dict) and isinstance(value.get("data"), dict)


def read_label_studio(record: Record) -> Annotation:
    """Read a task; one without annotations and predictions has no labels."""
    source, places = _text(record), None
    starts = [value.get("start") for value in _region_values(record.value)]
    has_paths = any(isinstance(start, str) for start in starts)
    html = read_html(source) if has_paths or (is_html(source) and not any(map(is_offset, starts))) else None
    text = source if html is None else html.text
    data = record.value["data"]
    if isinstance(data.get("tokens"), list):  # of texts that this library has written
        places = replace(record, value=data).token_places(text)
    record.losses[METADATA] += len([key for key, value in data.items() if key not in ("tokens", "document") and value != source])
    layers: dict[str, Layer] = {}
    names = (("annotations", "completed_by"), ("completions", "completed_by"), ("predictions", "model_version"))
    for key, name_key in names:
        for number, item in enumerate(need_list(record.value.get(key) or [], key, record.fail), 1):
            if not isinstance(item, dict):
                raise record.fail(f'"{key}": expected objects with a key "result", got {type(item).__name__}')
            if item.get("was_cancelled") or item.get("skipped"):
                record.losses[REJECTED] += 1
                continue
            layer = Layer(spans=read_spans(_values(item, record, html), "result", text, record))
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
    names = [value["text"] for value in _region_values(task) if isinstance(value.get("text"), str)]
    return bool(names) and all(name in text for name in names)


def _region_values(task: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the values of the regions of all annotators."""
    parts = [item for key in ("annotations", "completions", "predictions") for item in _objects(task.get(key))]
    regions = [region for item in parts for region in _objects(item.get("result"))]
    return [value for region in regions if isinstance(value := region.get("value"), dict)]


def _objects(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list; other values are refused when they are read."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _values(item: dict[str, Any], record: Record, html: HtmlText | None) -> list[dict[str, Any]]:
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
            place = {} if html is None else _place(value, html, record)
            spans.append({**value, **place, "label": labels, "score": region.get("score", value.get("score"))})
        elif isinstance(region, dict) and region.get("type") == "relation":
            record.losses[RELATIONS] += 1
        elif isinstance(value, dict):
            record.losses[ATTRIBUTES if "start" in value else CLASSES] += 1
    return spans


def _place(value: dict[str, Any], html: HtmlText, record: Record) -> dict[str, Any]:
    """Return the offsets of a span in the text of HTML, and its text; raise an error if that is not the annotated one."""
    offsets = value.get("globalOffsets")
    start, end = (offsets.get("start"), offsets.get("end")) if isinstance(offsets, dict) else (None, None)
    if not (is_offset(start) and is_offset(end)):
        advice = "export the task from a newer Label Studio"
        raise record.fail(f'the span at {value["start"]!r} in HTML has no "globalOffsets"; {advice}')
    place = html.span(start, end)
    text = "" if place is None else html.text[slice(*place)]
    expected = value.get("text", text)
    if place is None or not isinstance(expected, str) or _squeeze(text) != _squeeze(expected):
        got = f"the text at {start}-{end} of the HTML without tags is {text!r}, not {expected!r}"
        raise record.fail(f"{got}; export the task again, or annotate its text without tags")
    return {"start": place[0], "end": place[1], "text": text}


def _squeeze(text: str) -> str:
    r"""Return a text without blanks; Label Studio writes line ends as ``\n``."""
    return "".join(text.replace("\\n", " ").split())


def _name(value: Any, default: str) -> str:
    if isinstance(value, dict):
        value = value.get("email", value.get("id"))
    return str(value) if isinstance(value, (str, int)) and value != "" else default
