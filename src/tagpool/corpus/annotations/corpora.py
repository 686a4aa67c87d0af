"""Corpora of annotations: the labels of one annotator, with the blanks of the text, and a count of everything that is lost."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tagpool.corpus.annotations.annotation import DEFAULT_LAYER, Annotation, Layer, Place
from tagpool.corpus.annotations.losses import (
    ANNOTATORS,
    BLANKS,
    CUTTING,
    INCOMPLETE_TOKENS,
    NOT_LOCATED,
    REJECTED,
    SCORES,
    UNKNOWN_TOKENS,
    Losses,
)
from tagpool.corpus.annotations.reading import parse_annotations
from tagpool.corpus.annotations.span_alignment import align_spans
from tagpool.corpus.corpus import LABEL, WORD, Corpus
from tagpool.corpus.files import source_name
from tagpool.corpus.jsonl import Misaligned
from tagpool.corpus.schemes import Scheme, to_labels
from tagpool.corpus.text import SPACE
from tagpool.corpus.unknown_labels import UNKNOWN
from tagpool.errors import InputError


def read_tool_corpus(
    path: str | Path,
    *,
    kind: str | None = None,
    misaligned: Misaligned | None = None,
    encoding: str = "utf-8",
    losses: Losses | None = None,
) -> Corpus:
    """Read a file of an annotation tool; ``kind`` is its format (default: from the name), and ``losses`` count what is lost.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "prodigy.jsonl")
    >>> _ = path.write_text('{"text": "Ann left.", "spans": [{"start": 0, "end": 3, "label": "PER"}], "answer": "accept"}')
    >>> read_tool_corpus(path).labels
    [['B-PER', 'O', 'O']]
    """
    annotations = parse_annotations(path, kind=kind, encoding=encoding)
    if annotations is None:
        raise InputError("expected a file of an annotation tool, got columns", source=source_name(path))
    return as_corpus(annotations, source_name(path), misaligned, Losses() if losses is None else losses)


def as_corpus(annotations: Sequence[Annotation], source: str, misaligned: Misaligned | None, losses: Losses) -> Corpus:
    """Return the sentences of annotations.

    Labels are those of the first annotator. The longest of overlapping spans is used, since it contains the others. Texts that
    were rejected are left out. A label is ``?`` where it is unknown whether the token is in a span. A document begins with every
    annotation if one has several sentences or the name of its document.
    """
    columns: dict[str, list[list[str]]] = {WORD: [], SPACE: [], LABEL: []}
    documents: list[int] = []
    is_marked, last = False, None
    for one in annotations:
        losses.update(one.losses)
        losses[NOT_LOCATED] += len(one.not_located)
        if one.losses[REJECTED] and not one.layers:
            continue
        first = len(columns[WORD])
        _add_sentences(columns, one, misaligned, losses)
        is_marked = is_marked or one.document is not None or len(columns[WORD]) - first > 1
        if len(columns[WORD]) > first and (one.document is None or one.document != last):
            documents.append(first)
        last = one.document
    if not any(columns[WORD]):
        raise InputError("expected sentences with words, got none", source=source)
    if not any(_layer(one) and one.is_annotated for one in annotations):
        del columns[LABEL]
    losses[UNKNOWN_TOKENS] += sum(row.count(UNKNOWN) for row in columns.get(LABEL, ()))
    return Corpus.from_columns(columns, documents=documents if is_marked else (), source=source)


def _layer(one: Annotation) -> Layer | None:
    """Return the labels of the first annotator; None if the text has none."""
    return one.layers.get(DEFAULT_LAYER, next(iter(one.layers.values()), None)) if one.is_annotated is not False else None


def _add_sentences(columns: dict[str, list[list[str]]], one: Annotation, misaligned: Misaligned | None, losses: Losses) -> None:
    if one.words is None and _has_gaps(one):
        losses[INCOMPLETE_TOKENS] += 1
        one = replace(one, places=None)
    places, text, layer = one.token_places, one.running_text, _layer(one)
    losses[ANNOTATORS] += max(0, len({id(other) for other in one.layers.values()}) - 1)
    labels = [UNKNOWN] * len(places) if layer is None else _labels(one, layer, misaligned, losses)
    if places:
        losses[BLANKS] += places[0][0]
    ends = [*(start for start, _ in places[1:]), len(text)]
    for first, last in _sentences(one, labels):
        columns[WORD].append([one.words[at] if one.words else text[slice(*places[at])] for at in range(first, last)])
        columns[SPACE].append([text[places[at][1] : ends[at]] for at in range(first, last)])
        columns[LABEL].append(labels[first:last])


def _has_gaps(one: Annotation) -> bool:
    """Return whether some characters of the text that are no blanks are in no token."""
    bounds = [0, *(end for place in one.token_places for end in place), len(one.running_text)]
    return any(one.running_text[start:end].strip() for start, end in zip(bounds[::2], bounds[1::2], strict=True))


def _labels(one: Annotation, layer: Layer, misaligned: Misaligned | None, losses: Losses) -> list[str]:
    if layer.labels is not None:
        losses[SCORES] += sum(score is not None for score in layer.scores or ())
        return [UNKNOWN if label is None else label for label in layer.labels]
    aligned = align_spans(layer.spans or [], one.token_places, longest=True)
    losses[SCORES] += sum(span.score is not None for span in layer.spans or ())
    dropped = set()
    for span, problem in aligned.problems:
        losses[problem] += 1
        if problem == CUTTING and misaligned == "error":
            message = f"span [{span.start}, {span.end}, {span.type!r}] cuts a token"
            advice = "correct it, or read with misaligned expand or drop (--misaligned)"
            raise InputError(f"{message}; {advice}", source=one.source, line=span.line or one.line)
        if problem == CUTTING and misaligned == "drop":
            dropped.add(span)
    used = [span for span, original in aligned.spans if original not in dropped]
    labels = to_labels(used, len(one.token_places), Scheme.BIO2)
    return [UNKNOWN if layer.partial and label == "O" else label for label in labels]


def _sentences(one: Annotation, labels: Sequence[str]) -> list[Place]:
    """Return the first token of each sentence and the one after its last. A boundary inside a span is no boundary."""
    if not one.token_places:
        return [] if one.sentences else [(0, 0)]
    starts = [start for start, _ in one.token_places]
    firsts = [0]
    for begin, _ in one.sentences[1:]:
        at = bisect_left(starts, begin)
        if firsts[-1] < at < len(starts) and not labels[at].startswith("I-"):
            firsts.append(at)
    return list(zip(firsts, [*firsts[1:], len(starts)], strict=True))
