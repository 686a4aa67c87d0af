"""Columns of documents: the words and the attributes of tokens that a model reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tagpool.corpus.corpus import WORD, Corpus
from tagpool.corpus.spacy.attributes import ATTRIBUTES, EMPTY
from tagpool.errors import InputError


def check_columns(names: Iterable[str], where: str) -> None:
    """Raise an InputError for a column that documents of spaCy do not have."""
    for name in names:
        if name not in ATTRIBUTES:
            known = ", ".join(ATTRIBUTES)
            advice = "train a model whose templates read others, such as CRF('ner')"
            raise InputError(f"{where}: the model reads the column {name}; spaCy has {known}; {advice}")


def token_values(document: Any, sentences: Sequence[Sequence[int]], name: str, where: str) -> list[list[str]]:
    """Return the values of a column for each sentence; raise an InputError if no component has set the attribute."""
    attribute = ATTRIBUTES[name]
    if attribute.name and sentences and not document.has_annotation(attribute.name):
        shown = f"token.{attribute.name.lower()}"
        advice = "set it with an earlier component, such as a tagger"
        raise InputError(f"{where}: the model reads the column {name}, and {shown} is not set; {advice}")
    empty = "" if name == "space" else EMPTY
    return [[attribute.value(document[number]) or empty for number in sentence] for sentence in sentences]


def build_corpus(
    documents: Sequence[Any], sentences: Sequence[Sequence[Sequence[int]]], columns: Iterable[str], where: str
) -> Corpus:
    """Return the corpus of documents, with their words and further columns."""
    names = dict.fromkeys((WORD, *columns))
    values = {
        name: [row for one in zip(documents, sentences, strict=True) for row in token_values(*one, name, where)] for name in names
    }
    return Corpus.from_columns(values, documents=document_starts(sentences))


def document_starts(sentences: Sequence[Sequence[Sequence[int]]]) -> list[int]:
    """Return the number of the first sentence of each document that has sentences.

    >>> document_starts([[[0, 1], [2]], [], [[0]]])
    [0, 2]
    """
    starts, count = [], 0
    for rows in sentences:
        if rows:
            starts.append(count)
        count += len(rows)
    return starts
