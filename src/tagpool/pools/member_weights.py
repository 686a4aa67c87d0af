"""Weights α of the members of a pool: checks, a grid over the simplex, and maximisation of concave functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from math import comb

import numpy as np

from tagpool.chain.checks import FloatArray
from tagpool.errors import InputError
from tagpool.wording import counted

_MAX_POINTS = 100  # of a grid
_MAX_STEPS = 20  # along an edge of the simplex
_ROUNDING = 1e-6

ConcaveFunction = Callable[[FloatArray], tuple[float, FloatArray]]
"""A concave function of the weights: its value and gradient."""


def uniform(count: int) -> FloatArray:
    """Return equal weights."""
    return np.full(count, 1 / count)


def check_weights(values: object, count: int) -> FloatArray:
    """Return weights as an array; raise an InputError unless there is one per member, none negative, with sum 1.

    >>> check_weights([0.5, 0.6], 2)
    Traceback (most recent call last):
    ...
    tagpool.errors.InputError: weights=[0.5, 0.6]: expected a sum of 1, got 1.1
    """
    if isinstance(values, (str, bytes)) or not isinstance(values, (Sequence, np.ndarray)):
        raise InputError(f"weights={values!r}: expected a list of numbers")
    try:
        weights = np.array(values, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"weights={values!r}: expected numbers") from None
    where = f"weights={np.asarray(values).tolist()!r}"
    if weights.shape != (count,):
        raise InputError(f"{where}: expected {counted(count, 'number')}, one per member")
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise InputError(f"{where}: expected finite numbers of at least 0")
    if abs(weights.sum() - 1) > _ROUNDING:
        raise InputError(f"{where}: expected a sum of 1, got {float(weights.sum()):g}")
    return weights


def weight_grid(count: int) -> Iterator[FloatArray]:
    """Yield equal weights, then the finest regular grid over the simplex with at most 100 points.

    >>> [weights.tolist() for weights in weight_grid(2)][:4]
    [[0.5, 0.5], [0.0, 1.0], [0.05, 0.95], [0.1, 0.9]]
    """
    yield uniform(count)
    steps = _MAX_STEPS
    while steps > 1 and comb(steps + count - 1, count - 1) > _MAX_POINTS:
        steps -= 1
    # Stars and bars: `count - 1` bars among `steps` stars.
    for bars in combinations(range(steps + count - 1), count - 1):
        edges = np.array((-1, *bars, steps + count - 1))
        yield (np.diff(edges) - 1) / steps


def project_to_simplex(point: FloatArray) -> FloatArray:
    """Return the nearest weights of at least 0 with sum 1 (Duchi et al. 2008).

    >>> project_to_simplex(np.array([0.8, 0.6, -1.0])).round(3).tolist()
    [0.6, 0.4, 0.0]
    """
    falling = np.sort(point)[::-1]
    excess = (np.cumsum(falling) - 1) / np.arange(1, len(point) + 1)
    last = np.flatnonzero(falling > excess)[-1]
    projection: FloatArray = np.maximum(point - excess[last], 0.0)
    return projection


def no_projection(point: FloatArray) -> FloatArray:
    """Return the point itself."""
    return point


def maximise(
    function: ConcaveFunction, start: FloatArray, project: Callable[[FloatArray], FloatArray] = project_to_simplex
) -> FloatArray:
    """Maximise a concave function by spectral projected gradients (Birgin, Martínez and Raydan 2000).

    >>> maximise(lambda x: (-((x - 0.9) ** 2).sum(), -2 * (x - 0.9)), np.array([0.0, 1.0])).round(6).tolist()
    [0.5, 0.5]
    """
    point = project(start)
    value, gradient = function(point)
    step = 1.0 / max(float(np.abs(gradient).max()), 1e-12)
    recent = [value]
    for _ in range(200):
        direction = project(point + step * gradient) - point
        slope = float(direction @ gradient)
        if np.abs(direction).max() <= 1e-7 or slope <= 1e-12 * (abs(value) + 1):
            break
        length = 1.0
        while True:
            candidate = point + length * direction
            new_value, new_gradient = function(candidate)
            # Nonmonotone line search: compare with the worst of the last values.
            if new_value >= min(recent) + 1e-4 * length * slope or length < 1e-10:
                break
            length /= 2
        moved, turned = candidate - point, gradient - new_gradient
        curvature = float(moved @ turned)
        step = float(moved @ moved) / curvature if curvature > 0 else step * 2
        point, value, gradient = candidate, new_value, new_gradient
        recent = [*recent[-4:], value]
    return point


def em_weights(log_probabilities: FloatArray, start: FloatArray) -> FloatArray:
    """Return the mixture weights with the highest likelihood, by EM with responsibilities ∝ α_i p_i(observation).

    ``log_probabilities`` is [members][observations].

    >>> em_weights(np.log(np.array([[0.9, 0.9, 0.1], [0.1, 0.1, 0.9]])), uniform(2)).round(3).tolist()
    [0.708, 0.292]
    """
    # Scale by the best member of each observation; responsibilities do not depend on it.
    highest = log_probabilities.max(axis=0)
    likelihoods = np.exp(log_probabilities - np.where(highest > -np.inf, highest, 0.0))
    weights = start
    for _ in range(10_000):
        joint = weights[:, None] * likelihoods
        total = joint.sum(axis=0)
        possible = total > 0
        if not possible.any():
            return start
        updated: FloatArray = (joint[:, possible] / total[possible]).mean(axis=1)
        if np.abs(updated - weights).max() < 1e-9:
            return updated
        weights = updated
    return weights
