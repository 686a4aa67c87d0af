"""sklearn-crfsuite's estimator, beside sklearn-crfsuite itself, and within scikit-learn's tools."""

from __future__ import annotations

import ctypes
import importlib
import inspect
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn_crfsuite as theirs
from sklearn.base import clone
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn_crfsuite import metrics as their_metrics

from tagpool import builtin_corpus
from tagpool.compat import pycrfsuite, sklearn_crfsuite
from tagpool.compat.sklearn_crfsuite import metrics, scorers
from tagpool.errors import InputError, NotFittedError


def features(corpus: Any) -> list[list[dict[str, Any]]]:
    def of(word: str) -> dict[str, Any]:
        return {"word": word, "end": word[-2:], "case": {"title": word.istitle()}, "bias": 1.0}

    return [[of(word) for word in sentence] for sentence in corpus.words]


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any]:
    corpus = builtin_corpus(60, seed=3)
    return features(corpus), corpus.labels


@pytest.fixture(scope="module")
def fitted(data: Any) -> Any:
    return sklearn_crfsuite.CRF(c2=0.1, epsilon=1e-6, delta=1e-9, all_possible_transitions=True).fit(*data)


def test_the_constructor_is_theirs() -> None:
    expected = {name: item.default for name, item in inspect.signature(theirs.CRF).parameters.items()}
    assert {name: item.default for name, item in inspect.signature(sklearn_crfsuite.CRF).parameters.items()} == expected
    assert list(sklearn_crfsuite.CRF().get_params()) == list(expected)


def test_it_predicts_what_theirs_does(data: Any, fitted: Any) -> None:
    them = theirs.CRF(c2=0.1, epsilon=1e-6, delta=1e-9, all_possible_transitions=True).fit(*data)
    assert fitted.classes_ == them.classes_
    assert [list(item) for item in fitted.predict(data[0])] == [list(item) for item in them.predict(data[0])]
    assert fitted.score(*data) == pytest.approx(them.score(*data))
    for mine, their in zip(fitted.predict_marginals(data[0][:5]), them.predict_marginals(data[0][:5]), strict=True):
        for one, other in zip(mine, their, strict=True):
            assert one == pytest.approx(other, abs=1e-3)
    assert fitted.transition_features_.keys() == them.transition_features_.keys()
    assert fitted.state_features_ == pytest.approx(them.state_features_, abs=1e-2)
    assert (fitted.num_attributes_, fitted.attributes_) == (them.num_attributes_, them.attributes_)
    assert fitted.size_ == them.size_
    assert fitted.training_log_.last_iteration["loss"] == pytest.approx(them.training_log_.last_iteration["loss"], rel=1e-5)


@pytest.mark.parametrize("algorithm", [None, "l2sgd", "ap", "pa", "arow"])
def test_every_algorithm_is_fitted(data: Any, algorithm: str | None) -> None:
    crf = sklearn_crfsuite.CRF(algorithm, max_iterations=80, c2=0.05 if algorithm in (None, "l2sgd") else None).fit(*data)
    assert crf.score(*data) > 0.9


def test_a_dev_set_is_scored(data: Any) -> None:
    crf = sklearn_crfsuite.CRF(max_iterations=3).fit(*data, data[0][:10], data[1][:10])
    assert 0 < crf.training_log_.last_iteration["item_accuracy_float"] <= 1
    with pytest.raises(InputError, match="both X_dev and y_dev"):
        crf.fit(*data, data[0])


def test_verbose_says_a_line_an_iteration(data: Any, capsys: Any) -> None:
    sklearn_crfsuite.CRF(max_iterations=2, verbose=True).fit(*data)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Iter ")]
    assert len(lines) == 2
    assert "loss=" in lines[0]


@pytest.mark.parametrize("algorithm", ["lbfgs", "ap", "l2sgd"])
def test_verbose_says_what_theirs_does_of_a_dev_set(data: Any, capsys: Any, algorithm: str) -> None:
    messages = []
    ctypes.CDLL(None).srand(1)  # the random numbers of a new process
    for module in (theirs, sklearn_crfsuite):
        dev = [*data[0][:20], [{"word": "x"}]], [*data[1][:20], ["a label of 21 letters"]]
        module.CRF(algorithm, max_iterations=2, verbose=True).fit(*data, *dev)
        messages.append(re.sub(r"(time=|econds required[^:]*: )[0-9.]+ *", r"\1t ", capsys.readouterr().out))
    assert messages[1] == messages[0]


def test_it_is_pickled_with_its_model_and_without_files(data: Any, fitted: Any) -> None:
    assert fitted.tagger_ is not None  # what is open does not hinder
    again = pickle.loads(pickle.dumps(fitted))
    assert [list(item) for item in again.predict(data[0][:8])] == [list(item) for item in fitted.predict(data[0][:8])]
    assert again.state_features_ == fitted.state_features_


