"""An estimator of rows of numbers on a CRF, so that the checks of scikit-learn, whose data are 2-d arrays, apply to taggers."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from tagpool import CRF, LBFGS


class RowClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Every row is a sentence of one token, whose features are the columns."""

    def __init__(self, l2: float = 1.0) -> None:
        self.l2 = l2

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RowClassifier:
        X, y = validate_data(self, X, y)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        trainer = LBFGS(iterations=300, tolerance=1e-9)
        labels = [[str(code)] for code in codes]
        try:
            self.tagger_ = CRF(l2=self.l2, trainer=trainer).fit(sentences(X), labels, sample_weight=sample_weight)
        except ValueError as error:  # scikit-learn wants the words "1 class" if there is one label only
            raise ValueError(f"{error} ({len(self.classes_)} class)") from None
        return self

    def predict_proba(self, X: Any) -> Any:
        check_is_fitted(self)
        rows = self.tagger_.predict_proba(sentences(validate_data(self, X, reset=False)))
        order = [self.tagger_.labels_.index(str(code)) for code in range(len(self.classes_))]
        return np.array([row[0] for row in rows])[:, order]

    def predict(self, X: Any) -> Any:
        check_is_fitted(self)
        rows = self.tagger_.predict(sentences(validate_data(self, X, reset=False)))
        return self.classes_[[int(row[0]) for row in rows]]


def sentences(X: Any) -> list[Any]:
    return [[{str(column): float(value) for column, value in enumerate(row)}] for row in X]
