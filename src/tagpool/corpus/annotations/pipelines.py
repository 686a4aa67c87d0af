"""Output of Hugging Face's token-classification pipelines: one list of entities per text.

``[{"entity_group": "PER", "score": 0.99, "word": "Ann Lee", "start": 0, "end": 7}]``, or without aggregation one entry per piece
of a word: ``{"entity": "B-PER", "index": 1, "word": "Ann", "start": 0, "end": 3, "score": 0.99}``. Pieces are joined to spans.
Slow tokenizers have no offsets: ``start`` and ``end`` are null, and the words are located in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from statistics import fmean
from typing import Any

from tagpool.corpus.annotations.annotation import CharSpan, Place
from tagpool.corpus.annotations.json_values import is_offset, is_pipeline_entity, need_text, read_score, read_type
from tagpool.corpus.annotations.records import Record
from tagpool.corpus.jsonl import excerpt
from tagpool.corpus.transitions import label_parts
from tagpool.wording import counted

_CONTINUES = "##"  # WordPiece
_BEGINS = ("\u2581", "\u0120")  # SentencePiece, byte-level BPE


def is_pipeline_output(value: Any) -> bool:
    """Return whether a value is the output for one text; an empty list is one."""
    return isinstance(value, list) and all(map(is_pipeline_entity, value))


def pipeline_spans(entities: list[dict[str, Any]], text: str, record: Record) -> list[CharSpan]:
    """Return the spans of a pipeline's output; pieces of words and of entities are joined."""
    groups: list[tuple[CharSpan, list[float]]] = []
    for entity, (start, end) in _places(entities, text, record):
        score = read_score(entity.get("score"))
        label = need_text(entity.get("entity_group", entity.get("entity")), "entity", record.fail)
        parts = label_parts(label)
        is_piece = "entity_group" not in entity
        kind = read_type(parts.type if is_piece and parts.type else label, record.fail)
        if label == "O":
            continue
        last = groups[-1][0] if groups else None
        begins = parts.role in "BS" and bool(parts.letter)
        gap = 0 if begins else 1  # a piece with B- continues the same word only
        if is_piece and last is not None and last.type == kind and 0 <= start - last.end <= gap:
            groups[-1] = last._replace(end=end), [*groups[-1][1], *([] if score is None else [score])]
        else:
            groups.append((CharSpan(start, end, kind), [] if score is None else [score]))
    return [span._replace(score=fmean(scores) if scores else None) for span, scores in groups]


def _places(entities: list[dict[str, Any]], text: str, record: Record) -> Iterator[tuple[dict[str, Any], Place]]:
    """Yield entities with their places; a word without offsets is the next one after the previous entity."""
    after, last_index = 0, None
    for entity in entities:
        start, end, word, index = (entity.get(key) for key in ("start", "end", "word", "index"))
        if is_offset(start) and is_offset(end) and 0 <= start <= end <= len(text):
            yield entity, (start, end)
            continue
        if start is not None or end is not None or not isinstance(word, str) or not word:
            size = counted(len(text), "character")
            message = f'expected "start" and "end" within the text of {size}, or null and a "word"'
            raise record.fail(f"{message}, got {excerpt(entity)}")
        is_next = is_offset(index) and is_offset(last_index) and index == last_index + 1
        place = _locate_piece(word, text, after, is_next=is_next)
        last_index = index
        if place is None:
            record.not_located.append(word)
        else:
            after = place[1]
            yield entity, place


def _locate_piece(word: str, text: str, after: int, *, is_next: bool) -> Place | None:
    """Return the place of a word or a piece of it from ``after`` on; blanks and case may differ.

    >>> _locate_piece("##sen", "Johansen left", 5, is_next=True), _locate_piece("u . s .", "The U.S. left", 0, is_next=False)
    ((5, 8), (4, 8))
    """
    letters = "".join(word.removeprefix(_CONTINUES).lstrip("".join(_BEGINS)).split())
    pattern = r"\s*".join(map(re.escape, letters))
    if not pattern:
        return None
    continued = re.compile(pattern, re.IGNORECASE).match(text, after)
    if continued and (word.startswith(_CONTINUES) or (is_next and not word.startswith(_BEGINS))):
        return continued.span()
    for expression in (rf"(?<!\w){pattern}", pattern):
        if found := re.compile(expression, re.IGNORECASE).search(text, after):
            return found.span()
    return None
