"""Systems of a report: the labels of a model, a pool, a prediction file or a member of a pool, with their probabilities."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError
from tagpool.evaluation.alignment import check_lengths
from tagpool.wording import counted

_SCORES = 1 << 22  # probabilities that are in memory at once


@dataclass
class System:
    """Labels of every sentence; ``probabilities`` has that of each label, or is None if they are unknown.

    ``tagger`` is the model itself if there is one, ``seconds`` the time of tagging, ``members`` are those of a pool.
    ``abstained`` is the number of tokens without a label, which count as outside.
    """

    name: str
    labels: list[list[str]]
    probabilities: list[list[float]] | None = None
    tagger: Any = None
    seconds: float | None = None
    members: list[System] = field(default_factory=list)
    abstained: int = 0


def run_tagger(name: str, tagger: Any, corpus: Corpus, *, with_members: bool = True) -> System:
    """Label a corpus with a tagger or a pool, and with the members of a pool.

    >>> from tagpool import CRF, builtin_corpus
    >>> system = run_tagger("crf", CRF("word[0]").fit(builtin_corpus(20)), builtin_corpus(3))
    >>> len(system.labels), len(system.probabilities), system.members
    (3, 3, [])
    """
    if tagger.takes_features:
        raise InputError(f"{name}: the model was trained on features from Python; give its labels as predictions")
    begin = time.perf_counter()
    labels = tagger.predict(corpus)
    seconds = time.perf_counter() - begin
    probabilities = list(_probabilities(tagger, corpus, labels)) if tagger.has_probabilities else None
    system = System(name, labels, probabilities, tagger, seconds)
    if with_members and len(tagger.members_) > 1 and hasattr(tagger, "member_inputs"):
        parts = zip(tagger.names_, tagger.members_, tagger.member_inputs(corpus), strict=True)
        system.members = [run_tagger(member, one, rows, with_members=False) for member, one, rows in parts]
    return system


def from_rows(
    name: str,
    corpus: Corpus,
    rows: Sequence[Sequence[str | None] | None],
    probabilities: Sequence[Sequence[float | None] | None] | None = None,
) -> System:
    """Return a system from its labels; a sentence or a label that is None counts as outside (``O``).

    >>> from_rows("rules", Corpus.from_lists(word=[["Ann", "left"]], label=[["B-PER", "O"]]), [["B-PER", None]])
    System(name='rules', labels=[['B-PER', 'O']], probabilities=None, tagger=None, seconds=None, members=[], abstained=1)
    """
    words = corpus.words
    complete = [[None] * len(words[at]) if row is None and at < len(words) else row or [] for at, row in enumerate(rows)]
    try:
        check_lengths(words, complete)  # type: ignore[arg-type]
    except InputError as error:
        raise InputError(str(error).replace("as in gold", "as in the test sentences"), source=name) from None
    abstained = sum(label is None for row in complete for label in row)
    if abstained and abstained == corpus.token_count:
        raise InputError("none of the test sentences has labels in this file", source=name)
    labels = [[label or "O" for label in row] for row in complete]
    values: list[list[float]] | None = None
    if probabilities is not None and all(_is_complete(row, words[at]) for at, row in enumerate(probabilities)):
        values = [[float(value or 0.0) for value in row or ()] for row in probabilities]
    return System(name, labels, values, abstained=abstained)


def span_confidence(system: System, sentence: int, start: int, end: int) -> float | None:
    """Return the confidence of the labels of some tokens: the smallest of their probabilities, None if they are unknown."""
    if system.probabilities is None:
        return None
    return min(system.probabilities[sentence][start:end], default=None)


def describe_abstained(system: System) -> str | None:
    """Return a note on tokens without labels; None if all have one."""
    if not system.abstained:
        return None
    return f"{system.name}: {counted(system.abstained, 'token')} without a label; they count as O"


def _is_complete(row: Sequence[float | None] | None, words: Sequence[str]) -> bool:
    return not words or (row is not None and len(row) == len(words) and None not in row)


def _probabilities(tagger: Any, corpus: Corpus, labels: Sequence[Sequence[str]]) -> Iterator[list[float]]:
    """Yield the probability of each label, sentence by sentence, with bounded memory."""
    number = {label: index for index, label in enumerate(tagger.labels_)}
    for first, last in _parts(corpus, len(number), by_document=tagger.reads_documents):
        part = corpus if (first, last) == (0, len(corpus)) else corpus.select(range(first, last))
        for row, marginals in zip(labels[first:last], tagger.predict_proba(part), strict=True):
            chosen = marginals[np.arange(len(row)), [number[label] for label in row]] if row else np.zeros(0)
            yield np.clip(chosen, 0.0, 1.0).tolist()


def _parts(corpus: Corpus, label_count: int, *, by_document: bool) -> Iterator[tuple[int, int]]:
    """Yield runs of sentences (or of documents) whose probabilities fit into memory together."""
    offsets = corpus.offsets().tolist()
    starts = (corpus.document_starts if by_document else []) or list(range(len(corpus)))
    first = 0
    for begin, end in pairwise([*starts, len(corpus)]):
        if begin > first and (offsets[end] - offsets[first]) * label_count > _SCORES:
            yield first, begin
            first = begin
    yield first, len(corpus)
