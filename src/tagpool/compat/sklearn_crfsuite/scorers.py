"""Scorers for scikit-learn's searches and validations."""

from __future__ import annotations

from typing import Any

from tagpool.compat.sklearn_crfsuite.metrics import flat_accuracy_score, sequence_accuracy_score


def flat_accuracy(estimator: Any, X: Any, y: Any) -> float:
    """The share of items that are right."""
    return flat_accuracy_score(y, estimator.predict(X))


def sequence_accuracy(estimator: Any, X: Any, y: Any) -> float:
    """The share of sequences that are right from end to end."""
    return sequence_accuracy_score(y, estimator.predict(X))
