"""Members of a pool, or experts: their agreement, which of them is right where, and what each adds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import Span
from tagpool.evaluation.alignment import align
from tagpool.evaluation.chunks import ChunkCounts, count_chunks, ratio
from tagpool.evaluation.error_kinds import SpanError
from tagpool.evaluation.scores import score
from tagpool.report.systems import System, span_confidence
from tagpool.views.explanation import MemberVote
from tagpool.views.sentence import spans_of

_Key = tuple[int, int, int]
_FEWEST = 3  # members of a majority vote
_LONGEST = 60  # characters of a span in a vote
NO_SPAN = "no span"


def member_figures(corpus: Corpus, system: System, *, plain: bool) -> dict[str, Any]:
    """Return figures of the members of a system.

    ``members`` has a row for each: its scores, ``only`` (gold spans that no other member finds), ``saves`` (gold spans that the
    pool finds and a majority of the other members does not, but this one does), ``overruled`` (gold spans that it finds and the
    pool does not), ``vote_without`` (F1 of the majority vote of the others), and the share of gold spans that it finds, by type.
    ``agreement`` is the share of tokens with equal labels, counted where at least one of the two members has a span.
    ``any`` is the share of gold spans that at least one member finds, ``vote`` the F1 of the majority vote of all members.
    Votes are None for fewer than three members.
    """
    gold, members = corpus.labels, system.members
    counts = [count_chunks(align(gold, one.labels), plain=plain) for one in members]
    right = [_spans(one) for one in counts]
    pool = _spans(count_chunks(align(gold, system.labels), plain=plain))
    finders = Counter(span for spans in right for span in spans)
    types = sorted(kind for kind in counts[0].types if kind in _gold_types(counts[0])) if counts else []
    votes = len(members) >= _FEWEST
    rows = []
    for number, (member, spans) in enumerate(zip(members, right, strict=True)):
        result = score(gold, member.labels, plain=plain)
        others = [one.labels for at, one in enumerate(members) if at != number]
        rows.append(
            {
                "name": member.name,
                **{rate: getattr(result, rate) for rate in ("precision", "recall", "f1", "accuracy")},
                "only": sum(finders[span] == 1 for span in spans),
                "saves": sum(span in pool and 2 * (finders[span] - 1) <= len(others) for span in spans),
                "overruled": len(spans - pool),
                "vote_without": score(gold, majority(others), plain=plain).f1 if votes else None,
                "types": {kind: result.types[kind].recall if kind in result.types else 0.0 for kind in types},
            }
        )
    total = len(counts[0].gold) if counts else 0
    return {
        "members": rows,
        "agreement": _agreement(members, plain=plain),
        "any": float(ratio(len(finders), total)),
        "vote": score(gold, majority([one.labels for one in members]), plain=plain).f1 if votes else None,
    }


def majority(rows: Sequence[Sequence[Sequence[str]]]) -> list[list[str]]:
    """Return the most frequent label of each token; ties go to the label of the first member that has one of them.

    >>> majority([[["A", "B"]], [["C", "D"]], [["C", "B"]]])
    [['C', 'B']]
    """
    result = []
    for sentence in zip(*rows, strict=True):
        result.append([Counter(labels).most_common(1)[0][0] for labels in zip(*sentence, strict=True)])
    return result


def votes_for(system: System, sentence: int, error: SpanError, words: Sequence[str], *, plain: bool) -> list[MemberVote]:
    """Return the spans that each member predicts at the tokens of an error."""
    weights = getattr(system.tagger, "weights_", ())
    numbers = [float(weight) for weight in weights] if len(weights) == len(system.members) else [None] * len(system.members)
    votes = []
    for member, weight in zip(system.members, numbers, strict=True):
        spans = spans_of(member.labels[sentence], plain=plain)
        text = "; ".join(describe_span(span, words) for span in spans if span.start < error.end and error.start < span.end)
        votes.append(MemberVote(member.name, text or NO_SPAN, span_confidence(member, sentence, error.start, error.end), weight))
    return votes


def describe_span(span: Span | None, words: Sequence[str]) -> str:
    """Return the type of a span with its words; the middle of a long text is left out.

    >>> describe_span(Span(0, 2, "PER"), ["Ann", "Smith", "left"]), describe_span(None, [])
    ('PER “Ann Smith”', 'no span')
    """
    if span is None:
        return NO_SPAN
    text = " ".join(words[span.start : span.end])
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 2 :]}"
    return f"{span.type} “{text}”"


def _spans(counts: ChunkCounts) -> set[_Key]:
    correct = counts.correct
    # Types have other numbers for each member; a gold span has one type, so its ends identify it.
    return set(zip(correct.starts.tolist(), correct.ends.tolist(), [0] * len(correct), strict=True))


def _gold_types(counts: ChunkCounts) -> set[str]:
    return {counts.types[number] for number in np.unique(counts.gold.types).tolist()}


def _agreement(members: Sequence[System], *, plain: bool) -> list[list[float]]:
    table = np.eye(len(members))
    for i, one in enumerate(members):
        for j, other in enumerate(members[:i]):
            alignment = align(one.labels, other.labels)
            outside = alignment.labels.index("O") if "O" in alignment.labels and not plain else -1
            either = (alignment.gold != outside) | (alignment.predicted != outside)
            table[i, j] = table[j, i] = float(ratio((alignment.right & either).sum(), either.sum())) if either.any() else 1.0
    return [[round(value, 6) for value in row] for row in table.tolist()]
