"""Every wrong span belongs to one error, and no correct one does."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tagpool.corpus.schemes import Span, spans
from tagpool.evaluation.error_kinds import KINDS, SpanError, find_errors

LABELS = st.sampled_from(["O", "B-X", "I-X", "B-Y", "I-Y"])
PAIRS = st.lists(st.tuples(LABELS, LABELS), max_size=12)


@given(PAIRS)
def test_errors_cover_the_wrong_spans_once(pairs: list[tuple[str, str]]) -> None:
    gold, predicted = (spans([pair[side] for pair in pairs]) for side in (0, 1))
    errors = find_errors(gold, predicted)
    assert {error.kind for error in errors} <= set(KINDS)
    assert Counter(error.gold for error in errors if error.gold) == Counter(set(gold) - set(predicted))
    assert Counter(error.predicted for error in errors if error.predicted) == Counter(set(predicted) - set(gold))


@given(PAIRS)
def test_kinds_follow_their_definition(pairs: list[tuple[str, str]]) -> None:
    gold, predicted = (spans([pair[side] for pair in pairs]) for side in (0, 1))
    errors = find_errors(gold, predicted)
    for error in errors:
        one, other = error.gold, error.predicted
        if one is None or other is None:
            assert error.kind == ("spurious" if one is None else "missed")
            continue
        assert max(one.start, other.start) < min(one.end, other.end)
        same_ends, same_type = one[:2] == other[:2], one.type == other.type
        assert error.kind == {(True, False): "type", (False, True): "boundary", (False, False): "both"}[same_ends, same_type]
    # No missed span overlaps a spurious one: they would be one error.
    missed = [error.gold for error in errors if error.kind == "missed" and error.gold]
    spurious = [error.predicted for error in errors if error.kind == "spurious" and error.predicted]
    assert not [1 for one in missed for other in spurious if max(one.start, other.start) < min(one.end, other.end)]


@given(PAIRS)
def test_exchanged_sides_exchange_missed_and_spurious(pairs: list[tuple[str, str]]) -> None:
    gold, predicted = (spans([pair[side] for pair in pairs]) for side in (0, 1))
    names = {"missed": "spurious", "spurious": "missed"}
    forth = Counter(error.kind for error in find_errors(gold, predicted))
    back = Counter(names.get(error.kind, error.kind) for error in find_errors(predicted, gold))
    assert forth["missed"] - forth["spurious"] == back["missed"] - back["spurious"]
    assert sum(forth.values()) >= max(len(set(gold) - set(predicted)), len(set(predicted) - set(gold)))


def test_a_span_of_the_same_type_is_preferred() -> None:
    gold, predicted = [Span(0, 4, "X")], [Span(0, 3, "Y"), Span(3, 4, "X")]
    assert find_errors(gold, predicted) == [
        SpanError("spurious", None, Span(0, 3, "Y")),
        SpanError("boundary", Span(0, 4, "X"), Span(3, 4, "X")),
    ]
