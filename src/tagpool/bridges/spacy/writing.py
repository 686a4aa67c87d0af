"""Writing of labels into documents of spaCy: entities, span groups or tags, with their probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from spacy.parts_of_speech import IDS
from spacy.tokens import SpanGroup

from tagpool.bridges.spacy.extensions import MARK, SCORE, SCORES
from tagpool.bridges.spacy.sentence_labels import SentenceLabels
from tagpool.corpus.spacy.annotations import ENTITIES, POS, Annotation
from tagpool.corpus.spacy.attributes import EMPTY
from tagpool.corpus.spacy.spans import place_spans
from tagpool.errors import InputError


def write_labels(
    document: Any,
    annotation: Annotation,
    sentences: Sequence[Sequence[int]],
    results: Sequence[SentenceLabels],
    *,
    overwrite: bool,
) -> None:
    """Set the annotation of a document. ``sentences`` are token numbers; spans are stored in the group ``annotation.key``."""
    if annotation.is_spans:
        group = _span_group(document, annotation.key, sentences, results)
        document.spans[annotation.key] = group
        if annotation.kind == ENTITIES:
            document.ents = list(group) if overwrite else _added_entities(document, group)
    else:
        labels = [(number, label) for pair in zip(sentences, results, strict=True) for number, label in _labelled(*pair)]
        _set_tags(document, f"{annotation.kind}_", labels, overwrite=overwrite)
    if all(one.probabilities is not None for one in results):
        scores: list[float | None] = [None] * len(document)
        for numbers, one in zip(sentences, results, strict=True):
            for number, probability in zip(numbers, one.probabilities or (), strict=True):
                scores[number] = probability
        document.user_data[SCORE] = scores


def _span_group(document: Any, key: str, sentences: Sequence[Sequence[int]], results: Sequence[SentenceLabels]) -> SpanGroup:
    spans = place_spans(document, sentences, (one.spans for one in results))
    attributes: dict[str, Any] = {MARK: True}
    if all(one.span_probabilities is not None for one in results):
        values = [value for one in results for value in one.span_probabilities or ()]
        attributes[SCORES] = np.array(values, np.float64)
    return SpanGroup(document, name=key, attrs=attributes, spans=spans)


def _added_entities(document: Any, group: Any) -> list[Any]:
    """Return the entities of a document, and the spans that do not overlap them."""
    taken = {token.i for entity in document.ents for token in entity}
    return [*document.ents, *(span for span in group if not any(token.i in taken for token in span))]


def _labelled(numbers: Sequence[int], one: SentenceLabels) -> Iterator[tuple[int, str]]:
    return zip(numbers, one.labels, strict=True)


def _set_tags(document: Any, name: str, labels: Iterable[tuple[int, str]], *, overwrite: bool) -> None:
    for number, label in labels:
        if overwrite or not getattr(document[number], name):
            setattr(document[number], name, "" if label == EMPTY else label)


def check_labels(annotation: Annotation, labels: Sequence[str], *, plain: bool, where: str) -> None:
    """Raise an InputError if a model with these labels does not suit an annotation."""
    shown = ", ".join(sorted(labels)[:4]) + (", ..." if len(labels) > 4 else "")
    if annotation.is_spans and plain:
        advice = 'set "annotates": "tag" or "pos", or train a model on spans'
        raise InputError(f"{where}: expected a model of spans, and its labels are {shown}; {advice}")
    if not annotation.is_spans and not plain:
        raise InputError(f'{where}: expected a model of tags, and its labels are {shown}; set "annotates": "entities" or "spans"')
    unknown = sorted({*labels} - {*IDS, EMPTY}) if annotation.kind == POS else []
    if unknown:
        shown = ", ".join(unknown[:4]) + (", ..." if len(unknown) > 4 else "")
        advice = 'set "annotates": "tag"'
        raise InputError(f"{where}: expected universal parts of speech such as NOUN, and some labels are {shown}; {advice}")
