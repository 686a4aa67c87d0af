"""The checks of scikit-learn for estimators.

Sentences are no 2-d arrays, so that most checks do not apply to a tagger itself. Those on its parameters run on it; those on data
run on a classifier of rows that are sentences of one token.
"""

from __future__ import annotations

import inspect
import unittest
import warnings
from typing import Any

import numpy as np
import pytest
from experts.sklearn_rows import RowClassifier, sentences
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import estimator_checks_generator

from tagpool import CRF, BaggingPool, InducingTagger, MaxEnt

# Checks without data.
OF_PARAMETERS = (
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_estimator_tags_renamed",
    "check_get_params_invariance",
    "check_mixin_order",
    "check_no_attributes_set_in_init",
    "check_parameters_default_constructible",
    "check_set_params",
    "check_valid_tag_types",
)
# Checks that do not hold, with the reason. scikit-learn's generator lists no check that is not here or passes.
EXCEPTIONS = {
    "check_sample_weight_equivalence_on_dense_data": "weights of models are float32, and the check wants 7 digits",
}


LEARNERS = (CRF("word[0]"), MaxEnt("word[0]"), InducingTagger("word[0]"), BaggingPool(CRF("ner-bagging")))


@pytest.mark.filterwarnings("ignore:InputError occurred during set_params")  # values are checked at once, which is allowed
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.kind)
@pytest.mark.parametrize("name", OF_PARAMETERS)
def test_checks_of_parameters(learner: Any, name: str) -> None:
    if name == "check_parameters_default_constructible" and isinstance(learner, BaggingPool):
        pytest.skip("a pool has a parameter without a default: its expert")
    getattr(estimator_checks, name)(type(learner).__name__, learner)


def name_of(check: Any) -> str:
    return getattr(check, "func", check).__name__


def checks_of_rows() -> list[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [check for _, check in estimator_checks_generator(RowClassifier()) if name_of(check) not in EXCEPTIONS]


@pytest.mark.parametrize("check", checks_of_rows(), ids=name_of)
def test_checks_of_data(check: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn warns about the data of its own checks
        try:
            check(RowClassifier())
        except unittest.SkipTest as reason:
            pytest.skip(str(reason))


def test_exceptions_are_checks() -> None:
    assert all(inspect.isfunction(getattr(estimator_checks, name)) for name in EXCEPTIONS)


def test_weights_are_repetitions() -> None:
    random = np.random.RandomState(0)
    X, y, weights = random.normal(size=(30, 4)), random.randint(0, 3, 30), random.randint(0, 4, 30)
    weighted = RowClassifier().fit(X, y, sample_weight=weights)
    repeated = RowClassifier().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert np.abs(weighted.predict_proba(X) - repeated.predict_proba(X)).max() < 1e-6
    assert np.abs(weighted.predict_proba(X) - RowClassifier().fit(X, y).predict_proba(X)).max() > 0.01
    assert weighted.tagger_.predict(sentences(X))
