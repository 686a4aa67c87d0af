"""Projection of the labels of an annotation to the tokens of a sentence, through characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tagpool.corpus.annotations.annotation import Annotation, CharSpan, Layer, Place
from tagpool.corpus.annotations.losses import OVERLAPPING, WITHOUT_TOKEN
from tagpool.corpus.annotations.span_alignment import align_spans
from tagpool.corpus.schemes import to_labels
from tagpool.pools.expert_files.label_types import OUTSIDE, LabelReader


class Projected(NamedTuple):
    """Labels of the tokens of a sentence (None abstains), their confidences if known, and notes on what did not fit."""

    labels: list[str | None]
    scores: list[float | None] | None
    notes: list[str]


def project(annotation: Annotation, layer: Layer, words: Sequence[str], reader: LabelReader) -> Projected:
    """Return the labels of a layer for words, which have the same text, or as many tokens."""
    if layer.labels is not None and annotation.words is not None and len(annotation.words) == len(words):
        return Projected(reader.convert(layer.labels), layer.scores, [])
    places = word_places(annotation, words)
    if layer.labels is None:
        renamed = [span._replace(type=reader.rename_type(span.type)) for span in layer.spans or ()]
        projected = _from_spans([span for span in renamed if span.type != OUTSIDE], places, annotation, reader)
        if layer.partial:
            return projected._replace(labels=[None if label == OUTSIDE else label for label in projected.labels])
        return projected
    return _from_labels(layer, places, annotation, reader)


def word_places(annotation: Annotation, words: Sequence[str]) -> list[Place]:
    """Return the begin and end of words in the text of an annotation; blanks may differ."""
    text = annotation.running_text
    letters = [index for index, letter in enumerate(text) if not letter.isspace()]
    places, at = [], 0
    for word in words:
        length = len("".join(word.split()))
        first = letters[at] if at < len(letters) else len(text)
        places.append((first, letters[at + length - 1] + 1 if length else first))
        at += length
    return places


def _from_labels(layer: Layer, places: list[Place], annotation: Annotation, reader: LabelReader) -> Projected:
    """Project labels of other tokens: spans as spans, plain labels from the token of the first character."""
    labels, token_places = layer.labels or [], annotation.token_places
    owners = _owners(places, token_places)
    token_scores = layer.scores or [None] * len(labels)
    if not reader.has_spans:
        converted, notes = reader.convert(labels), []
        if any(len({converted[token] for token in tokens}) > 1 for tokens in owners):
            notes.append(annotation.at("a token has several labels here, since the tokens differ: used the first"))
        chosen = [tokens[0] if tokens else None for tokens in owners]
        result = [None if token is None else converted[token] for token in chosen]
        return Projected(result, [None if token is None else token_scores[token] for token in chosen], notes)
    spans = []
    for start, end, kind in reader.spans(labels):
        scores = [score for score in token_scores[start:end] if score is not None]
        mean = sum(scores) / len(scores) if scores else None
        spans.append(CharSpan(token_places[start][0], token_places[end - 1][1], kind, mean))
    projected = _from_spans(spans, places, annotation, reader)
    abstains = [any(labels[token] is None for token in tokens) for tokens in owners]
    result = [None if empty else label for label, empty in zip(projected.labels, abstains, strict=True)]
    return Projected(result, projected.scores, projected.notes)


def _owners(places: list[Place], token_places: list[Place]) -> list[list[int]]:
    """Return the tokens that every place overlaps; both lists are sorted."""
    owners: list[list[int]] = []
    first = 0
    for start, end in places:
        while first < len(token_places) and token_places[first][1] <= start:
            first += 1
        last = first
        while last < len(token_places) and token_places[last][0] < end:
            last += 1
        owners.append(list(range(first, last)))
    return owners


def _from_spans(spans: list[CharSpan], places: list[Place], annotation: Annotation, reader: LabelReader) -> Projected:
    """Write spans as labels. Spans that overlap compete by score if all have one, else the first one is used."""
    notes: list[str] = []
    scores: list[float | None] = [None] * len(places)
    aligned = align_spans(spans, places)
    for span, problem in aligned.problems:
        start, end = span.start + annotation.offset, span.end + annotation.offset
        where = annotation.at(f"span [{start}, {end}, {span.type!r}]", span.line)
        notes.append(f"{where} {_message(span, problem)}")
    for (first, last, _), span in aligned.spans:
        scores[first:last] = [span.score] * (last - first)
    labels: list[str | None] = [*to_labels([used for used, _ in aligned.spans], len(places), reader.span_target)]
    return Projected(labels, scores, notes)


def _message(span: CharSpan, problem: str) -> str:
    if problem == OVERLAPPING:
        return f"overlaps {'a better' if span.score is not None else 'the previous'} one: ignored"
    return "contains no token: ignored" if problem == WITHOUT_TOKEN else "cuts a token: extended to whole tokens"
