"""Beliefs of a fitted pool about sentences: label sequences with their probabilities, as lattices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from tagpool.chain.lattice import Lattice
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError
from tagpool.pools.stacked.pool import Confidence, StackedPool
from tagpool.pools.unsupervised.decoding import LegalDecoder
from tagpool.pools.unsupervised.pool import UnsupervisedPool
from tagpool.pools.votes.ballots import FloatArray, Predictions


def pool_lattices(
    pool: Any,
    predictions: Predictions,
    *,
    words: Corpus | Iterable[Iterable[str]] | None = None,
    confidence: Confidence | None = None,
) -> Iterator[tuple[tuple[str, ...], Lattice]]:
    """Yield the labels and the lattice of every sentence."""
    if isinstance(pool, StackedPool):
        stack = pool.fitted.stack
        for lattice in stack.lattices(pool.new_sentences(predictions, words, confidence).corpus()):
            yield stack.labels_, lattice
    elif isinstance(pool, UnsupervisedPool):
        fitted = pool.fitted
        ballots = pool.ballots(predictions, words)
        scored = LegalDecoder(fitted.labels, fitted.scheme).scored(pool.beliefs(ballots), ballots.offsets)
        for lattice in scored.lattices():
            yield fitted.labels, lattice
    else:
        raise InputError(f"a {type(pool).__name__} has no probabilities of sequences; use a StackedPool or an UnsupervisedPool")


def expected_errors(
    pool: Any,
    predictions: Predictions,
    *,
    words: Corpus | Iterable[Iterable[str]] | None = None,
    confidence: Confidence | None = None,
) -> FloatArray:
    """Return the expected number of wrong labels of each sentence.

    >>> from tagpool import UnsupervisedPool
    >>> votes = {"a": [["x", "y"], ["x"]] * 5, "b": [["x", "y"], ["y"]] * 5, "c": [["x", "y"], ["x"]] * 5}
    >>> errors = expected_errors(UnsupervisedPool().fit(votes), votes)
    >>> bool(errors[1] > errors[0])
    True
    """
    errors = []
    for _, lattice in pool_lattices(pool, predictions, words=words, confidence=confidence):
        errors.append(float((1 - lattice.marginals().max(axis=1)).sum()) if len(lattice) else 0.0)
    return np.array(errors, np.float64)
