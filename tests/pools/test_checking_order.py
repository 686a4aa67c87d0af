"""The order in which sentences are checked: greedy by what they show for the first times, per token."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagpool import UnsupervisedPool
from tagpool.pools.beliefs import wrong_probabilities
from tagpool.pools.checking_order import checking_order

LABELS = ("O", "B-X", "B-Y")
sentence = st.lists(st.tuples(st.sampled_from("abcAB"), *[st.sampled_from(LABELS)] * 2), min_size=1, max_size=5)


Rows = list[list[str]]


def check_greedy(words: Rows, votes: dict[str, Rows], wrong: list[list[float]], checked: set[int], order: list[int]) -> None:
    """Compute every gain again in every step; the next sentence must have the greatest one."""
    shows = []
    worth: dict[object, float] = {}
    for number, row in enumerate(words):
        shown: dict[object, int] = {}
        for token, word in enumerate(row):
            pattern = tuple(rows[number][token] for rows in votes.values())
            weight = any(label != "O" for label in pattern) + wrong[number][token]
            for key in (pattern, word.lower()):
                worth[key] = worth.get(key, 0.0) + weight
                shown[key] = shown.get(key, 0) + (weight > 0.02)
        shows.append(shown)
    seen: dict[object, int] = {}

    def show(number: int) -> None:
        for key, count in shows[number].items():
            seen[key] = seen.get(key, 0) + count

    def gain(number: int) -> float:
        known = {key: seen.get(key, 0) for key in shows[number]}
        parts = (
            worth[key] * (math.exp(-known[key] / 2) - math.exp(-(known[key] + count) / 2)) for key, count in shows[number].items()
        )
        return sum(parts) / (len(words[number]) + 3)

    for number in checked:
        show(number)
    for place, number in enumerate(order):
        assert gain(number) >= max(map(gain, order[place:])) - 1e-9
        show(number)


@given(st.lists(sentence, min_size=3, max_size=8), st.sets(st.integers(0, 2)))
@settings(max_examples=30, deadline=None)
def test_the_order_is_greedy(rows: list[list[tuple[str, ...]]], checked: set[int]) -> None:
    words = [[token[0] for token in row] for row in rows]
    votes = {name: [[token[column] for token in row] for row in rows] for column, name in ((1, "one"), (2, "two"))}
    if len({label for column in votes.values() for row in column for label in row}) < 2:
        return
    pool = UnsupervisedPool("dawid-skene").fit(votes, words=words)
    order = checking_order(pool, votes, words=words, checked=checked)
    assert sorted([*order, *checked]) == list(range(len(rows)))
    wrong = [row.tolist() for row in wrong_probabilities(pool, votes, words=words)]
    check_greedy(words, votes, wrong, checked, order)
    assert checking_order(pool, votes, words=words, checked=checked, count=1) == order[:1]


@pytest.fixture
def crowd() -> dict[str, list[list[str]]]:
    """Two kinds of sentences that are frequent, and one without any span."""
    return {
        "one": [["B-X"], ["O", "O"], ["B-Y"]] * 6,
        "two": [["B-X"], ["O", "O"], ["O"]] * 6,
        "three": [["B-X"], ["O", "O"], ["B-Y"]] * 6,
    }


def test_another_kind_of_sentence_comes_before_a_second_one_of_the_same_kind(crowd: dict[str, list[list[str]]]) -> None:
    pool = UnsupervisedPool().fit(crowd)
    first, second, *others = checking_order(pool, crowd)
    assert {first % 3, second % 3} == {0, 2}
    assert [number % 3 for number in others[-6:]] == [1] * 6


def test_what_was_checked_is_known(crowd: dict[str, list[list[str]]]) -> None:
    pool = UnsupervisedPool().fit(crowd)
    first = checking_order(pool, crowd, count=1)[0]
    again = checking_order(pool, crowd, count=1, checked=[first])[0]
    assert again % 3 != first % 3


def test_sentences_without_tokens_or_votes_are_ranked() -> None:
    votes = {"one": [["B-X"], [], None], "two": [["O"], [], None]}
    words = [["a"], [], ["b", "c"]]
    assert sorted(checking_order(UnsupervisedPool("dawid-skene").fit(votes, words=words), votes, words=words)) == [0, 1, 2]
