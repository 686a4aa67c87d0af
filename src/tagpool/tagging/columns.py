"""Column names of CoNLL files to tag."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tagpool.corpus.conll import DEFAULT_COLUMNS
from tagpool.errors import InputError


def guessed_columns(count: int, needs: Sequence[str], summary: dict[str, Any], source: str) -> tuple[str, ...]:
    """The column names of a file: those of the training file, with or without its labels, else the default ones.

    >>> trained = {"columns": ["word", "pos", "label"], "label": "label"}
    >>> guessed_columns(3, ["word"], trained, "a"), guessed_columns(2, ["word"], trained, "a")
    (('word', 'pos', 'label'), ('word', 'pos'))
    >>> guessed_columns(1, ["word"], trained, "a")
    ('word',)
    """
    trained = tuple(summary.get("columns", ()))
    unlabelled = tuple(name for name in trained if name != summary.get("label"))
    for names in (trained, unlabelled, DEFAULT_COLUMNS.get(count, ())):
        if len(names) == count and set(needs) <= set(names):
            return names
    training = f" and was trained with {', '.join(trained)}" if trained else ""
    raise InputError(
        f"the file has {count} columns; the model reads {', '.join(needs)}{training}; "
        "name the columns of the file, such as --columns word,pos,label",
        source=source,
    )
