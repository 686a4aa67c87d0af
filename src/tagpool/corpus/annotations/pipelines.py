"""Output of Hugging Face's token-classification pipelines: one list of entities per text.

``[{"entity_group": "PER", "score": 0.99, "word": "Ann Lee", "start": 0, "end": 7}]``, or without aggregation one entry per piece
of a word: ``{"entity": "B-PER", "index": 1, "word": "Ann", "start": 0, "end": 3, "score": 0.99}``. Pieces are joined to spans.
"""

from __future__ import annotations

from statistics import fmean
from typing import Any

from tagpool.corpus.annotations.annotation import Annotation, CharSpan
from tagpool.corpus.annotations.json_values import is_offset, is_pipeline_entity, need_text, read_score, read_type
from tagpool.corpus.annotations.records import Record
from tagpool.corpus.jsonl import excerpt
from tagpool.corpus.transitions import label_parts


def is_pipeline_output(value: Any) -> bool:
    """Return whether a value is the output for one text; an empty list is one."""
    return isinstance(value, list) and all(map(is_pipeline_entity, value))


def read_pipeline_output(record: Record) -> Annotation:
    """Read a list without its text: it belongs to the sentence with the same number."""
    return record.with_spans(pipeline_spans(record.value, record))


def pipeline_spans(entities: list[dict[str, Any]], record: Record) -> list[CharSpan]:
    """Return the spans of a pipeline's output; pieces of words and of entities are joined."""
    groups: list[tuple[CharSpan, list[float]]] = []
    for entity in entities:
        start, end, score = entity.get("start"), entity.get("end"), read_score(entity.get("score"))
        if not (is_offset(start) and is_offset(end) and 0 <= start <= end):
            tokenizer = "use a fast tokenizer, which knows the offsets"
            raise record.fail(f'expected "start" and "end" of an entity, got {excerpt(entity)}; {tokenizer}')
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
