"""Outputs of unequal lengths: aligned columns have all symbols, match equal ones, and can be pooled."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagpool import InputError, VotePool
from tagpool.evaluation.breakdown import edit_distance, levenshtein
from tagpool.pools.votes.alignment import align, pad

WORDS = st.lists(st.sampled_from("abc"), max_size=5)


@given(st.lists(WORDS, min_size=1, max_size=4))
def test_aligned_rows_are_the_outputs_with_gaps_and_no_column_is_empty(outputs):
    for make in (align, pad):
        rows = make(outputs)
        assert len({len(row) for row in rows}) == 1
        assert [[symbol for symbol in row if symbol] for row in rows] == outputs
    rows = align(outputs)
    assert all(any(column) for column in zip(*rows, strict=True))


@given(WORDS, WORDS)
def test_two_outputs_differ_in_as_many_columns_as_edits(one, other):
    first, second = align([one, other])
    assert sum(a != b for a, b in zip(first, second, strict=True)) == levenshtein(one, other)


def noisy(word, generator, rate=0.12):
    result = []
    for symbol in word:
        kind = generator.random()
        if kind < rate:
            continue
        result.append("xyz"[generator.integers(3)] if kind < 2 * rate else symbol)
        if kind > 1 - rate:
            result.append("xyz"[generator.integers(3)])
    return result


@pytest.mark.parametrize("method", ["mvote", "espboost", "majority", "cv"])
def test_pooled_outputs_are_nearer_than_any_experts(method):
    generator = np.random.default_rng(4)
    gold = [["abcdefg"[n] for n in generator.integers(0, 7, generator.integers(3, 9))] for _ in range(400)]
    experts = {f"e{j}": [noisy(word, generator) for word in gold] for j in range(5)}
    train = {name: rows[:200] for name, rows in experts.items()}
    test = {name: rows[200:] for name, rows in experts.items()}
    best = min(edit_distance(gold[200:], rows).mean for rows in test.values())
    pool = VotePool(method, lengths="align", key="shared", unknown="allow").fit(train, gold[:200])
    labels, confidence = pool.predict_with_confidence(test)
    assert edit_distance(gold[200:], labels).mean < 0.6 * best
    assert pool.mean_loss(test, gold[200:]) == edit_distance(gold[200:], labels).normalised
    assert [len(row) for row in labels] == [len(row) for row in confidence]
    padding = VotePool(method, lengths="pad", unknown="allow").fit(train, gold[:200]).predict(test)
    assert edit_distance(gold[200:], labels).mean < edit_distance(gold[200:], padding).mean
    assert all("" not in row for row in [*labels, *padding])


def test_a_missing_output_and_an_empty_one_are_not_the_same():
    gold = [["a", "b"]] * 10
    experts = {"one": [["a", "b"]] * 10, "two": [["a"]] * 10, "three": [["b"]] * 10}
    pool = VotePool("majority", lengths="align").fit(experts, gold)
    assert pool.predict({"one": [["a"]], "two": [[]], "three": [[]]}) == [[]]
    assert pool.predict({"one": [["a"]], "two": [None], "three": [None]}) == [["a"]]


def test_refusals():
    gold = [["a", "b"]] * 3
    with pytest.raises(InputError, match=r"two, sentence 2: expected a list of texts"):
        VotePool(lengths="align").fit({"one": gold, "two": [["a"], ["a", None], ["b"]]}, gold)
    with pytest.raises(InputError, match=r"two, sentence 1: expected 2 labels.*lengths='align'"):
        VotePool().fit({"one": gold, "two": [["a"], ["a"], ["b"]]}, gold)
