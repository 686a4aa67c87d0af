"""UnsupervisedPool: properties that hold whatever the experts say, files, and refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pools.small_experts import sample, unsupervised

from tagpool import InputError, NotFittedError, UnsupervisedPool, load
from tagpool.pools.beliefs import expected_errors

METHODS = ("crf-em", "dawid-skene", "majority")
methods = pytest.mark.parametrize("method", METHODS)


def same(one: tuple, other: tuple) -> bool:
    return one[0] == other[0] and all(np.allclose(a, b, atol=1e-9) for a, b in zip(one[1], other[1], strict=True))


@methods
def test_the_order_and_the_names_of_experts_do_not_matter(method: str) -> None:
    corpus, experts = sample()
    pool = unsupervised(method)
    expected = pool.predict_with_confidence(experts, words=corpus)
    assert same(pool.predict_with_confidence(dict(reversed(experts.items())), words=corpus), expected)
    assert same(pool.predict_with_confidence(list(experts.values()), words=corpus), expected)
    renamed = {f"x{name}": rows for name, rows in experts.items()}
    other = UnsupervisedPool(method, rounds=2, folds=3).fit(renamed, words=corpus)
    assert same(other.predict_with_confidence(renamed, words=corpus), expected)


@methods
def test_every_kind_of_input_is_equal(method: str) -> None:
    corpus, experts = sample()
    expected = unsupervised(method).to_bytes()
    for make in (tuple, iter, lambda rows: map(iter, rows)):
        pool = UnsupervisedPool(method, rounds=2, folds=3).fit(
            {name: make(rows) for name, rows in experts.items()}, words=make(corpus.words)
        )
        assert pool.to_bytes() == expected
    by_corpus = {name: corpus.with_labels(rows) for name, rows in experts.items()}
    assert UnsupervisedPool(method, rounds=2, folds=3).fit(by_corpus, words=corpus).to_bytes() == expected


@methods
def test_a_file_gives_the_same_labels(method: str, tmp_path: Path) -> None:
    corpus, experts = sample()
    pool = unsupervised(method)
    pool.save(tmp_path / "pool")
    again = load(tmp_path / "pool")
    assert isinstance(again, UnsupervisedPool)
    assert same(again.predict_with_confidence(experts, words=corpus), pool.predict_with_confidence(experts, words=corpus))
    assert again.accuracy_ == pool.accuracy_
    assert again.get_params() == pool.get_params()
    assert again.to_bytes() == pool.to_bytes()


@methods
def test_a_missing_expert_is_one_without_labels(method: str) -> None:
    corpus, experts = sample()
    pool = unsupervised(method)
    fewer = {name: rows for name, rows in experts.items() if name != "one"}
    expected = pool.predict(fewer, words=corpus)
    assert pool.predict(experts | {"one": [None] * len(corpus)}, words=corpus) == expected
    assert pool.predict(experts | {"one": [[None] * len(words) for words in corpus.words]}, words=corpus) == expected


@methods
def test_sentences_without_labels_or_tokens(method: str) -> None:
    pool = unsupervised(method)
    experts = {"capitals": [[], None, ["O"]], "one": [[], None, [None]], "two": [None, None, None]}
    words = [[], ["Ann", "left"], ["x"]]
    labels, confidence = pool.predict_with_confidence(experts, words=words)
    assert list(map(len, labels)) == list(map(len, confidence)) == [0, 2, 1]
    assert expected_errors(pool, experts, words=words)[0] == 0
    assert pool.predict({"capitals": []}, words=[]) == []


def test_a_token_without_votes_is_outside() -> None:
    pool = unsupervised("majority")
    assert pool.predict({"capitals": [[None, "B-PER"]], "one": [[None, None]]}) == [["O", "B-PER"]]


@methods
def test_plain_labels(method: str) -> None:
    corpus, _ = sample()
    tags = [["NAME" if word.istitle() else "WORD" for word in words] for words in corpus.words]
    other = [["NAME" if number % 3 else "WORD" for number, _ in enumerate(words)] for words in corpus.words]
    experts = {"a": tags, "b": tags, "c": other}
    assert UnsupervisedPool(method, rounds=1, folds=2).fit(experts, words=corpus).predict(experts, words=corpus) == tags


def test_one_certain_label_trains_no_word_tagger() -> None:
    """Every fold of crf-em has one label only: the words say nothing then."""
    experts = {"a": [["O", "O"]] * 8, "b": [["O", "O"]] * 8}
    pool = UnsupervisedPool("crf-em", rounds=1).fit(experts, words=[["Ann", "left"]] * 8)
    assert pool.predict(experts, words=[["Ann", "left"]] * 8) == experts["a"]


def test_experts_abstain_by_o() -> None:
    _, experts = sample()
    rare = [["O"] * len(row) for row in experts["one"]]
    pool = UnsupervisedPool("dawid-skene", abstain="auto").fit(experts | {"rare": rare})
    assert "rare" in pool.abstaining_
    named = UnsupervisedPool("dawid-skene", abstain=["rare", "rare"]).fit(experts | {"rare": rare})
    assert named.abstaining_ == ("rare",)
    assert named.predict(experts | {"rare": rare}) == named.predict(experts)


def test_refusals() -> None:
    corpus, experts = sample()
    with pytest.raises(InputError, match=r"crf-em needs the words: give them as words=, or use dawid-skene"):
        UnsupervisedPool("crf-em").fit(experts)
    with pytest.raises(InputError, match=r"abstain: there is no expert 'absent'; the experts are capitals, one, two"):
        UnsupervisedPool(abstain="absent").fit(experts)
    with pytest.raises(InputError, match=r"the pool was fitted with words: give those of the sentences as words="):
        unsupervised("crf-em").predict(experts)
    with pytest.raises(InputError, match=r"no expert has a label: there is nothing to learn from"):
        UnsupervisedPool().fit({"a": [[None, None]], "b": [None]})
    with pytest.raises(InputError, match=r"words, sentence 1: expected a list of words, each a text"):
        UnsupervisedPool().fit(experts, words=["Ann left"] * len(corpus))
    with pytest.raises(NotFittedError):
        UnsupervisedPool().predict(experts)
    assert "dawid-skene" in str(unsupervised("dawid-skene").describe())
    with pytest.raises(InputError, match="leave out label and template"):
        unsupervised("majority").describe(labels=["O"])
