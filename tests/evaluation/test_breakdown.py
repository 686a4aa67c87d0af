from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix

from tagpool.errors import InputError
from tagpool.evaluation.breakdown import (
    confusion,
    edit_distance,
    hamming,
    levenshtein,
    vocabulary_breakdown,
    vocabulary_of,
)
from tagpool.evaluation.scores import score

sequences = st.lists(st.sampled_from("abc"), max_size=7)


def brute_force_distance(first: list[str], second: list[str]) -> int:
    @cache
    def distance(i: int, j: int) -> int:
        if i == 0 or j == 0:
            return i + j
        replaced = distance(i - 1, j - 1) + (first[i - 1] != second[j - 1])
        return min(replaced, distance(i - 1, j) + 1, distance(i, j - 1) + 1)

    return distance(len(first), len(second))


def test_vocabulary_breakdown_by_hand() -> None:
    words = [["Ann", "met", "Xu", "in", "York"], ["Xu", "slept"]]
    gold = [["B-PER", "O", "B-PER", "O", "B-LOC"], ["B-PER", "O"]]
    predicted = [["I-PER", "B-ORG", "I-LOC", "O", "I-LOC"], ["I-PER", "O"]]
    parts = vocabulary_breakdown(words, gold, predicted, ["Ann", "met", "in", "York", "unused"])
    # known: Ann PER/PER, met O/ORG, in O/O, York LOC/LOC: 2 right of 3 predicted and 2 gold; 3 of 4 tokens
    known = parts.in_vocabulary
    assert (known.correct, known.predicted, known.gold, known.tokens) == (2, 3, 2, 4)
    assert (known.precision, known.recall, known.f1) == pytest.approx((2 / 3, 1, 0.8))
    assert known.accuracy == 0.75
    # unknown: Xu PER/LOC, Xu PER/PER, slept O/O: 1 right of 2 and 2; 2 of 3 tokens
    unknown = parts.out_of_vocabulary
    assert (unknown.correct, unknown.predicted, unknown.gold, unknown.tokens) == (1, 2, 2, 3)
    assert (unknown.precision, unknown.recall, unknown.f1) == (0.5, 0.5, 0.5)
    assert unknown.accuracy == pytest.approx(2 / 3)


def test_vocabulary_breakdown_of_plain_labels() -> None:
    words, gold, predicted = [["a", "zyx", "zy"]], [["DT", "NN", "NN"]], [["DT", "NN", "VB"]]
    parts = vocabulary_breakdown(words, gold, predicted, vocabulary_of([["a", "cat"]]))
    assert parts.in_vocabulary.accuracy == 1
    assert parts.out_of_vocabulary.accuracy == parts.out_of_vocabulary.f1 == 0.5


def test_vocabulary_is_of_exact_words_and_empty_parts_score_zero() -> None:
    parts = vocabulary_breakdown([["Cat"]], [["NN"]], [["NN"]], {"cat"})
    assert parts.in_vocabulary.tokens == 0
    assert (parts.in_vocabulary.f1, parts.in_vocabulary.accuracy) == (0, 0)
    assert parts.out_of_vocabulary.tokens == 1


def test_words_of_another_length_are_refused() -> None:
    with pytest.raises(InputError, match="sentence 1: expected 1 word, as in gold, got 2"):
        vocabulary_breakdown([["a", "b"]], [["O"]], [["O"]], set())


@given(st.data())
def test_the_two_parts_add_up(data: st.DataObject) -> None:
    label = st.sampled_from(["O", "B-X", "I-X", "B-Y"])
    rows = data.draw(st.lists(st.lists(st.tuples(st.sampled_from("abcd"), label, label), max_size=5), max_size=4))
    words, gold, predicted = ([[token[i] for token in row] for row in rows] for i in range(3))
    parts = vocabulary_breakdown(words, gold, predicted, {"a", "b"})
    stripped = [[[one[2:] or "O" for one in labels] for labels in side] for side in (gold, predicted)]
    whole = score(*stripped, plain=True)
    for name in ("correct", "predicted", "gold", "tokens"):
        both = getattr(parts.in_vocabulary, name) + getattr(parts.out_of_vocabulary, name)
        assert both == getattr(whole, name)


def test_hamming_by_hand() -> None:
    result = hamming([["a", "b"], ["a"], [], ["a"] * 5], [["a", "c"], ["b"], [], ["a"] * 5])
    assert (result.errors, result.tokens) == (2, 8)
    assert result.by_token == 0.25
    assert result.by_sentence == pytest.approx((0.5 + 1 + 0 + 0) / 4)
    assert hamming([], []).by_sentence == 0


@given(sequences, sequences)
def test_levenshtein_against_brute_force(first: list[str], second: list[str]) -> None:
    assert levenshtein(first, second) == brute_force_distance(first, second)


def test_levenshtein_of_long_sequences() -> None:
    draw = np.random.default_rng(0)
    for _ in range(20):
        first, second = (draw.choice(list("abcde"), size=draw.integers(60, 140)).tolist() for _ in range(2))
        assert levenshtein(first, second) == brute_force_distance(first, second) == levenshtein(second, first)


def test_edit_distance_by_hand() -> None:
    result = edit_distance([["a", "b", "c"], [], ["a"]], [["b", "c"], ["a", "b"], ["a"]])
    assert (result.total, result.sentences, result.mean) == (3, 3, 1.0)
    assert result.normalised == pytest.approx((1 / 3 + 1 + 0) / 3)
    assert edit_distance([], []).mean == 0
    with pytest.raises(InputError, match="expected 1 predicted sentence, as in gold, got 0"):
        edit_distance([["a"]], [])


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abcd")), min_size=1))
def test_confusion_is_scikit_learns(tokens: list[tuple[str, str]]) -> None:
    gold, predicted = [one for one, _ in tokens], [other for _, other in tokens]
    table = confusion([gold], [predicted])
    assert list(table.labels) == sorted({*gold, *predicted})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of a table with one label
        expected = confusion_matrix(gold, predicted, labels=list(table.labels))
    assert (table.counts == expected).all()


def test_most_confused_pairs() -> None:
    table = confusion([["a", "a", "a", "b", "c"]], [["b", "b", "a", "c", "a"]])
    assert table.most_confused() == [("a", "b", 2), ("b", "c", 1), ("c", "a", 1)]
    assert table.most_confused(1) == [("a", "b", 2)]
    assert confusion([], []).most_confused() == []
