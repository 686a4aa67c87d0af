"""Sentences in all accepted forms, converted to a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

from tagpool.corpus.corpus import LABEL, WORD, Corpus
from tagpool.corpus.rows import as_rows
from tagpool.errors import InputError, check_type
from tagpool.wording import counted


def are_given_features(sentences: Any) -> bool:
    """True if tokens are lists or dicts of features, as for python-crfsuite.

    >>> are_given_features([[["word=Ann"]]]), are_given_features([["Ann"]])
    (True, False)
    """
    if isinstance(sentences, (Corpus, str, PathLike)) or _is_table(sentences):
        return False
    for sentence in sentences:
        if isinstance(sentence, (str, Mapping)) or hasattr(sentence, "columns"):
            return False
        check_type(sentence, Iterable, "a list of words or features for each sentence")
        for token in sentence:
            return not isinstance(token, str)
    return False


def _is_table(value: Any) -> bool:
    """True for a table of Arrow with columns; a single column (a series) is a list of sentences."""
    return hasattr(value, "__arrow_c_stream__") and (hasattr(value, "columns") or hasattr(value, "schema"))


def as_corpus(sentences: Any, labels: Sequence[Sequence[str | None]] | None = None, *, unknown: str = "") -> Corpus:
    """A corpus from lists of words, sentences, mappings of columns or a table; ``unknown`` replaces labels that are None.

    >>> as_corpus([["Ann", "left"]], [["B-PER", None]], unknown="?").labels
    [['B-PER', '?']]
    """
    if isinstance(sentences, (str, PathLike)):
        raise InputError(f"expected a corpus or a list of sentences, got {sentences!r:.80}; read a file with read_corpus(path)")
    if isinstance(sentences, Corpus):
        corpus = sentences
    elif _is_table(sentences):
        corpus = Corpus.from_arrow(sentences)
    else:
        corpus = _from_lists(as_rows(sentences))
    if labels is None:
        return corpus
    known = [[unknown if label is None else label for label in sentence] for sentence in as_rows(labels, "labels")]
    return corpus.with_labels(known)


def _from_lists(sentences: list[Any]) -> Corpus:
    if not sentences:
        return Corpus.from_columns({WORD: []})
    if isinstance(sentences[0], str):
        raise InputError("expected a list of sentences, each a list of words, got strings; use tokenize")
    columns = getattr(sentences[0], "columns", sentences[0])
    if not isinstance(columns, Mapping):
        return Corpus.from_columns({WORD: sentences})
    rows = [getattr(sentence, "columns", sentence) for sentence in sentences]
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping) or set(row) != set(columns):
            raise InputError(f"sentence {number}: expected the columns {', '.join(columns)}, as in the first sentence")
    label = getattr(sentences[0], "label_column", LABEL)
    return Corpus.from_columns({name: [row[name] for row in rows] for name in columns}, label_column=label)


def as_sentences(sentences: Any, *, features: bool = False) -> Any:
    """Sentences that can be read several times: a corpus, or a list of given features.

    ``features`` is True if sentences without tokens are given features.

    >>> as_sentences(iter([["Ann"], []])).words, as_sentences(iter([[["word=Ann"]], []]))
    ([['Ann'], []], [[['word=Ann']], []])
    """
    if isinstance(sentences, (Corpus, str, PathLike)) or _is_table(sentences):
        return as_corpus(sentences)
    rows = as_rows(sentences)
    is_given = features if not any(map(_has_tokens, rows)) else are_given_features(rows)
    return rows if is_given else as_corpus(rows)


def _has_tokens(row: Any) -> bool:
    return len(row) > 0 if hasattr(row, "__len__") else True


def training_input(sentences: Any, labels: Any = None, sample_weight: Any = None) -> tuple[Any, Any, Any]:
    """Sentences with labels and weights for a training: a corpus or given features. Sentences without tokens are left out.

    >>> training_input([["Ann"], []], [["B-PER"], []], [0.5, 2.0])[1:]
    ([['B-PER']], [0.5])
    """
    rows = as_sentences(sentences)
    labels = None if labels is None else as_rows(labels, "labels")
    weights = _weight_list(sample_weight)
    wrong = next((number for number, row in enumerate(labels or ()) if not hasattr(row, "__len__")), None)
    if wrong is not None and labels is not None:
        got = type(labels[wrong]).__name__
        raise InputError(f"sentence {wrong + 1}: expected a list of labels, one for each token, got {got}")
    if labels is not None and len(labels) != len(rows):
        raise InputError(f"expected labels for {counted(len(rows), 'sentence')}, got labels for {len(labels)}")
    is_corpus = isinstance(rows, Corpus)
    empty = rows.native.empty_sentences() if is_corpus else [number for number, row in enumerate(rows) if not len(row)]
    if len(empty) == len(rows):
        raise InputError("expected sentences with tokens, got " + ("only empty ones" if len(rows) else "an empty list"))
    if not empty:
        return rows, labels, weights
    for number in empty if labels is not None else ():
        if len(labels[number]):
            raise InputError(
                f"sentence {number + 1}: expected no labels for a sentence without tokens, got {len(labels[number])}"
            )
    if weights is not None and len(weights) != len(rows):
        raise InputError(f"sample_weight: expected {counted(len(rows), 'number')}, one per sentence, got {len(weights)}")
    chosen = sorted(set(range(len(rows))).difference(empty))
    rows = rows.drop_empty() if is_corpus else [rows[number] for number in chosen]
    labels, weights = (None if items is None else [items[number] for number in chosen] for items in (labels, weights))
    return rows, labels, weights


def _weight_list(sample_weight: Any) -> Any:
    """The weights by position; those of a pandas Series are not looked up by its index."""
    if hasattr(sample_weight, "__array__"):
        return sample_weight.__array__()
    return sample_weight if sample_weight is None or hasattr(sample_weight, "__len__") else list(sample_weight)


def labels_of(sentences: Any, labels: Any = None) -> Any:
    """The gold labels: ``labels``, or those of the corpus."""
    if labels is not None:
        return labels
    if isinstance(sentences, Corpus):
        return sentences.labels
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
        raise InputError(
            f"number={number}: the corpus has {counted(len(sentence), 'sentence')}, the first is 0", source=sentence.source
        )
    return sentence, number
