"""Sentences that are cut from an encoding."""

from __future__ import annotations

import pytest

from tagpool import Encoder, GivenEncoder, _native, builtin_corpus

CORPUS = builtin_corpus(30)


@pytest.mark.parametrize(("first", "last"), [(0, 30), (0, 1), (7, 19), (29, 30), (5, 5), (30, 30)])
def test_a_cut_is_the_encoding_of_its_sentences(first: int, last: int) -> None:
    encoder = Encoder("word[-1..1]\nsuffix(word, 1..3)[0]").fit(CORPUS)
    cut = encoder.transform(CORPUS).native.cut(first, last)
    alone = encoder.transform(CORPUS[first:last]).native
    for name in ("starts", "ids", "values", "sentences"):
        assert getattr(cut, name)().tolist() == getattr(alone, name)().tolist()


def test_values_are_cut() -> None:
    rows = [[{"a": 1.0}, {"b": 1.0}], [{"a": 0.5, "b": 2.0}], [{"b": 1.0}]]
    encoding = GivenEncoder().fit(rows).transform(rows).native
    middle = encoding.cut(1, 2)
    assert middle.values().tolist() == [0.5, 2.0]
    assert middle.sentences().tolist() == [0, 1]
    assert encoding.cut(2, 3).ids().tolist() == [1]


@pytest.mark.parametrize(("first", "last"), [(2, 1), (0, 31), (31, 31)])
def test_sentences_out_of_range(first: int, last: int) -> None:
    encoding = Encoder("word[0]").fit_transform(CORPUS).native
    with pytest.raises(_native.InputFault, match="there are 30"):
        encoding.cut(first, last)


def test_templates_that_look_at_documents() -> None:
    assert Encoder("elsewhere(word)[0]").fit(CORPUS).fitted_native.looks_at_documents
    assert not Encoder("word[-2..2]").fit(CORPUS).fitted_native.looks_at_documents
