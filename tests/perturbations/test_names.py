"""Names: replacements have the type, come from where they should, and are the same in a document."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tagpool
from tagpool import Corpus, NotApplicable, perturb
from tagpool.corpus.schemes import spans
from tagpool.perturbations.names import names_by_type

CORPUS = tagpool.builtin_corpus(60)


def names_of(corpus: Corpus) -> list[tuple[str, tuple[str, ...]]]:
    return [
        (kind, tuple(words[start:end]))
        for words, labels in zip(corpus.words, corpus.labels, strict=True)
        for start, end, kind in spans(labels)
    ]


def test_names_of_another_corpus() -> None:
    source = tagpool.builtin_corpus(60, part="dev")
    new = perturb(CORPUS, "names", names=source, seed=2)
    available = names_by_type(source)
    replaced = 0
    for (kind, name), (old_kind, old) in zip(names_of(new), names_of(CORPUS), strict=True):
        assert kind == old_kind
        assert name == old or name in available[kind] or name in {tuple(map(str.upper, one)) for one in available[kind]}
        replaced += name != old
    assert replaced > 0.8 * len(names_of(CORPUS))


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 100))
def test_made_up_names_are_unknown(seed: int) -> None:
    known = {"Zorb", "Anna"}
    new = perturb(CORPUS, "names", known=known, seed=seed)
    vocabulary = {word.lower() for row in CORPUS.words for word in row} | {"zorb", "anna"}
    outside = {
        word
        for words, labels in zip(CORPUS.words, CORPUS.labels, strict=True)
        for word, label in zip(words, labels, strict=True)
        if label == "O"
    }
    assert [kind for kind, _ in names_of(new)] == [kind for kind, _ in names_of(CORPUS)]
    for (_, name), (_, old) in zip(names_of(new), names_of(CORPUS), strict=True):
        assert len(name) == len(old)
        fresh = [word for word, before in zip(name, old, strict=True) if word != before]
        assert fresh
        assert not any(word.lower() in vocabulary for word in fresh)
        assert all(word in outside or not word[0].isalpha() or len(word) < 3 for word in set(name) - set(fresh))
        assert all(word[0].isupper() == before[0].isupper() for word, before in zip(name, old, strict=True))


def test_words_of_the_least_alphabet_still_become_new() -> None:
    """All short words over one letter are known, so the n-grams of the names have no new one."""
    corpus = Corpus.from_lists(word=[["aa", "said"], ["aaa", "said"]], label=[["B-X", "O"]] * 2)
    known = ["a" * size for size in range(1, 9)]
    new = perturb(corpus, "names", known=known)
    assert not {word for row in new.words for word in row[:1]} & {*known, "aa", "aaa"}
    assert perturb(Corpus.from_lists(word=[["ß"]], label=[["B-X"]]), "names").words != [["ß"]]


def test_a_name_stays_the_same_in_a_document() -> None:
    rows = [["Bill", "Clinton", "spoke"], ["Clinton", "left"], ["Clinton", "left"]]
    labels = [["B-PER", "I-PER", "O"], ["B-PER", "O"], ["B-PER", "O"]]
    corpus = Corpus.from_columns({"word": rows, "label": labels}, documents=[0, 2])
    first, second, third = perturb(corpus, "names").words
    assert first[1] == second[0] != third[0]


def test_longer_and_shorter_names_copy_columns() -> None:
    source = Corpus.from_lists(word=[["A", "b", "C", "D"]], label=[["B-X", "I-X", "I-X", "I-X"]])
    corpus = Corpus.from_lists(word=[["u", "v", "w"]], tag=[["1", "2", "3"]], label=[["B-X", "I-X", "O"]])
    assert dict(perturb(corpus, "names", names=source)[0].columns) == {
        "word": ["A", "b", "C", "D", "w"],
        "tag": ["1", "2", "2", "2", "3"],
        "label": ["B-X", "I-X", "I-X", "I-X", "O"],
    }
    back = perturb(source, "names", names=corpus)
    assert back.words == [["u", "v"]]
    assert back.labels == [["B-X", "I-X"]]


@pytest.mark.parametrize(
    ("labels", "reason"),
    [(["NN", "VB"], "plain labels"), (["O", "O"], "no spans")],
)
def test_without_names(labels: list[str], reason: str) -> None:
    corpus = Corpus.from_lists(word=[["a", "b"]], label=[labels])
    with pytest.raises(NotApplicable, match=reason):
        perturb(corpus, "names")
    with pytest.raises(NotApplicable, match=f"corpus of names: .*{reason}"):
        perturb(CORPUS, "names", names=corpus)


def test_other_types_are_no_source() -> None:
    source = Corpus.from_lists(word=[["a"]], label=[["B-GENE"]])
    with pytest.raises(NotApplicable, match=r"no name of these types; the types there are GENE"):
        perturb(CORPUS, "names", names=source)


def test_capitals_stay_capitals() -> None:
    corpus = Corpus.from_lists(word=[["ANN", "MET", "BOB"]], label=[["B-PER", "O", "B-PER"]])
    source = Corpus.from_lists(word=[["Ray"]], label=[["B-PER"]])
    assert perturb(corpus, "names", names=source).words == [["RAY", "MET", "RAY"]]
