"""Sentences in all accepted forms, converted to a corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from tagpool.corpus.corpus import LABEL, WORD, Corpus
from tagpool.errors import InputError


def are_given_features(sentences: Any) -> bool:
    """True if tokens are lists or dicts of features, as for python-crfsuite.

    >>> are_given_features([[["word=Ann"]]]), are_given_features([["Ann"]])
    (True, False)
    """
    if isinstance(sentences, (Corpus, str, PathLike)):
        return False
    for sentence in sentences:
        if isinstance(sentence, (str, Mapping)) or hasattr(sentence, "columns"):
            return False
        for token in sentence:
            return not isinstance(token, str)
    return False


def as_corpus(sentences: Any, labels: Sequence[Sequence[str | None]] | None = None, *, unknown: str = "") -> Corpus:
    """A corpus from lists of words, sentences or mappings of columns; ``unknown`` replaces labels that are None.

    >>> as_corpus([["Ann", "left"]], [["B-PER", None]], unknown="?").labels
    [['B-PER', '?']]
    """
    if isinstance(sentences, (str, PathLike)):
        raise InputError(f"expected a corpus or a list of sentences, got {sentences!r:.80}; read a file with read_corpus(path)")
    corpus = sentences if isinstance(sentences, Corpus) else _from_lists(list(sentences))
    if labels is None:
        return corpus
    known = [[unknown if label is None else label for label in sentence] for sentence in labels]
    return corpus.with_labels(known)


def _from_lists(sentences: list[Any]) -> Corpus:
    if not sentences:
        raise InputError("expected sentences, got an empty list")
    if isinstance(sentences[0], str):
        raise InputError("expected a list of sentences, each a list of words, got strings; use tokenize")
    columns = getattr(sentences[0], "columns", sentences[0])
    if not isinstance(columns, Mapping):
        return Corpus.from_columns({WORD: sentences})
    rows = [getattr(sentence, "columns", sentence) for sentence in sentences]
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping) or set(row) != set(columns):
            raise InputError(f"sentence {number}: expected the columns {', '.join(columns)}, as in the first sentence")
    return Corpus.from_columns({name: [row[name] for row in rows] for name in columns})


def labels_of(sentences: Any, labels: Any = None) -> Any:
    """The gold labels: ``labels``, or those of the corpus."""
    if labels is not None:
        return labels
    if isinstance(sentences, Corpus):
        return sentences.labels
    if sentences and hasattr(sentences[0], "labels"):
        return [sentence.labels for sentence in sentences]
    raise InputError(f"expected labels beside the sentences, or a Corpus with a column {LABEL!r}")


def one_sentence(sentence: Any, number: int = 0) -> tuple[Corpus, int]:
    """A corpus and the number of a sentence in it, from a corpus, a list of words or a mapping of columns.

    >>> corpus, number = one_sentence(["Ann", "left"])
    >>> corpus.words, number
    ([['Ann', 'left']], 0)
    """
    if isinstance(sentence, str):
        raise InputError(f"expected a sentence as a list of words, got {sentence!r:.80}; split a text into words with tokenize")
    if not isinstance(sentence, Corpus):
        return as_corpus([sentence]), 0
    if not 0 <= number < len(sentence):
        raise InputError(f"number={number}: the corpus has {len(sentence)} sentences, the first is 0", source=sentence.source)
    return sentence, number
