"""Automatic bags: templates that reduce the weights of each other are in different bags."""

from __future__ import annotations

import numpy as np
import pytest

import tagpool
from tagpool import CRF, SGD, BaggingPool, Corpus, InputError
from tagpool.experts.saving import SaveOptions
from tagpool.pools.bagging.auto_bags import _best_cut, _candidates

TEMPLATES = "word[0]\nshape(word)[-1..1]\nclue[0]\nsuffix(word, 1..3)[0]"


@pytest.fixture(scope="module")
def train() -> Corpus:
    """Two of three tokens have a feature that determines the label, so that features of the word get small weights."""
    corpus = tagpool.builtin_corpus(200, seed=8)
    clue = [[label if i % 3 else "none" for i, label in enumerate(row)] for row in corpus.labels]
    return Corpus.from_lists(word=corpus.words, clue=clue, label=corpus.labels)


def test_a_strong_feature_has_a_separate_bag(train):
    bagged = BaggingPool(CRF(TEMPLATES, trainer=SGD(epochs=4)), bags="auto").fit(train)
    assert len(bagged) == 2
    (separate,) = (name for name in bagged.names_ if "clue" in name)
    other = next(name for name in bagged.names_ if name != separate)
    assert not any("clue" in template for template in bagged.bags_[other])
    assert any("clue" in template for template in bagged.bags_[separate])
    assert set(bagged.bags_[separate]) | set(bagged.bags_[other]) == {
        "word[0]",
        "shape(word)[-1..1]",
        "clue[0]",
        "suffix(word, 1..3)[0]",
    }
    assert "clue reduces the weights of" in bagged.auto_
    assert "Held-out F1" in bagged.auto_


def test_bags_do_not_depend_on_the_threads(train):
    result = [BaggingPool(CRF(TEMPLATES, trainer=SGD(epochs=2)), bags="auto", threads=n).fit(train) for n in (1, 3)]
    assert result[0].auto_ == result[1].auto_
    assert result[0].to_bytes(SaveOptions()) == result[1].to_bytes(SaveOptions())


def test_the_cut_has_the_most_pressure_across_it():
    random = np.random.default_rng(3)
    for count in (2, 3, 5):
        pressure = random.uniform(size=(count, count))
        mutual = pressure + pressure.T
        sides = _best_cut(mutual)
        assert set(sides.tolist()) == {0, 1}
        across = sum(mutual[i, j] for i in range(count) for j in range(i) if sides[i] != sides[j])
        for number in range(1, 2**count - 1):
            other = [number >> bit & 1 for bit in range(count)]
            assert across >= sum(mutual[i, j] for i in range(count) for j in range(i) if other[i] != other[j]) - 1e-12
        for shared, left, right in _candidates(pressure):
            assert sorted((*shared, *left, *right)) == list(range(count))
            assert left
            assert right


def test_templates_without_bags(train):
    with pytest.raises(InputError, match="at least two kinds of templates, got only word"):
        BaggingPool(CRF("word[-1..1]\nword[2]"), bags="auto").fit(train)
