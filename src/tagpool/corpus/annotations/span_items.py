"""Spans in a list: ``[0, 3, "PER"]``, objects with offsets, objects with the text of an entity only, or names by type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tagpool.corpus.annotations.annotation import CharSpan
from tagpool.corpus.annotations.json_values import is_offset, read_score, read_type
from tagpool.corpus.annotations.locating import NamedEntity, locate
from tagpool.corpus.annotations.records import Record
from tagpool.corpus.jsonl import excerpt
from tagpool.wording import counted

_OFFSETS = (("start", "end"), ("start_offset", "end_offset"), ("start_char", "end_char"), ("begin", "end"))
_TYPES = ("label", "labels", "type", "entity_group", "entity_type", "tag", "category", "class", "entity")
_NAMES = ("text", "word", "name", "mention", "span", "surface", "value", "entity")
_SCORES = ("score", "confidence", "probability")
_OUTSIDE = "O"


def read_spans(value: Any, key: str, text: str, record: Record) -> list[CharSpan]:
    """Return the spans of a list, or of a mapping from types to names; collect the names that the text does not have."""
    items = [_read_item(item, key, text, record) for item in _items(value, key, text, record)]
    spans = [item for item in items if isinstance(item, CharSpan) and item.type != _OUTSIDE]
    named = [item for item in items if isinstance(item, NamedEntity) and item.type != _OUTSIDE]
    located, missing = locate(text, named)
    record.not_located.extend(entity.text for entity in missing)
    return sorted(spans + located, key=lambda span: span[:3])


def are_named(value: Any) -> bool:
    """Return whether spans are names without offsets: a list of objects, or names by type."""
    lists = list(value.values()) if isinstance(value, dict) else [value]
    items = [item for entries in lists if isinstance(entries, list) for item in entries]
    return bool(items) and all(isinstance(item, str) or (isinstance(item, dict) and "start" not in item) for item in items)


def _is_entity(value: dict[str, Any]) -> bool:
    """Return whether a mapping is one entity, and not names by type."""
    known = {*_TYPES, *_NAMES, *_SCORES, *(key for pair in _OFFSETS for key in pair)}
    return value.keys() <= known and len(value) > 1 and any(isinstance(value.get(name), str) for name in _NAMES)


def _items(value: Any, key: str, text: str, record: Record) -> Iterator[Any]:
    """Yield the spans of a list, or those of ``{"PER": ["Ann Lee", [0, 7]]}``."""
    if isinstance(value, list):
        yield from value
    elif isinstance(value, dict) and _is_entity(value):
        yield value
    elif isinstance(value, dict):
        for name, entries in value.items():
            if isinstance(entries, str) and entries.lower() not in text.lower() and name.lower() in text.lower():
                name, entries = entries, name  # {"Ann Lee": "PER"}
            for entry in entries if isinstance(entries, list) else [] if entries is None else [entries]:
                if isinstance(entry, dict):
                    yield {"label": name, **entry}
                else:
                    yield [*entry, name] if isinstance(entry, list) else [entry, name]
    elif value is not None:
        raise record.fail(_expected(key, value))


def _expected(key: str, got: Any) -> str:
    forms = '[0, 3, "PER"], {"start": 0, "end": 3, "label": "PER"} or {"text": "Ann", "label": "PER"}'
    return f'"{key}": expected spans such as {forms}, got {excerpt(got)}'


def _read_item(item: Any, key: str, text: str, record: Record) -> CharSpan | NamedEntity:
    if isinstance(item, list):
        if len(item) >= 3 and is_offset(item[0]) and is_offset(item[1]):
            score = read_score(item[3]) if len(item) > 3 else None
            return _check(CharSpan(item[0], item[1], read_type(item[2], record.fail), score), None, text, record)
        if len(item) == 2 and all(isinstance(part, str) for part in item):
            return NamedEntity(item[0], read_type(item[1], record.fail))
    if isinstance(item, dict):
        score = next((read_score(item[name]) for name in _SCORES if name in item), None)
        for first, last in _OFFSETS:
            if is_offset(item.get(first)) and is_offset(item.get(last)):
                span = CharSpan(item[first], item[last], _type(item, "", key, record), score)
                surface = item.get("text")
                return _check(span, surface if isinstance(surface, str) else None, text, record)
        name = next((name for name in _NAMES if isinstance(item.get(name), str)), None)
        if name is not None:
            return NamedEntity(item[name], _type(item, name, key, record), score)
    raise record.fail(_expected(key, item))


def _type(item: dict[str, Any], name: str, key: str, record: Record) -> str:
    """Return the type of an object; ``name`` is the key of its text."""
    for other in _TYPES:
        value = item.get(other)
        if other != name and value:
            return read_type(value[0] if isinstance(value, list) else value, record.fail)
    raise record.fail(f'"{key}": {excerpt(item)} has no type; expected one of the keys {", ".join(map(repr, _TYPES))}')


def _check(span: CharSpan, surface: str | None, text: str, record: Record) -> CharSpan | NamedEntity:
    """Return a span that is inside the text; if its own text differs, correct offsets in UTF-16, or locate the text."""
    fits = 0 <= span.start < span.end <= len(text)
    if surface is not None and surface.strip() and (not fits or text[span.start : span.end].split() != surface.split()):
        start, end = (utf16_offset(text, offset) for offset in span[:2])
        if start is not None and end is not None and text[start:end].split() == surface.split():
            return span._replace(start=start, end=end)
        if "".join(surface.split()).lower() in "".join(text.split()).lower():
            record.note(f"span [{span.start}, {span.end}, {span.type!r}] is not {surface!r}: used the place of that text")
            return NamedEntity(surface, span.type, span.score, span.start)
    if not 0 <= span.start <= span.end <= len(text):
        length = counted(len(text), "character")
        raise record.fail(f"span [{span.start}, {span.end}, {span.type!r}] is outside the text of {length}")
    return span


def utf16_offset(text: str, offset: int) -> int | None:
    """Return the character at an offset in UTF-16 units, which annotation tools in browsers count; None if the text is shorter.

    >>> utf16_offset("\U0001f600 Ann", 3), utf16_offset("Ann", 1), utf16_offset("Ann", 9)
    (2, 1, None)
    """
    units = 0
    for index, character in enumerate(text):
        if units >= offset:
            return index if units == offset else None
        units += 2 if ord(character) > 0xFFFF else 1
    return len(text) if units == offset else None
