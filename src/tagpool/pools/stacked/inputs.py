"""Checks of the input of a stacked pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tagpool.corpus.corpus import Corpus
from tagpool.corpus.rows import as_rows
from tagpool.errors import InputError
from tagpool.wording import counted


def gold_label_rows(gold: Any) -> list[list[str | None] | None]:
    """Return gold labels as lists; None is a sentence without."""
    rows = as_rows(gold, "gold labels")
    for number, row in enumerate(rows, 1):
        if row is not None and (isinstance(row, str) or not hasattr(row, "__iter__")):
            raise InputError(f"expected a list of labels, got {row!r}", source=f"gold, sentence {number}")
    return [None if row is None else list(row) for row in rows]


def check_gold(rows: Sequence[Sequence[str | None] | None]) -> None:
    """Raise an InputError if a stack cannot learn from gold labels."""
    count = sum(any(label is not None for label in row or ()) for row in rows)
    if not count:
        raise InputError("no sentence has gold labels; use an UnsupervisedPool, which needs none")
    if count < 2:
        raise InputError("expected two gold sentences or more, got 1: there is nothing to learn from")
    labels = {label for row in rows for label in row or () if label is not None}
    if len(labels) < 2:
        raise InputError(f"every gold label is {min(labels)!r}: there is nothing to learn from; give sentences with others")


def sentence_lengths(by_name: Mapping[str, Any]) -> list[int]:
    """Return the lengths of sentences, by the first expert that has them."""
    return [next((len(row) for row in rows if row is not None), 0) for rows in zip(*by_name.values(), strict=False)]


def confidence_rows(values: Any, name: str, lengths: Sequence[int]) -> list[Any]:
    """Return the confidences of an expert; raise an InputError if they do not fit the sentences."""
    rows = as_rows(values, f"confidence of {name}")
    if len(rows) != len(lengths):
        raise InputError(f"expected {counted(len(lengths), 'sentence')}, got {len(rows)}", source=f"confidence of {name}")
    for number, (row, length) in enumerate(zip(rows, lengths, strict=True), 1):
        if row is None:
            continue
        if not hasattr(row, "__len__") or len(row) != length:
            got = len(row) if hasattr(row, "__len__") else repr(row)
            raise InputError(
                f"expected {counted(length, 'number')}, got {got}", source=f"confidence of {name}, sentence {number}"
            )
        for value in row:
            if value is not None and not (isinstance(value, (int, float, np.number)) and 0 <= value <= 1):
                raise InputError(
                    f"expected numbers from 0 to 1, or None, got {value!r}", source=f"confidence of {name}, sentence {number}"
                )
    return rows


def document_numbers(corpus: Corpus) -> list[int] | None:
    """Return the number of the document of each sentence; None if documents are not marked."""
    starts = corpus.document_starts
    if not starts:
        return None
    numbers = np.zeros(len(corpus), np.int64)
    numbers[starts] = 1
    return [int(number) for number in np.cumsum(numbers)]
