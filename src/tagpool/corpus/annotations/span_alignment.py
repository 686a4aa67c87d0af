"""Alignment of spans of characters to tokens."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from tagpool.corpus.annotations.annotation import CharSpan, Place
from tagpool.corpus.annotations.losses import CUTTING, OVERLAPPING, WITHOUT_TOKEN
from tagpool.corpus.schemes import Span


class Aligned(NamedTuple):
    """Spans of tokens, each with the span of characters that it was, and spans that do not fit, each with the kind of loss."""

    spans: list[tuple[Span, CharSpan]]
    problems: list[tuple[CharSpan, str]]


def align_spans(spans: Sequence[CharSpan], places: Sequence[Place], *, longest: bool = False) -> Aligned:
    """Return the tokens of spans, for tokens at ``places``.

    Spans that overlap compete by score if all have one, else the first one is used, or the longest. A span that cuts a token is
    extended.

    >>> align_spans([CharSpan(0, 2, "PER"), CharSpan(1, 6, "LOC")], [(0, 3), (4, 6)]).spans
    [(Span(start=0, end=1, type='PER'), CharSpan(start=0, end=2, type='PER', score=None, line=None))]
    """
    if spans and all(span.score is not None for span in spans):
        ordered = sorted(spans, key=lambda span: (-(span.score or 0.0), span[:3]))
    else:
        ordered = sorted(spans, key=lambda span: (longest * (span.start - span.end), span[:3]))
    begins, ends = [place[0] for place in places], [place[1] for place in places]
    used = [False] * len(places)
    aligned: list[tuple[Span, CharSpan]] = []
    problems: list[tuple[CharSpan, str]] = []
    for span in ordered:
        first, last = bisect_right(ends, span.start), bisect_left(begins, span.end)
        if first >= last:
            problems.append((span, WITHOUT_TOKEN))
        elif any(used[first:last]):
            problems.append((span, OVERLAPPING))
        else:
            if begins[first] < span.start or ends[last - 1] > span.end:
                problems.append((span, CUTTING))
            used[first:last] = [True] * (last - first)
            aligned.append((Span(first, last, span.type), span))
    return Aligned(aligned, problems)
