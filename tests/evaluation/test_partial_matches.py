"""Partial matches against nervaluate, and against the definition of the four schemes."""

from __future__ import annotations

import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from nervaluate import Evaluator

from tagpool.corpus.schemes import spans
from tagpool.errors import InputError
from tagpool.evaluation.partial_matches import partial_scores
from tagpool.evaluation.scores import score

LABELS = st.sampled_from(["O", "B-X", "I-X", "B-Y", "I-Y"])
PAIRS = st.lists(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=10), min_size=1, max_size=3)
NAMES = {"strict": "strict", "exact": "exact", "partial": "partial", "type": "ent_type"}


def sides(pairs: list[list[tuple[str, str]]]) -> tuple[list[list[str]], list[list[str]]]:
    return [[gold for gold, _ in row] for row in pairs], [[predicted for _, predicted in row] for row in pairs]


def overlaps_once(gold: list[str], predicted: list[str]) -> bool:
    """Whether every span overlaps at most one of the other side: there the order of the spans has no effect on nervaluate."""
    one, other = spans(gold), spans(predicted)
    rows = [[max(a.start, b.start) < min(a.end, b.end) for b in other] for a in one]
    return all(sum(row) <= 1 for row in rows) and all(sum(column) <= 1 for column in zip(*rows, strict=True))


@given(PAIRS)
def test_nervaluate_agrees_where_the_order_has_no_effect(pairs: list[list[tuple[str, str]]]) -> None:
    gold, predicted = sides(pairs)
    assume(all(overlaps_once(*row) for row in zip(gold, predicted, strict=True)))
    dictionaries = [
        [[{"label": one.type, "start": one.start, "end": one.end - 1} for one in spans(row)] for row in side]
        for side in (gold, predicted)
    ]
    expected = Evaluator(*dictionaries, tags=["X", "Y"], loader="dict").evaluate()["overall"]
    for scheme, ours in partial_scores(gold, predicted).items():
        theirs = expected[NAMES[scheme]]
        assert (ours.correct, ours.partial, ours.incorrect, ours.missed, ours.spurious) == (
            theirs.correct,
            theirs.partial,
            theirs.incorrect,
            theirs.missed,
            theirs.spurious,
        )
        assert (ours.precision, ours.recall, ours.f1) == pytest.approx((theirs.precision, theirs.recall, theirs.f1))


@given(PAIRS)
def test_strict_is_the_score_of_conlleval_and_every_span_counts_once(pairs: list[list[tuple[str, str]]]) -> None:
    gold, predicted = sides(pairs)
    scores, usual = partial_scores(gold, predicted), score(gold, predicted, plain=False)
    assert scores["strict"].f1 == usual.f1
    for one in scores.values():
        assert one.correct + one.partial + one.incorrect + one.missed == usual.gold
        assert one.correct + one.partial + one.incorrect + one.spurious == usual.predicted
    assert scores["strict"].correct <= scores["exact"].correct == scores["partial"].correct
    assert scores["strict"].correct <= scores["type"].correct


@given(PAIRS, st.randoms())
def test_the_order_of_sentences_has_no_effect(pairs: list[list[tuple[str, str]]], order: random.Random) -> None:
    shuffled = pairs.copy()
    order.shuffle(shuffled)
    assert partial_scores(*sides(pairs)) == partial_scores(*sides(shuffled))


def test_two_predicted_spans_in_one_gold_span_match_once() -> None:
    scores = partial_scores([["B-X", "I-X", "I-X"]], [["B-Y", "B-X", "I-X"]])
    assert (scores["type"].correct, scores["type"].spurious, scores["partial"].partial) == (1, 1, 1)


def test_plain_labels_are_refused() -> None:
    with pytest.raises(InputError, match="need spans"):
        partial_scores([["NN", "VB"]], [["NN", "NN"]])
