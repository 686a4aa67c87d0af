"""Scores of dev sets: differences due to chance, and dev sets whose scores say little."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import is_plain, spans
from tagpool.wording import counted

_FEW = 100  # spans: one more or less changes the score by about a point
_SMALL = 10_000  # tokens; larger dev sets are not counted


def chance_margin(score: float, count: int) -> float:
    """Return half of the standard error of a score from 0 to 1 of ``count`` spans: smaller differences are due to chance.

    >>> round(chance_margin(0.9, 100), 3)
    0.015
    """
    return 0.5 * math.sqrt(max(score * (1 - score), 0.0) / max(count, 1))


def has_no_spans(dev: Corpus) -> bool:
    """Return whether every label is outside, so that every F1 is 0.

    >>> has_no_spans(Corpus.from_lists(word=[["rain"]], label=[["O"]]))
    True
    """
    assert dev.label_column is not None
    strings = dev.strings(dev.label_column)
    return {strings[number] for number in dev.native.distinct(dev.label_column)} <= {"O"}


def describe_weak_dev(train: Corpus, dev: Corpus) -> Iterator[str]:
    """Yield the reasons why the scores of a dev set say little, with advice.

    >>> one = Corpus.from_lists(word=[["Ann"]], label=[["B-PER"]])
    >>> for text in describe_weak_dev(one, one):
    ...     print(text)
    the dev set equals the training set: its scores reward overfitting; use other sentences
    the dev set has 1 sentence with 1 span: its scores depend on chance; use more sentences
    """
    if (len(dev), dev.token_count) == (len(train), train.token_count) and dev == train:
        yield "the dev set equals the training set: its scores reward overfitting; use other sentences"
    if dev.token_count > _SMALL:
        return
    labels = dev.labels
    if is_plain({label: 1 for row in labels for label in row}):
        count, unit = dev.token_count, "labelled token"
    else:
        count, unit = sum(len(spans(row)) for row in labels), "span"
    if count < _FEW:
        size = f"{counted(len(dev), 'sentence')} with {counted(count, unit)}"
        yield f"the dev set has {size}: its scores depend on chance; use more sentences"
