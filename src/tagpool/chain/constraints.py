"""New score arrays from old ones: constraints as scores of -inf, and weighted sums."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from tagpool.chain.checks import FloatArray, as_allowed, as_number, demand_shape
from tagpool.errors import InputError


def constrained_nodes(nodes: FloatArray, fixed: Mapping[int, int], forbidden: Mapping[int, int | Iterable[int]]) -> FloatArray:
    """Return node scores with -inf for all but the fixed labels, and for the forbidden ones.

    >>> constrained_nodes(np.zeros((2, 2)), {0: 1}, {1: 1}).tolist()
    [[-inf, 0.0], [0.0, -inf]]
    """
    T, L = nodes.shape
    allowed = np.ones((T, L), bool)
    for position, label in fixed.items():
        row = allowed[as_number(position, "fixed, position", 0, T)]
        row[np.arange(L) != as_number(label, f"fixed[{position}]", 0, L)] = False
    for position, labels in forbidden.items():
        row = allowed[as_number(position, "forbidden, position", 0, T)]
        for label in labels if isinstance(labels, Iterable) else (labels,):
            row[as_number(label, f"forbidden[{position}]", 0, L)] = False
    return np.where(allowed, nodes, -np.inf)


def where_allowed(scores: FloatArray, allowed: ArrayLike | None, name: str) -> FloatArray:
    """Return the scores, -inf where not allowed. Marks have the shape of one step.

    >>> where_allowed(np.zeros(2), [True, False], "allowed_start").tolist()
    [0.0, -inf]
    """
    if allowed is None:
        return scores
    shape = scores.shape if scores.ndim < 3 else scores.shape[1:]
    return np.where(as_allowed(allowed, name, shape), scores, -np.inf)


def weighted(members: Sequence[tuple[FloatArray, ...]], weights: Sequence[float] | FloatArray | None) -> list[FloatArray]:
    """Return the weighted sums of the members' nodes, edges, start and end.

    >>> weighted([(np.ones((1, 1)), np.zeros((1, 1)))] * 2, [1.0, 3.0])
    [array([[4.]]), array([[0.]])]
    """
    if not members:
        raise InputError("expected at least one lattice to combine, got none")
    shares = np.full(len(members), 1 / len(members)) if weights is None else np.asarray(weights, dtype=np.float64)
    demand_shape(shares, "weights", (len(members),))
    if not np.isfinite(shares).all():
        raise InputError(f"expected finite numbers, got {shares.tolist()}", source="weights")
    sums: list[FloatArray] = [np.zeros(part.shape) for part in members[0]]
    for number, (member, share) in enumerate(zip(members, shares.tolist(), strict=True)):
        demand_shape(member[0], f"lattices[{number}].nodes", members[0][0].shape)
        if share == 0:  # x⁰ = 1, also for x = 0; 0·(-inf) would be NaN
            continue
        if share < 0 and any((part == -np.inf).any() for part in member):
            raise InputError(
                f"expected a weight of at least 0 for a lattice that forbids, got {share}", source=f"weights[{number}]"
            )
        # Edges of one matrix, and of one a step, add up to the latter.
        sums = [total + share * part for total, part in zip(sums, member, strict=True)]
    return sums
