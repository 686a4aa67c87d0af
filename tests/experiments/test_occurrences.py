"""What the rest of a document says about a word, against a plain look at every other occurrence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagpool.corpus.corpus import Corpus
from tagpool.experiments.occurrences import with_occurrences

WORDS = ["lee", "Lee", "LEE", "ann", "Ann", "of", "3", "A", "-"]
documents = st.lists(
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), min_size=1, max_size=4), min_size=1, max_size=3
)


def corpus_of(parts: list[list[list[str]]]) -> Corpus:
    starts = [sum(map(len, parts[:number])) for number in range(len(parts))]
    return Corpus.from_columns({"word": [sentence for part in parts for sentence in part]}, documents=starts)


def letter(word: str) -> str:
    return "U" if len(word) > 1 and word.isupper() else "C" if word[0].isupper() else "l" if word[0].isalpha() else ""


@given(documents)
def test_elsewhere_is_every_other_occurrence_of_the_same_document(parts: list[list[list[str]]]) -> None:
    found = with_occurrences(corpus_of(parts))
    cases, elsewhere = [row[0] for row in found.column("case")], iter(found.column("elsewhere"))
    at = 0
    for part in parts:
        mixed = [number for number in range(len(part)) if cases[at + number] == "mixed"]
        for number, sentence in enumerate(part):
            said = next(elsewhere)
            for place, word in enumerate(sentence):
                others = {
                    letter(other)
                    for each in mixed
                    for there, other in enumerate(part[each])
                    if other.lower() == word.lower() and (each, there) != (number, place) and (there > 0 or letter(other) == "l")
                }
                assert said[place] == ("".join(form for form in "lCU" if form in others) or "-")
        at += len(part)


@pytest.mark.parametrize(
    ("sentence", "case"),
    [
        ("LEE WINS 3", "upper"),
        ("Lee Wins Again", "title"),
        ("Lee Wins", "mixed"),
        ("Lee wins again", "mixed"),
        ("3 - 2", "none"),
    ],
)
def test_the_case_of_a_sentence(sentence: str, case: str) -> None:
    found = with_occurrences(Corpus.from_lists(word=[sentence.split()]))
    assert set(found.column("case")[0]) == {case}


def test_the_place_in_the_longest_run_of_capitals_of_the_same_document() -> None:
    one = [["by", "Jo", "Ann", "Lee", "and", "Lee", "Smith"], ["Lee", "left"], ["ann", "Ann"]]
    found = with_occurrences(corpus_of([one, [["Lee", "left"]]])).column("around")
    assert found[0] == ["-", "first", "inner", "last", "-", "last", "last"]
    assert found[1:] == [["last", "-"], ["-", "inner"], ["-", "-"]]
