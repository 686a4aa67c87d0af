"""Conventions of scikit-learn: its tools work with experts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate, learning_curve
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

import tagpool
from tagpool import CRF, LBFGS, SGD, BaggingPool, InducingTagger, InputError, MaxEnt


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


def test_parameters_of_the_trainer_are_searched(data):
    assert repr(CRF().set_params(trainer__epochs=3)) == "CRF(trainer=SGD(epochs=3))"
    assert repr(CRF().set_params(trainer__iterations=7, trainer="lbfgs")) == "CRF(trainer=LBFGS(iterations=7))"
    assert CRF().get_params()["trainer"] == "sgd"
    with pytest.raises(InputError, match="SGD has no parameter 'iterations'"):
        CRF().set_params(trainer__iterations=7)
    crf = CRF(l2=0.5)
    with pytest.raises(InputError, match="epochs"):
        crf.set_params(l2=2.0, trainer__dropout=0.1, trainer__epochs=0)
    assert repr(crf) == "CRF(l2=0.5)"  # a wrong value changes nothing
    lower = FunctionTransformer(lambda rows: [[word.lower() for word in row] for row in rows])
    pipeline = Pipeline([("lower", lower), ("crf", CRF("word[-1..1]"))])
    grid = {"crf__l2": [0.1, 1.0], "crf__trainer__epochs": [2, 4]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(*data)
    assert search.best_estimator_["crf"].trainer.epochs in (2, 4)
    assert search.best_estimator_.predict([["ANN"]]) == search.best_estimator_.predict([["ann"]])


@pytest.mark.parametrize("learner", [CRF("word[0]"), InducingTagger("word[0]"), BaggingPool(CRF("[a]\nword[0]\n[b]\nshape[0]"))])
def test_fitted_taggers_are_known(learner, data):
    with pytest.raises(NotFittedError):
        check_is_fitted(learner)
    check_is_fitted(learner.fit(*data))
    with pytest.raises(NotFittedError):
        check_is_fitted(clone(learner))


def test_other_tools(data):
    crf = CRF("word[-1..1]", trainer=SGD(epochs=3))
    results = cross_validate(crf, *data, cv=KFold(3), return_train_score=True)
    assert (results["train_score"] > results["test_score"]).all()
    sizes, _, test = learning_curve(crf, *data, cv=2, train_sizes=[0.3, 1.0])
    assert sizes.tolist() == [36, 120]
    assert test.shape == (2, 2)


@pytest.fixture
def routing() -> Iterator[None]:
    sklearn.set_config(enable_metadata_routing=True)
    yield
    sklearn.set_config(enable_metadata_routing=False)


@pytest.mark.usefixtures("routing")
def test_weights_of_sentences_are_routed(data):
    words, labels = data
    names = [["B-PER" if word[0].isupper() else "O" for word in row] for row in words]
    # Half of the sentences have other labels; their weight decides whether they are learned.
    sentences, gold = words + words, labels + names
    weights = np.array([1.0] * len(words) + [0.0] * len(words))
    with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        cross_val_score(CRF("word[0]"), sentences, gold, params={"sample_weight": weights})
    crf = CRF("word[0]\nshape[0]", trainer=LBFGS(iterations=30)).set_fit_request(sample_weight=True)
    assert crf.get_metadata_routing().fit.requests["sample_weight"] is True
    assert clone(crf).get_metadata_routing().fit.requests["sample_weight"] is True
    search = GridSearchCV(crf, {"l2": [1.0]}, cv=KFold(2, shuffle=True, random_state=1))
    weighted = search.fit(sentences, gold, sample_weight=weights).best_estimator_
    pipeline = Pipeline([("same", FunctionTransformer()), ("crf", clone(crf))])
    pipeline.fit(sentences, gold, sample_weight=weights)
    direct = clone(crf).fit(sentences, gold, sample_weight=weights)
    assert weighted.predict(words) == pipeline.predict(words) == direct.predict(words)
    assert weighted.predict(words) != clone(crf).fit(sentences, gold).predict(words)
    with pytest.raises(InputError, match="fit has no argument 'weights'; expected one of dev, sample_weight"):
        crf.set_fit_request(weights=True)


def test_routing_must_be_enabled():
    assert has_fit_parameter(CRF(), "sample_weight")
    with pytest.raises(InputError, match="first call sklearn"):
        CRF().set_fit_request(sample_weight=True)


def test_weights_of_a_series_are_in_its_order():
    sentences, labels = [["a"], [], ["a"], ["b"]], [["X"], [], ["Y"], ["Y"]]
    weights = pd.Series([9.0, 1.0, 0.1, 1.0], index=[2, 3, 0, 1])
    assert CRF("word[0]").fit(sentences, labels, sample_weight=weights).predict([["a"]]) == [["X"]]
    with pytest.raises(InputError, match="all weights are zero"):
        CRF("word[0]").fit(sentences, labels, sample_weight=[0, 0, 0, 0])


def test_labels_of_tokens_instead_of_sentences():
    with pytest.raises(InputError, match="sentence 1: expected a list of labels, one for each token, got int"):
        CRF("word[0]").fit([["a"], ["b"]], [1, 2])
