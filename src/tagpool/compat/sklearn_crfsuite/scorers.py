"""Scorers for scikit-learn's searches and cross-validation."""

from __future__ import annotations

from typing import Any

from tagpool.compat.sklearn_crfsuite.metrics import flat_accuracy_score, sequence_accuracy_score


def flat_accuracy(estimator: Any, X: Any, y: Any) -> float:
    """Return the accuracy over items."""
    return flat_accuracy_score(y, estimator.predict(X))


def sequence_accuracy(estimator: Any, X: Any, y: Any) -> float:
    """Return the rate of sequences that are entirely right."""
    return sequence_accuracy_score(y, estimator.predict(X))
