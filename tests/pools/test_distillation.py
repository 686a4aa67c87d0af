"""Distillation of pools into taggers."""

from __future__ import annotations

from typing import Any

import pytest
from pools.small_experts import sample, stack, unsupervised

from tagpool import CRF, InputError, VotePool
from tagpool.experts.saving import SaveOptions
from tagpool.pools.beliefs import expected_errors
from tagpool.pools.distillation import distill


def tagger() -> CRF:
    return CRF("word[0]\nshape[0]")


@pytest.mark.parametrize("pool", [stack(), unsupervised("crf-em"), unsupervised("majority")], ids=lambda pool: pool.kind)
def test_every_kind_of_input_gives_the_same_tagger(pool: Any) -> None:
    corpus, experts = sample()
    expected = distill(pool, experts, corpus, tagger=tagger()).to_bytes(SaveOptions())
    generated = {name: map(iter, rows) for name, rows in experts.items()}
    assert distill(pool, generated, map(iter, corpus.words), tagger=tagger()).to_bytes(SaveOptions()) == expected
    empty = {name: [[], *rows] for name, rows in experts.items()}
    assert distill(pool, empty, [[], *corpus.words], samples=0, tagger=tagger()).predict(corpus) == distill(
        pool, experts, corpus, samples=0, tagger=tagger()
    ).predict(corpus)
    assert len(expected_errors(pool, experts, words=corpus)) == len(corpus)


def test_gold_labels_are_learned() -> None:
    corpus, experts = sample()
    gold = [["B-NEW" if label == "B-PER" else label for label in row] for row in corpus.labels]
    student = distill(unsupervised("dawid-skene"), experts, corpus, gold=gold, samples=0, gold_weight=100)
    assert "B-NEW" in student.labels_
    assert student.predict(corpus) == gold
    unknown = [[None] * len(row) for row in gold]
    pool = unsupervised("dawid-skene")
    assert distill(pool, experts, corpus, gold=unknown, tagger=tagger()).to_bytes(SaveOptions()) == distill(
        pool, experts, corpus, tagger=tagger()
    ).to_bytes(SaveOptions())


def test_refusals() -> None:
    corpus, experts = sample()
    pool = unsupervised("dawid-skene")
    with pytest.raises(InputError, match=r"gold, sentence 1: expected .* labels, one for each word, got 1"):
        distill(pool, experts, corpus, gold=[["O"], *corpus.labels[1:]])
    with pytest.raises(InputError, match="expected gold labels or None for 40 sentences, got 39"):
        distill(pool, experts, corpus, gold=corpus.labels[1:])
    with pytest.raises(InputError, match="there is no sentence with words"):
        distill(pool, {"one": [[]]}, [[]])
    with pytest.raises(InputError, match=r"expected samples of at least 0 and a positive gold_weight, got -1 and 3.0"):
        distill(pool, experts, corpus, samples=-1)
    votes = VotePool().fit(experts, corpus)
    with pytest.raises(InputError, match="a VotePool has no probabilities; use a StackedPool"):
        distill(votes, experts, corpus)
