"""Expected errors of a pool of experts, from its probabilities."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tagpool.corpus.corpus import Corpus
from tagpool.pools.votes.ballots import FloatArray, Predictions


def expected_errors(
    pool: Any, predictions: Predictions, *, words: Corpus | Iterable[Iterable[str]] | None = None, confidence: Any = None
) -> FloatArray:
    """Return the expected number of wrong labels of each sentence, for a StackedPool or an UnsupervisedPool.

    >>> from tagpool import UnsupervisedPool
    >>> votes = {"a": [["x", "y"], ["x"]] * 5, "b": [["x", "y"], ["y"]] * 5, "c": [["x", "y"], ["x"]] * 5}
    >>> errors = expected_errors(UnsupervisedPool().fit(votes), votes)
    >>> bool(errors[1] > errors[0])
    True
    """
    rows = wrong_probabilities(pool, predictions, words=words, confidence=confidence)
    return np.array([float(row.sum()) for row in rows], np.float64)


def wrong_probabilities(
    pool: Any, predictions: Predictions, *, words: Corpus | Iterable[Iterable[str]] | None = None, confidence: Any = None
) -> list[FloatArray]:
    """Return the probability that the most likely label is wrong, for each token of each sentence."""
    lattices = pool.lattices(predictions, words=words, confidence=confidence)
    return [1 - one.marginals().max(axis=1) if len(one) else np.zeros(0) for one in lattices]