def test_a_file_is_written_where_one_is_named(data: Any, tmp_path: Path) -> None:
    path = tmp_path / "model.crfsuite"
    crf = sklearn_crfsuite.CRF(max_iterations=3, model_filename=str(path)).fit(*data)
    tagger = pycrfsuite.Tagger()
    tagger.open(path)
    assert tagger.tag(data[0][0]) == crf.predict_single(data[0][0])
    assert path.stat().st_size == crf.size_
    for module in (theirs, sklearn_crfsuite):  # what is there already is used without fitting
        again = module.CRF(model_filename=str(path))
        assert list(again.predict_single(data[0][0])) == crf.predict_single(data[0][0])
        assert (again.modelfile.name, again.size_) == (str(path), crf.size_)


@pytest.mark.parametrize("keep", [False, True])
def test_a_model_without_a_file_has_one_where_it_is_asked_for(data: Any, keep: bool) -> None:
    crf = sklearn_crfsuite.CRF(max_iterations=3, keep_tempfiles=keep)
    assert crf.modelfile.name is None
    crf.fit(iter(data[0]), iter(data[1]))
    path = Path(crf.modelfile.name)
    assert crf.modelfile.name == str(path)
    assert path.stat().st_size == crf.size_
    assert pickle.loads(pickle.dumps(crf)).modelfile.name != str(path)
    del crf
    assert path.exists() == keep
    path.unlink(missing_ok=True)


def test_before_it_is_fitted() -> None:
    crf = sklearn_crfsuite.CRF()
    for name in ("tagger_", "classes_", "size_", "attributes_", "num_attributes_", "state_features_", "transition_features_"):
        assert getattr(crf, name) is None
    with pytest.raises(NotFittedError, match=r"call fit\(X, y\) first"):
        crf.predict_single([["a"]])


def test_bad_input(data: Any) -> None:
    with pytest.raises(InputError, match="number 60 has no labels"):
        sklearn_crfsuite.CRF().fit(data[0], data[1][:-1])
    with pytest.raises(InputError, match="number 60 has no sequence"):
        sklearn_crfsuite.CRF().fit(data[0][:-1], data[1])
    with pytest.raises(FileNotFoundError, match="nowhere"):
        sklearn_crfsuite.CRF(model_filename="/nowhere/model").predict([[["a"]]])
    with pytest.raises(InputError, match="Parameter not found: c1; the algorithm averaged-perceptron"):
        sklearn_crfsuite.CRF("ap", c1=1.0).fit(*data)
    with pytest.raises(InputError, match="expected a class derived from"):
        sklearn_crfsuite.CRF(trainer_cls=dict).fit(*data)


def test_scikit_learn_clones_and_searches(data: Any, fitted: Any) -> None:
    other = clone(fitted)
    assert other.tagger_ is None
    assert other.get_params() == fitted.get_params()
    score = make_scorer(metrics.flat_f1_score, average="weighted")
    grid = {"c2": [0.1, 300.0], "max_iterations": [5]}
    search = GridSearchCV(sklearn_crfsuite.CRF(), grid, cv=2, scoring=score).fit(*data)
    assert search.best_params_["c2"] == 0.1
    for scorer in (None, scorers.flat_accuracy):
        assert (cross_val_score(sklearn_crfsuite.CRF(max_iterations=5), *data, cv=2, scoring=scorer) > 0.5).all()
    predicted = fitted.predict(data[0])
    assert scorers.sequence_accuracy(fitted, *data) == their_metrics.sequence_accuracy_score(data[1], predicted)


def test_all_their_modules_are_there() -> None:
    for name in ("metrics", "scorers", "estimator", "trainer", "utils"):
        importlib.import_module(f"sklearn_crfsuite.{name}")
        theirs_has = vars(getattr(theirs, name))
        here = vars(getattr(sklearn_crfsuite, name))
        separate = [item for item, what in theirs_has.items() if getattr(what, "__module__", "").startswith("sklearn_crfsuite.")]
        public = {item for item in separate if not item.startswith("_")}
        assert public - {"FileResource"} <= set(here), name


def test_metrics_are_theirs() -> None:
    true, result = [["a", "b", "a"], ["c"], ["b", "b"]], [["a", "a", "a"], ["c"], ["b", "c"]]
    for name, options in (
        ("accuracy_score", {}),
        ("precision_score", {"average": "macro"}),
        ("recall_score", {"average": "macro"}),
        ("f1_score", {"average": "weighted", "labels": ["a", "b"]}),
        ("fbeta_score", {"beta": 2.0, "average": "micro"}),
        ("classification_report", {"digits": 3}),
    ):
        assert getattr(metrics, f"flat_{name}")(true, result, **options) == getattr(their_metrics, f"flat_{name}")(
            true, result, **options
        )
    assert metrics.sequence_accuracy_score(true, result) == 1 / 3
    assert metrics.sequence_accuracy_score([], []) == 0
    arrays = np.array([["a", "b"], ["c", "d"]], dtype=object)
    assert metrics.sequence_accuracy_score(arrays.tolist(), arrays) == 1
    with pytest.raises(InputError, match="as many predicted labels"):
        metrics.flat_accuracy_score([["a"]], [["a", "b"]])
