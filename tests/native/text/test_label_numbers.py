"""Counts of numbered labels, compared with loops over label sequences."""

from __future__ import annotations

import itertools
from array import array
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagpool import _native
from tagpool.corpus.schemes import is_plain, spans
from tagpool.evaluation.numbered_labels import SpanCounts, count_spans

LABELS = ["O", "B-X", "I-X", "E-X", "S-X", "B-Y", "I-Y", "L-Y", "B", "-X-"]


def rows(least: int = 0) -> st.SearchStrategy[list[list[int]]]:
    return st.lists(st.lists(st.integers(least, len(LABELS) - 1), max_size=6), max_size=5)


def flat(sentences: list[list[int]]) -> tuple[array[int], array[int]]:
    bounds = itertools.accumulate(map(len, sentences), initial=0)
    return array("i", itertools.chain.from_iterable(sentences)), array("I", bounds)


@given(rows(-1))
def test_labels_and_bigrams_are_counted(sentences: list[list[int]]) -> None:
    numbers, bounds = flat(sentences)
    size = len(LABELS)
    counts = Counter(numbers)
    assert _native.count_labels(numbers, size) == [counts[label] for label in range(size)]
    bigrams = Counter(pair for row in sentences if row for pair in itertools.pairwise([size, *row, size]))
    expected = [bigrams[pair] for pair in itertools.product(range(size + 1), repeat=2)]
    assert _native.count_bigrams(numbers, bounds, size) == expected


@given(st.lists(st.integers(-1, 3)), st.lists(st.integers(-1, 9), min_size=4, max_size=4))
def test_labels_are_renumbered(numbers: list[int], table: list[int]) -> None:
    renumbered = _native.renumber_labels(array("i", numbers), table)
    assert renumbered.tolist() == [number if number == -1 else table[number] for number in numbers]


@given(st.data())
def test_spans_are_those_of_the_labels(data: st.DataObject) -> None:
    gold = data.draw(rows())
    predicted = [data.draw(st.lists(st.integers(0, len(LABELS) - 1), min_size=len(row), max_size=len(row))) for row in gold]
    (gold_numbers, bounds), (numbers, _) = flat(gold), flat(predicted)
    sides = [[[LABELS[number] for number in row] for row in side] for side in (gold, predicted)]
    if is_plain(Counter(label for side in sides for row in side for label in row)):
        span_sets = [{(s, t, row[t]) for s, row in enumerate(side) for t in range(len(row)) if row[t] != "O"} for side in sides]
    else:
        span_sets = [{(s, *span) for s, row in enumerate(side) for span in spans(row)} for side in sides]
    expected = SpanCounts(len(span_sets[0] & span_sets[1]), len(span_sets[1]), len(span_sets[0]))
    assert count_spans(LABELS, gold_numbers, numbers, bounds) == expected


def test_wrong_numbers_and_bounds_are_errors() -> None:
    numbers, bounds = array("i", [0, 2]), array("I", [0, 2])
    with pytest.raises(_native.InputFault, match="label 2 is out of range; there are 2 labels"):
        _native.count_labels(numbers, 2)
    with pytest.raises(_native.InputFault, match="expected the bounds of sentences with 2 tokens"):
        _native.count_bigrams(numbers, array("I", [0, 1]), 3)
    with pytest.raises(_native.InputFault, match="label -1 is out of range"):
        _native.count_spans(array("i", [-1]), array("i", [0]), array("I", [0, 1]), [0], [0], [0])
    with pytest.raises(_native.InputFault, match="predicted labels"):
        _native.count_spans(numbers, array("i", [0]), bounds, [0] * 3, [0] * 3, [0] * 3)
    with pytest.raises(_native.InputFault, match="numbers into labels"):
        _native.count_spans(numbers, numbers, bounds, [0] * 3, [0] * 3, [0])
