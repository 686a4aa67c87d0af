"""Places of entities that a record names by their text only, as language models do."""

from __future__ import annotations

import re
from collections.abc import Iterable
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
    come before parts of words, and the same case before another one. Blanks match any blanks.

    >>> locate("Lee met Ann Lee.", [NamedEntity("Ann Lee", "PER"), NamedEntity("LEE", "PER"), NamedEntity("Bob", "PER")])
    ... # doctest: +NORMALIZE_WHITESPACE
    ([CharSpan(start=8, end=15, type='PER', score=None, line=None), CharSpan(start=0, end=3, type='PER', score=None, line=None)],
     [NamedEntity(text='Bob', type='PER', score=None, near=None)])
    """
    spans: list[CharSpan] = []
    missing: list[NamedEntity] = []
    after = 0
    for entity in entities:
        place = _find(text, entity, [(span.start, span.end) for span in spans], after)
        if place is None:
            missing.append(entity)
        else:
            spans.append(CharSpan(*place, entity.type, entity.score))
            after = place[1]
    return spans, missing


def _find(text: str, entity: NamedEntity, used: list[Place], after: int) -> Place | None:
    pattern = r"\s+".join(map(re.escape, entity.text.split()))
    if not pattern:
        return None
    for expression in (rf"(?<!\w){pattern}(?!\w)", pattern):
        for flags in (0, re.IGNORECASE):
            matches = [match.span() for match in re.finditer(expression, text, flags)]
            free = [place for place in matches if all(place[1] <= start or end <= place[0] for start, end in used)]
            if free and entity.near is not None:
                near = entity.near
                return min(free, key=lambda place: abs(place[0] - near))
            if free:
                return next((place for place in free if place[0] >= after), free[0])
    return None
