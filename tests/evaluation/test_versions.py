"""Versions of sentences are compared on the same draws; with equal gold labels that is the paired bootstrap."""

from __future__ import annotations

import random

import pytest

from tagpool import InputError, score
from tagpool.evaluation.significance import paired_bootstrap
from tagpool.evaluation.versions import Versions, count_version

LABELS = ["O", "O", "B-X", "I-X", "B-Y"]


def rows(seed: int, lengths: list[int]) -> list[list[str]]:
    draw = random.Random(seed)
    return [[draw.choice(LABELS) for _ in range(length)] for length in lengths]


@pytest.mark.parametrize("plain", [False, True])
def test_equal_gold_gives_the_paired_bootstrap(plain: bool) -> None:
    lengths = [random.Random(1).randint(1, 9) for _ in range(60)]
    gold, first, second = rows(1, lengths), rows(2, lengths), rows(3, lengths)
    tables = {str(number): count_version(gold, one, plain=plain).by_sentence() for number, one in enumerate((first, second))}
    versions = Versions(tables, draws=500, seed=7)
    options = {"plain": True, "outside": None} if plain else {"plain": False}
    expected = paired_bootstrap(gold, first, second, draws=500, seed=7, **options)
    difference = versions.difference(["1"], ["0"])
    assert versions.score("0") == pytest.approx(expected.first)
    assert difference.value == pytest.approx(expected.difference)
    assert difference.interval == pytest.approx(expected.interval)
    assert difference.p_value == expected.p_value
    assert versions.interval("0") == pytest.approx(
        score(gold, first, draws=500, seed=7, **options).intervals["f1"]  # type: ignore[arg-type]
    )


def test_differences_add_up() -> None:
    lengths = [5] * 40
    gold = rows(1, lengths)
    tables = {str(seed): count_version(gold, rows(seed, lengths), plain=False).by_sentence() for seed in (1, 2, 3, 4)}
    versions = Versions(tables, draws=200)
    both = versions.difference(["1", "3"], ["2", "4"]).value
    assert both == pytest.approx(versions.difference(["1"], ["2"]).value + versions.difference(["3"], ["4"]).value)
    nothing = versions.difference(["1", "2"], ["2", "1"])
    assert (nothing.value, *nothing.interval, nothing.p_value) == (0, 0, 0, 1)


def test_other_sentences_are_refused() -> None:
    tables = {
        name: count_version([["O"]] * size, [["O"]] * size, plain=False).by_sentence() for name, size in (("a", 1), ("b", 2))
    }
    with pytest.raises(InputError, match="same sentences"):
        Versions(tables)
