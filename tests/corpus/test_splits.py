"""Splits: sizes, seeds, and that nothing is lost or shared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError


def numbered(count: int, documents: list[int] | None = None) -> Corpus:
    return Corpus.from_columns({"word": [[str(i)] for i in range(count)]}, documents=documents or [], source="here")


def numbers(corpus: Corpus) -> list[int]:
    return [int(words[0]) for words in corpus.words]


DOCUMENTS = [0, 3, 4, 9]
ALL = list(range(12))


def documents_of(chosen: list[int]) -> set[int]:
    return {sum(start <= i for start in DOCUMENTS) for i in chosen}


@given(st.integers(2, 40), st.floats(0.01, 0.99), st.integers(0, 5), st.booleans())
def test_a_split_parts_the_corpus(count, share, seed, shuffle):
    train, dev = numbered(count).split(share, seed=seed, shuffle=shuffle)
    assert len(dev) == min(max(round(share * count), 1), count - 1)
    assert sorted(numbers(train) + numbers(dev)) == list(range(count))
    assert numbers(train) == sorted(numbers(train))
    assert numbers(dev) == sorted(numbers(dev))
    if not shuffle:
        assert numbers(dev) == list(range(count))[-len(dev) :]


def test_the_seed_decides_and_is_the_same_everywhere():
    splits = [numbers(numbered(50).split(0.2, seed=seed)[1]) for seed in range(5)]
    assert splits == [numbers(numbered(50).split(0.2, seed=seed)[1]) for seed in range(5)]
    assert len(set(map(tuple, splits))) == 5
    assert numbers(numbered(10).split(0.3, seed=1)[1]) == [1, 2, 4]  # written down once: the same on every machine


@pytest.mark.parametrize("share", [0, 1, -0.5, 1.5, float("nan")])
def test_bad_shares(share):
    with pytest.raises(InputError, match="share="):
        numbered(5).split(share)


@pytest.mark.parametrize("count", [0, 1])
def test_too_little_to_split(count):
    with pytest.raises(InputError, match=f"cannot split {count} sentence"):
        numbered(count).split()


@given(st.integers(2, 30), st.data(), st.booleans())
def test_folds_part_the_corpus(count, data, shuffle):
    folds = data.draw(st.integers(2, count))
    parts = list(numbered(count).folds(folds, seed=data.draw(st.integers(0, 3)), shuffle=shuffle))
    assert len(parts) == folds
    assert sorted(i for _, test in parts for i in numbers(test)) == list(range(count))
    assert all(sorted(numbers(train) + numbers(test)) == list(range(count)) for train, test in parts)
    sizes = [len(test) for _, test in parts]
    assert max(sizes) - min(sizes) <= 1
    if not shuffle:
        assert [i for _, test in parts for i in numbers(test)] == list(range(count))


@pytest.mark.parametrize("folds", [-1, 0, 1, 6])
def test_bad_numbers_of_folds(folds):
    with pytest.raises(InputError, match=f"folds={folds}: expected 2 to 5, the number of sentences"):
        list(numbered(5).folds(folds))


def test_documents_stay_whole():
    corpus = numbered(12, DOCUMENTS)
    for seed in range(6):
        train, dev = corpus.split(0.5, seed=seed, by_document=True)
        assert sorted(numbers(train) + numbers(dev)) == ALL
        assert not documents_of(numbers(train)) & documents_of(numbers(dev))
        assert len(dev.document_starts) == 2
    for train, test in corpus.folds(4, by_document=True):
        assert len(test.document_starts) == 1
        assert len(train.document_starts) == 3
        assert not documents_of(numbers(train)) & documents_of(numbers(test))
    assert numbers(corpus.split(0.25, by_document=True, shuffle=False)[1]) == [9, 10, 11]
    assert [numbers(part) for part in corpus.documents()] == [[0, 1, 2], [3], [4, 5, 6, 7, 8], [9, 10, 11]]


def test_sentences_before_the_first_mark_are_not_lost():
    corpus = numbered(4, [2])
    assert [numbers(part) for part in corpus.documents()] == [[0, 1], [2, 3]]


def test_errors_of_documents():
    for split in (lambda c: c.split(by_document=True), lambda c: list(c.folds(by_document=True)), Corpus.documents):
        with pytest.raises(InputError, match="here: the corpus has no documents; mark them"):
            split(numbered(5))
    with pytest.raises(InputError, match="cannot split 1 document: expected at least 2"):
        numbered(5, [0]).split(by_document=True)
    with pytest.raises(InputError, match="expected 2 to 4, the number of documents"):
        list(numbered(12, DOCUMENTS).folds(5, by_document=True))
