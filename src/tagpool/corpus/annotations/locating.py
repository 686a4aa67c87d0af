"""Places of entities that a record names by their text only, as language models do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from tagpool.corpus.annotations.annotation import CharSpan, Place


class NamedEntity(NamedTuple):
    """Text of an entity without its place; ``near`` is a place that was wrong."""

    text: str
    type: str
    score: float | None = None
    near: int | None = None


def locate(text: str, entities: Iterable[NamedEntity]) -> tuple[list[CharSpan], list[NamedEntity]]:
    """Return the spans of named entities, and the entities that do not occur.

    An entity is the next occurrence after the previous entity that no other one uses; without one there, the first. Whole words
    come before parts of words, and the same case before another one. Blanks match any blanks. A name that is part of a longer
    one in the list is elsewhere, if it can be.

    >>> locate("Lee met Ann Lee.", [NamedEntity("Ann Lee", "PER"), NamedEntity("LEE", "PER"), NamedEntity("Bob", "PER")])
    ... # doctest: +NORMALIZE_WHITESPACE
    ([CharSpan(start=8, end=15, type='PER', score=None, line=None), CharSpan(start=0, end=3, type='PER', score=None, line=None)],
     [NamedEntity(text='Bob', type='PER', score=None, near=None)])
    """
    items = list(entities)
    places: dict[int, CharSpan] = {}
    after = 0
    for number, entity in enumerate(items):
        place = _find(text, entity, _used(places), after, _longer(text, entity, items))
        if place is not None:
            places[number] = CharSpan(*place, entity.type, entity.score)
            after = place[1]
    for number, entity in enumerate(items):  # what is left occurs only inside longer names, which may have other places
        if number not in places and (place := _find(text, entity, _used(places), 0, [])):
            places[number] = CharSpan(*place, entity.type, entity.score)
    missing = [entity for number, entity in enumerate(items) if number not in places]
    return [places[number] for number in sorted(places)], missing


def _used(spans: Mapping[int, CharSpan]) -> list[Place]:
    return [(span.start, span.end) for span in spans.values()]


def _longer(text: str, entity: NamedEntity, entities: Sequence[NamedEntity]) -> list[Place]:
    """Return the places of longer names that contain the name of an entity."""
    names = {other.text for other in entities if len(other.text) > len(entity.text) and entity.text in other.text}
    return [match.span() for name in names for match in re.finditer(re.escape(name), text)]


def _find(text: str, entity: NamedEntity, used: list[Place], after: int, longer: list[Place]) -> Place | None:
    pattern = r"\s+".join(map(re.escape, entity.text.split()))
    if not pattern:
        return None
    for expression in (rf"(?<!\w){pattern}(?!\w)", pattern):
        for flags in (0, re.IGNORECASE):
            matches = [match.span() for match in re.finditer(expression, text, flags)]
            others = [*used, *longer]
            free = [place for place in matches if all(place[1] <= start or end <= place[0] for start, end in others)]
            if free and entity.near is not None:
                near = entity.near
                return min(free, key=lambda place: abs(place[0] - near))
            if free:
                return next((place for place in free if place[0] >= after), free[0])
    return None
