"""MaxEnt against scikit-learn's logistic regression: the same features, the same objective, to the same value."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from measure import timed
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.special import logsumexp
from sklearn.linear_model import LogisticRegression
from table import Row, speedup
from tasks import Task

import tagpool

_L2 = 1.0
_TOLERANCE = 1e-5  # of the gradient of the mean loss, where scikit-learn stops


def value_of(weights: NDArray[np.float64], matrix: csr_matrix, gold: NDArray[np.int64]) -> float:
    """Σ_t -log softmax(x_t W)[y_t] + l2/2·|W|², for weights of features by labels."""
    scores = matrix @ weights
    losses = logsumexp(scores, axis=1) - scores[np.arange(len(gold)), gold]
    return float(losses.sum() + _L2 / 2 * np.square(weights).sum())


def maxent(tasks: list[Task]) -> Iterator[Row]:
    task = next(task for task in tasks if task.kind == "ner")
    corpus = task.read("train")
    encoder = tagpool.Encoder(task.templates)
    encoded = encoder.fit_transform(corpus)
    shape = (encoded.token_count, encoded.feature_count)
    ones = np.ones(encoded.occurrence_count)
    matrix = csr_matrix((ones, encoded.ids.astype(np.int32), encoded.starts.astype(np.int64)), shape)
    matrix.sum_duplicates()
    gold = encoded.labels.astype(np.int64)

    them = LogisticRegression(solver="lbfgs", C=1 / _L2, fit_intercept=False, tol=_TOLERANCE, max_iter=5000)
    their_time = timed(lambda: them.fit(matrix, gold))
    their_value = value_of(np.ascontiguousarray(them.coef_.T), matrix, gold)

    trainer = tagpool.LBFGS(iterations=5000, tolerance=1e-9)
    us = tagpool.MaxEnt(task.templates, l2=_L2, trainer=trainer)
    our_time = timed(lambda: us.fit(corpus, on_epoch=lambda epoch: epoch.loss > their_value))
    names = encoder.feature_names
    weights = us._fitted().weights_of(names).reshape(len(names), -1).astype(np.float64)
    order = [us.labels_.index(label) for label in encoder.labels_]
    our_value = value_of(weights[:, order], matrix, gold)
    yield speedup(
        f"{task.name}: MaxEnt with the preset ner against scikit-learn's lbfgs, to the same objective value",
        their_time.cpu / our_time.cpu,
        f"l2=1, {weights.size:,} weights, once each, both values by one function: tagpool fit(corpus), features included, "
        f"{trainer.warm_up} epochs of SGD and {len(us.log_)} iterations to {our_value:.3f}: {our_time}; LogisticRegression.fit "
        f"on the finished matrix, tol={_TOLERANCE:g}, {int(them.n_iter_[0])} iterations to {their_value:.3f}: {their_time}",
        unless="" if our_value <= their_value * (1 + 1e-6) else "but not the same value",
    )
