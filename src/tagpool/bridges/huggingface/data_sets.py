"""Corpora from and to data sets of the library ``datasets``."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import Any

from tagpool.bridges.huggingface.library import require
from tagpool.corpus.arrow import TOKENS, Columns
from tagpool.corpus.class_labels import NER_TAGS, class_names, with_names
from tagpool.corpus.corpus import WORD, Corpus
from tagpool.errors import InputError, check_type


def from_dataset(dataset: Any, *, columns: Columns | None = None) -> Corpus:
    """Return a corpus of a ``datasets.Dataset``, one split of a data set.

    Args:
        dataset: Rows with lists of tokens and of labels. Numbers of labels (``ClassLabel``) become their names.
        columns: The columns to read, with new names, such as ``{"tokens": "word", "pos_tags": "label"}`` (default: ``tokens`` is
            the word, ``ner_tags`` or the only column of labels is the label).

    >>> from_dataset(to_dataset(Corpus.from_lists(word=[["Ann", "left"]], label=[["B-PER", "O"]]))).labels
    [['B-PER', 'O']]
    """
    if not hasattr(dataset, "with_format"):
        splits = f"; choose a split: {', '.join(map(str, dataset))}" if isinstance(dataset, dict) else ""
        raise InputError(f"expected a datasets.Dataset, got {type(dataset).__name__}{splits}")
    if isinstance(dataset, dict):
        raise InputError(f"expected one split of a data set, got {', '.join(map(str, dataset))}; choose one: dataset['train']")
    if not hasattr(dataset, "num_rows"):
        raise InputError(f"expected a datasets.Dataset, got {type(dataset).__name__}, a stream; load it without streaming=True")
    table = dataset.with_format("arrow")[:]
    names = class_names(table.schema.metadata)
    return Corpus.from_arrow(with_names(table, names, rename=columns is None), columns=columns)


def to_dataset(corpus: Corpus, *, label: str = NER_TAGS) -> Any:
    """Return a ``datasets.Dataset`` with a column ``tokens``, and labels as ``Sequence(ClassLabel)``.

    Args:
        corpus: Sentences; further columns keep their names. Documents are numbers in a column ``document``.
        label: Name of the column of labels.

    >>> to_dataset(Corpus.from_lists(word=[["Ann", "left"]], label=[["B-PER", "O"]])).features["ner_tags"].feature.names
    ['O', 'B-PER']
    """
    check_type(corpus, Corpus, "a Corpus; make one with read_corpus(path) or Corpus.from_lists(word=...)")
    datasets = require("datasets", "to_dataset")
    texts = datasets.Sequence(datasets.Value("string"))
    words = WORD if WORD in corpus.columns else corpus.columns[0]
    names = {name: TOKENS if name == words else label if name == corpus.label_column else name for name in corpus.columns}
    if len(set(names.values())) < len(names):
        raise InputError(f"two columns would be called {TOKENS} or {label}; rename one with with_columns")
    values: dict[str, Any] = {new: corpus.column(name) for name, new in names.items()}
    features = dict.fromkeys(values, texts)
    if corpus.label_column is not None:
        classes = _class_names(values[label])
        numbers = {name: number for number, name in enumerate(classes)}
        values[label] = [[numbers[name] for name in row] for row in values[label]]
        features[label] = datasets.Sequence(datasets.ClassLabel(names=classes))
    if corpus.document_starts:
        starts = set(corpus.document_starts)
        values["document"] = [sum(start <= number for start in starts) for number in range(len(corpus))]
        features["document"] = datasets.Value("int64")
    return datasets.Dataset.from_dict(values, features=datasets.Features(features))


def _class_names(labels: list[list[str]]) -> list[str]:
    """Return the labels: ``O`` first, the others by type and then by name."""
    counts = Counter(chain.from_iterable(labels))
    return sorted(counts, key=lambda name: (name != "O", name.partition("-")[2], name))
