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
    lattices = pool.lattices(predictions, words=words, confidence=confidence)
    return np.array([float((1 - one.marginals().max(axis=1)).sum()) if len(one) else 0.0 for one in lattices], np.float64)
