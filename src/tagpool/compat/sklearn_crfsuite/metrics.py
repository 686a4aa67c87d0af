"""Scores over items, by the functions of scikit-learn, and over whole sequences."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from typing import Any

from tagpool.compat.sklearn_crfsuite.utils import flatten
from tagpool.errors import InputError

Sequences = Sequence[Iterable[str]]


def flat_accuracy_score(y_true: Sequences, y_pred: Sequences) -> float:
    """Return the accuracy over items.

    >>> flat_accuracy_score([["a", "b"], ["c"]], [["a", "a"], ["c"]])
    0.6666666666666666
    """
    expected, predicted = flatten(y_true), flatten(y_pred)
    if len(expected) != len(predicted):
        raise InputError(f"expected as many predicted labels as true ones, {len(expected)}, got {len(predicted)}")
    return sum(map(str.__eq__, map(str, expected), map(str, predicted))) / len(expected) if expected else float("nan")


def flat_precision_score(y_true: Sequences, y_pred: Sequences, **options: Any) -> Any:
    """scikit-learn's precision_score of items."""
    return _score_items("precision_score", y_true, y_pred, options)


def flat_recall_score(y_true: Sequences, y_pred: Sequences, **options: Any) -> Any:
    """scikit-learn's recall_score of items."""
    return _score_items("recall_score", y_true, y_pred, options)


def flat_f1_score(y_true: Sequences, y_pred: Sequences, **options: Any) -> Any:
    """scikit-learn's f1_score of items.

    >>> flat_f1_score([["a", "b"], ["c"]], [["a", "b"], ["c"]], average="weighted")
    1.0
    """
    return _score_items("f1_score", y_true, y_pred, options)


def flat_fbeta_score(y_true: Sequences, y_pred: Sequences, beta: float, **options: Any) -> Any:
    """scikit-learn's fbeta_score of items."""
    return _score_items("fbeta_score", y_true, y_pred, {"beta": beta} | options)


def flat_classification_report(y_true: Sequences, y_pred: Sequences, labels: Any = None, **options: Any) -> Any:
    """scikit-learn's classification_report of items."""
    return _score_items("classification_report", y_true, y_pred, {"labels": labels} | options)


def sequence_accuracy_score(y_true: Sequences, y_pred: Sequences) -> float:
    """Return the rate of sequences that are entirely right.

    >>> sequence_accuracy_score([["a", "b"], ["c"]], [["a", "a"], ["c"]])
    0.5
    """
    total = len(y_true)
    if len(y_pred) != total:
        raise InputError(f"expected as many predicted sequences as true ones, {total}, got {len(y_pred)}")
    return sum(list(one) == list(other) for one, other in zip(y_true, y_pred, strict=True)) / total if total else 0


def _score_items(name: str, y_true: Sequences, y_pred: Sequences, options: dict[str, Any]) -> Any:
    try:
        metrics = importlib.import_module("sklearn.metrics")
    except ImportError:
        raise InputError("these scores need scikit-learn; pip install scikit-learn") from None
    return getattr(metrics, name)(flatten(y_true), flatten(y_pred), **options)
