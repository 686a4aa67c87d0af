"""Shares: the weights α of a pool's members, checked, laid out as a grid, or found by climbing a concave function."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from math import comb

import numpy as np

from tagpool.chain.checks import FloatArray
from tagpool.errors import InputError

_MOST_POINTS = 100  # of a grid
_FINEST = 20  # steps along an edge of the simplex
_ROUNDING = 1e-6

Climbed = Callable[[FloatArray], tuple[float, FloatArray]]
"""A concave function of the shares: its value and gradient."""


def uniform(count: int) -> FloatArray:
    """Equal shares."""
    return np.full(count, 1 / count)


def check_shares(given: object, count: int) -> FloatArray:
    """Shares that somebody gave: as many as there are members, none negative, 1 together.

    >>> check_shares([0.5, 0.6], 2)
    Traceback (most recent call last):
    ...
    tagpool.errors.InputError: weights=[0.5, 0.6]: expected shares that sum to 1, got 1.1
    """
    if isinstance(given, (str, bytes)) or not isinstance(given, (Sequence, np.ndarray)):
        raise InputError(f"weights={given!r}: expected a list of numbers or the name of a way to find them")
    try:
        shares = np.array(given, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"weights={given!r}: expected numbers") from None
    shown = f"weights={np.asarray(given).tolist()!r}"
    if shares.shape != (count,):
        raise InputError(f"{shown}: expected {count} numbers, one a member")
    if not np.isfinite(shares).all() or (shares < 0).any():
        raise InputError(f"{shown}: expected finite numbers from 0 on")
    if abs(shares.sum() - 1) > _ROUNDING:
        raise InputError(f"{shown}: expected shares that sum to 1, got {float(shares.sum()):g}")
    return shares


def grid(count: int) -> Iterator[FloatArray]:
    """Shares all over the simplex: first equal ones, then the rest of the finest regular grid of at most 100 points.

    >>> [shares.tolist() for shares in grid(2)][:4]
    [[0.5, 0.5], [0.0, 1.0], [0.05, 0.95], [0.1, 0.9]]
    """
    yield uniform(count)
    steps = _FINEST
    while steps > 1 and comb(steps + count - 1, count - 1) > _MOST_POINTS:
        steps -= 1
    # Stars and bars: `count - 1` bars among `steps` stars.
    for bars in combinations(range(steps + count - 1), count - 1):
        edges = np.array((-1, *bars, steps + count - 1))
        yield (np.diff(edges) - 1) / steps


def projected(point: FloatArray) -> FloatArray:
    """The nearest shares from 0 on that sum to 1 (Duchi et al. 2008).

    >>> projected(np.array([0.8, 0.6, -1.0])).round(3).tolist()
    [0.6, 0.4, 0.0]
    """
    falling = np.sort(point)[::-1]
    excess = (np.cumsum(falling) - 1) / np.arange(1, len(point) + 1)
    kept = np.flatnonzero(falling > excess)[-1]
    found: FloatArray = np.maximum(point - excess[kept], 0.0)
    return found


def unchanged(point: FloatArray) -> FloatArray:
    """Any point is allowed."""
    return point


def climbed(function: Climbed, start: FloatArray, onto: Callable[[FloatArray], FloatArray] = projected) -> FloatArray:
    """The highest point of a concave function, by spectral projected gradients (Birgin, Martínez and Raydan 2000).

    >>> climbed(lambda x: (-((x - 0.9) ** 2).sum(), -2 * (x - 0.9)), np.array([0.0, 1.0])).round(6).tolist()
    [0.5, 0.5]
    """
    point = onto(start)
    value, gradient = function(point)
    step = 1.0 / max(float(np.abs(gradient).max()), 1e-12)
    recent = [value]
    for _ in range(200):
        direction = onto(point + step * gradient) - point
        slope = float(direction @ gradient)
        if np.abs(direction).max() <= 1e-7 or slope <= 1e-12 * (abs(value) + 1):
            break
        length = 1.0
        while True:
            there = point + length * direction
            new_value, new_gradient = function(there)
            # A step may be worse than the last one, but not than the worst of the last few.
            if new_value >= min(recent) + 1e-4 * length * slope or length < 1e-10:
                break
            length /= 2
        moved, turned = there - point, gradient - new_gradient
        curvature = float(moved @ turned)
        step = float(moved @ moved) / curvature if curvature > 0 else step * 2
        point, value, gradient = there, new_value, new_gradient
        recent = [*recent[-4:], value]
    return point


def expected_shares(log_probabilities: FloatArray, start: FloatArray) -> FloatArray:
    """The shares of a mixture that make what was seen most probable, by EM: responsibilities are ∝ α_i p_i(seen).

    ``log_probabilities`` are (members, things seen).

    >>> expected_shares(np.log(np.array([[0.9, 0.9, 0.1], [0.1, 0.1, 0.9]])), uniform(2)).round(3).tolist()
    [0.708, 0.292]
    """
    # Scaled by the best member of each, which no responsibility depends on.
    highest = log_probabilities.max(axis=0)
    weights = np.exp(log_probabilities - np.where(highest > -np.inf, highest, 0.0))
    shares = start
    for _ in range(10_000):
        joint = shares[:, None] * weights
        total = joint.sum(axis=0)
        seen = total > 0
        if not seen.any():
            return start
        better: FloatArray = (joint[:, seen] / total[seen]).mean(axis=1)
        if np.abs(better - shares).max() < 1e-9:
            return better
        shares = better
    return shares
