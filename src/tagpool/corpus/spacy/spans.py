"""Spans of sentences as spans of a spaCy document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tagpool.corpus.schemes import Span
from tagpool.corpus.spacy.library import import_spacy


def place_spans(document: Any, sentences: Iterable[Sequence[int]], rows: Iterable[Iterable[Span]]) -> list[Any]:
    """Return the spans of each sentence as spans of the document. ``sentences`` are the token numbers of each sentence."""
    tokens = import_spacy("spans").tokens
    return [
        tokens.Span(document, numbers[span.start], numbers[span.end - 1] + 1, label=span.type)
        for numbers, row in zip(sentences, rows, strict=True)
        for span in row
    ]


def number_tokens(rows: Sequence[Sequence[Any]]) -> list[list[int]]:
    """Return the token numbers of sentences in a document without other tokens.

    >>> number_tokens([["Ann", "left"], ["Rain"]])
    [[0, 1], [2]]
    """
    numbers = iter(range(sum(map(len, rows))))
    return [[next(numbers) for _ in row] for row in rows]
