"""Confusion of spans: every span counts once, in the order of no span."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tagpool
from tagpool import InputError, span_confusion
from tagpool.corpus.schemes import spans
from tagpool.evaluation.scores import score

LABELS = st.sampled_from(["O", "B-X", "I-X", "B-Y", "I-Y", "B-Z"])
PAIRS = st.lists(st.lists(st.tuples(LABELS, LABELS), max_size=9), min_size=1, max_size=4).filter(any)


def sides(pairs: list[list[tuple[str, str]]]) -> tuple[list[list[str]], list[list[str]]]:
    return [[gold for gold, _ in row] for row in pairs], [[predicted for _, predicted in row] for row in pairs]


@given(PAIRS)
def test_every_span_counts_once(pairs: list[list[tuple[str, str]]]) -> None:
    gold, predicted = sides(pairs)
    confusion, usual = span_confusion(gold, predicted), score(gold, predicted, plain=False)
    for kind, one in usual.types.items():
        assert sum(count for (wanted, _), count in confusion.counts.items() if wanted == kind) == one.gold
        assert sum(count for (_, guessed), count in confusion.counts.items() if guessed == kind) == one.predicted
        assert confusion.correct.get(kind, 0) == one.correct
    wrong = sum(count for *_, count in confusion.most_confused(100))
    assert wrong == sum(confusion.counts.values()) - usual.correct
    assert (None, None) not in confusion.counts


@given(PAIRS)
def test_the_order_of_sentences_and_sides_has_no_effect(pairs: list[list[tuple[str, str]]]) -> None:
    gold, predicted = sides(pairs)
    first = span_confusion(gold, predicted)
    assert first.rows() == span_confusion(gold[::-1], predicted[::-1]).rows()
    exchanged = span_confusion(predicted, gold)
    assert exchanged.correct == first.correct
    assert sum(exchanged.counts.values()) == sum(first.counts.values())


@given(PAIRS)
def test_cells_of_sentences_with_one_span_on_each_side(pairs: list[list[tuple[str, str]]]) -> None:
    for row in pairs:
        gold, predicted = (list(side) for side in zip(*row, strict=True)) if row else ([], [])
        one, other = spans(gold), spans(predicted)
        if len(one) == len(other) == 1:
            overlap = max(one[0].start, other[0].start) < min(one[0].end, other[0].end)
            cells = [(one[0].type, other[0].type)] if overlap else [(one[0].type, None), (None, other[0].type)]
            assert set(span_confusion([gold], [predicted]).counts) == set(cells)


def test_plain_labels_and_corpora() -> None:
    with pytest.raises(InputError, match="these are plain"):
        span_confusion([["NN", "VB"]], [["NN", "NN"]])
    corpus = tagpool.builtin_corpus(20)
    confusion = span_confusion(corpus, corpus)
    assert confusion.most_confused() == []
    assert all(gold == predicted for gold, predicted, _ in confusion.rows())
