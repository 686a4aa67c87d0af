"""Confusion of spans: which type was predicted for which, with missed and spurious spans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError
from tagpool.evaluation.alignment import LabelSequences, align
from tagpool.evaluation.chunks import count_chunks
from tagpool.evaluation.error_kinds import errors_of_spans

Cell = tuple["str | None", "str | None"]
"""The types of a gold span and of a predicted one; None: there is no such span."""


@dataclass(frozen=True)
class SpanConfusion:
    """Number of spans with each gold and predicted type: the result of :func:`span_confusion`.

    ``counts`` has (gold type, predicted type) of spans that overlap, (type, None) of missed gold spans and (None, type) of
    spurious predictions. ``correct`` has the spans of each type with the right ends; the others of a cell such as (PER, PER) have
    wrong ends.
    """

    counts: Mapping[Cell, int]
    correct: Mapping[str, int]

    def most_confused(self, limit: int = 10) -> list[tuple[str | None, str | None, int]]:
        """Return the most frequent errors as (gold, predicted, count), most frequent first; wrong ends are errors, too.

        >>> span_confusion([["B-PER", "O", "B-LOC"]], [["B-ORG", "O", "O"]]).most_confused()
        [('LOC', None, 1), ('PER', 'ORG', 1)]
        """
        errors = dict(self.counts)
        for kind, count in self.correct.items():
            errors[kind, kind] -= count
        rows = [(*cell, count) for cell, count in errors.items() if count]
        return sorted(rows, key=lambda row: (-row[2], row[0] or "", row[1] or ""))[:limit]

    def rows(self) -> list[tuple[str | None, str | None, int]]:
        """Return all cells as (gold, predicted, count), in the order of the types; missed and spurious spans come last."""
        cells = sorted(self.counts, key=lambda cell: tuple((one is None, one or "") for one in cell))
        return [(*cell, self.counts[cell]) for cell in cells]


def span_confusion(gold: LabelSequences | Corpus, predicted: LabelSequences | Corpus) -> SpanConfusion:
    """Count which span types were predicted for which gold types.

    A gold span is matched with at most one predicted span that overlaps it: one with the same ends first, then one of the same
    type, then the one with the largest overlap. So the order of the spans has no effect, and every span counts once.

    Args:
        gold: Gold labels of each sentence, or a corpus.
        predicted: Predicted labels of the same sentences.

    >>> confusion = span_confusion([["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "O", "B-MISC", "B-ORG"]])
    >>> confusion.rows()
    [('LOC', 'ORG', 1), ('PER', 'PER', 1), (None, 'MISC', 1)]
    >>> confusion.correct
    {}
    """
    alignment = align(gold, predicted)
    if alignment.plain and len(alignment.labels) > 1:
        raise InputError("a confusion of spans needs labels such as B-PER, I-PER and O; these are plain; use confusion")
    chunks = count_chunks(alignment, plain=False)
    by_type = dict(zip(chunks.types, chunks.by_type().tolist(), strict=True))
    correct = {kind: int(row[0]) for kind, row in sorted(by_type.items()) if row[0]}
    counts = Counter[Cell]({(kind, kind): count for kind, count in correct.items()})
    for error in errors_of_spans(alignment):
        counts[error.gold and error.gold.type, error.predicted and error.predicted.type] += 1
    return SpanConfusion(dict(counts), correct)
