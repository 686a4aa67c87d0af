"""Conventions of scikit-learn: its tools work with experts."""

from __future__ import annotations

import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

import tagpool
from tagpool import CRF, SGD, InducingTagger, MaxEnt


@pytest.fixture(scope="module")
def data() -> tuple[list[list[str]], list[list[str]]]:
    corpus = tagpool.builtin_corpus(240, seed=6)
    return corpus.words, corpus.labels


@pytest.mark.parametrize("kind", [CRF, MaxEnt])
def test_clone_and_parameters(kind, data):
    expert = kind("word[-1..1]", l2=0.3, trainer=SGD(epochs=4)).fit(*data)
    other = clone(expert)
    assert not other.is_fitted
    assert other.get_params()["l2"] == 0.3
    assert other.trainer is not expert.trainer
    assert other.get_params()["trainer__epochs"] == 4
    other.set_params(l2=2.0, trainer__epochs=7)
    assert (expert.l2, expert.trainer.epochs) == (0.3, 4)
    assert repr(other) == f"{kind.__name__}(templates='word[-1..1]', l2=2.0, trainer=SGD(epochs=7))"
    with pytest.raises(tagpool.InputError, match="has no parameter 'l3'; did you mean 'l2'"):
        other.set_params(l3=1)
    with pytest.raises(tagpool.InputError, match="has no parameters"):
        other.set_params(templates__x=1)


@pytest.mark.parametrize("kind", [CRF, MaxEnt, InducingTagger])
def test_cross_validation(kind, data):
    scores = cross_val_score(kind("word[-1..1]\nshape(word)[0]"), *data, cv=3)
    assert scores.shape == (3,)
    assert (scores > 0.35).all()


def test_an_inducing_tagger_is_cloned_and_searched(data):
    tagger = InducingTagger("word[-1..1]", epochs=3).fit(*data)
    assert not clone(tagger).is_fitted
    search = GridSearchCV(clone(tagger), {"induce": [True, False], "beam": [1, 2]}, cv=2).fit(*data)
    assert search.best_estimator_.is_fitted
    assert repr(clone(tagger)) == "InducingTagger(templates='word[-1..1]', epochs=3)"


@pytest.mark.parametrize("kind", [CRF, MaxEnt])
def test_grid_search(kind, data):
    search = GridSearchCV(kind("word[-1..1]"), {"l2": [0.1, 1000.0], "trainer": [SGD(epochs=2), SGD(epochs=5)]}, cv=2, n_jobs=2)
    search.fit(*data)
    assert search.best_params_["l2"] == 0.1
    assert search.predict(data[0][:2])
    features = [
        [
            [f"word={word}", f"ends={word[-2:]}", f"case={word.istitle()}", f"before={before}"]
            for before, word in zip(["", *sentence], sentence, strict=False)
        ]
        for sentence in data[0]
    ]
    assert GridSearchCV(kind(), {"min_count": [1, 2]}, cv=2).fit(features, data[1]).best_score_ > 0.4
