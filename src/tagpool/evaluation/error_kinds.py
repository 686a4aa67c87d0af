"""Kinds of errors: each wrong span of gold and prediction belongs to one error.

Spans that are not correct are matched, one gold span with one predicted span that overlaps it: first those with the same ends,
then those of the same type, then the others, each time the largest overlap first. So the number of gold spans that are not found
is that of the errors without ``spurious``, and the number of wrong predicted spans is that of the errors without ``missed``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tagpool.corpus.schemes import Span, spans
from tagpool.evaluation.alignment import Alignment

KINDS = {
    "missed": "no predicted span overlaps the gold span, or another gold span has it",
    "spurious": "no gold span overlaps the predicted span, or another predicted span has it",
    "boundary": "same type, other ends",
    "type": "same ends, other type",
    "both": "overlap with other ends and another type",
}
"""Kinds of errors with their meaning."""


class SpanError(NamedTuple):
    """An error of a sentence: its kind, the gold span and the predicted span; one of them may be missing."""

    kind: str
    gold: Span | None
    predicted: Span | None

    @property
    def start(self) -> int:
        """The first token of both spans."""
        return min(span.start for span in (self.gold, self.predicted) if span is not None)

    @property
    def end(self) -> int:
        """The token after both spans."""
        return max(span.end for span in (self.gold, self.predicted) if span is not None)


def find_errors(gold: Sequence[Span], predicted: Sequence[Span]) -> list[SpanError]:
    """Return the errors of a sentence, in the order of their tokens.

    >>> find_errors([Span(0, 2, "PER"), Span(3, 4, "LOC")], [Span(0, 1, "PER"), Span(3, 4, "ORG")])
    ... # doctest: +NORMALIZE_WHITESPACE
    [SpanError(kind='boundary', gold=Span(start=0, end=2, type='PER'), predicted=Span(start=0, end=1, type='PER')),
     SpanError(kind='type', gold=Span(start=3, end=4, type='LOC'), predicted=Span(start=3, end=4, type='ORG'))]
    """
    correct = set(gold) & set(predicted)
    wanted = sorted(span for span in gold if span not in correct)
    wrong = sorted(span for span in predicted if span not in correct)
    errors: list[SpanError] = []
    matched: set[tuple[str, Span]] = set()
    for _, one, other in sorted(_overlapping(wanted, wrong)):
        if ("gold", one) not in matched and ("predicted", other) not in matched:
            matched |= {("gold", one), ("predicted", other)}
            errors.append(SpanError(_kind(one, other), one, other))
    errors += [SpanError("missed", span, None) for span in wanted if ("gold", span) not in matched]
    errors += [SpanError("spurious", None, span) for span in wrong if ("predicted", span) not in matched]
    return sorted(errors, key=lambda error: (error.start, error.end, error.kind))


def errors_of_spans(alignment: Alignment) -> Iterator[SpanError]:
    """Yield the errors of all sentences."""
    for sentence in (alignment.sum_by_sentence(~alignment.right) > 0).nonzero()[0].tolist():
        first, last = alignment.offsets[sentence : sentence + 2]
        sides = ([alignment.labels[label] for label in side[first:last]] for side in (alignment.gold, alignment.predicted))
        yield from find_errors(*(spans(labels) for labels in sides))


def _overlapping(gold: Sequence[Span], predicted: Sequence[Span]) -> Iterator[tuple[tuple[bool, bool, int], Span, Span]]:
    """Yield pairs of spans that overlap, with their priority; the spans of each side are in order and do not overlap."""
    first = 0
    for one in gold:
        while first < len(predicted) and predicted[first].end <= one.start:
            first += 1
        at = first
        while at < len(predicted) and predicted[at].start < one.end:
            yield _priority(one, predicted[at]), one, predicted[at]
            at += 1


def _overlap(one: Span, other: Span) -> int:
    return min(one.end, other.end) - max(one.start, other.start)


def _priority(one: Span, other: Span) -> tuple[bool, bool, int]:
    return one[:2] != other[:2], one.type != other.type, -_overlap(one, other)


def _kind(one: Span, other: Span) -> str:
    if one[:2] == other[:2]:
        return "type"
    return "boundary" if one.type == other.type else "both"
