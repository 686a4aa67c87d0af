"""Four ways to make one lattice of several: Sutton, Sindelar and McCallum 2006 (BAGGING), section 4.

With shares α that sum to 1:

- sequence-product: P(y) ∝ Π_i p_i(y)^α_i, the weighted sum of the lattices; exact.
- sequence-mixture: Σ_i α_i p_i(y). It is no Markov chain; this is the chain with the mixture's pair marginals (its projection):
  P(y_t|y_{t-1}) = Σ_i α_i p_i(y_{t-1}, y_t) / Σ_i α_i p_i(y_{t-1}).
- transition-mixture: P(y_t|y_{t-1}) = Σ_i α_i p_i(y_t|y_{t-1}).
- transition-product: P(y_t|y_{t-1}) ∝ Π_i p_i(y_t|y_{t-1})^α_i, normalised over y_t.

Where a distribution is not defined (after a label that a member says cannot stand there, a product of zeros, a node that
underflows), the mixture's node distribution Σ_i α_i p_i(y_t) stands in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tagpool.chain.checks import FloatArray
from tagpool.chain.lattice import Lattice
from tagpool.errors import InputError

SEQUENCE_PRODUCT = "sequence-product"
_SMALLEST = np.finfo(np.float64).tiny  # below it, numbers lose digits


@dataclass(frozen=True)
class Walk:
    """A member's lattice as a Markov chain: ln P(y_0), ln P(y_{t+1}|y_t), and P(y_t)."""

    first: FloatArray
    steps: FloatArray
    nodes: FloatArray

    @classmethod
    def of(cls, lattice: Lattice) -> Walk:
        """What a lattice says."""
        return cls(*lattice.log_transitions(), lattice.marginals())


Combination = Callable[[Sequence[Walk], FloatArray], tuple[FloatArray, FloatArray]]


def combined(walks: Sequence[Walk], shares: FloatArray, how: Combination) -> Lattice:
    """One chain of several; its scores are logarithms of probabilities, and its partition is 1."""
    first, steps = how(walks, shares)
    return Lattice(np.zeros(walks[0].nodes.shape), steps, start=first)


def sequence_mixture(walks: Sequence[Walk], shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The chain with the pair marginals of the mixture of whole sequences."""
    nodes = node_mixture(walks, shares)
    total = np.zeros(walks[0].steps.shape)
    for walk, share in zip(walks, shares, strict=True):
        total += (share * walk.nodes[:-1])[:, :, None] * np.exp(walk.steps)
    weight = nodes[:-1, :, None]
    known = weight >= _SMALLEST
    steps = np.where(known, total / np.where(known, weight, 1.0), nodes[1:, None, :])
    return _logarithm(nodes[0]), _logarithm(steps)


def transition_mixture(walks: Sequence[Walk], shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Every step takes a member by its share."""
    nodes = node_mixture(walks, shares)
    steps = np.zeros(walks[0].steps.shape)
    for walk, share in zip(walks, shares, strict=True):
        steps += share * np.exp(_defined(walk.steps, nodes))
    return _logarithm(nodes[0]), _logarithm(steps)


def transition_product(walks: Sequence[Walk], shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Every step is a product of the members' steps."""
    nodes = node_mixture(walks, shares)
    first = np.zeros(walks[0].first.shape)
    steps = np.zeros(walks[0].steps.shape)
    for walk, share in zip(walks, shares, strict=True):
        first += share * walk.first
        steps += share * _defined(walk.steps, nodes)
    return normalised(first, nodes[0]), normalised(steps, nodes[1:, None, :])


COMBINATIONS: dict[str, Combination] = {
    "sequence-mixture": sequence_mixture,
    "transition-product": transition_product,
    "transition-mixture": transition_mixture,
}


def check_combination(name: object) -> str:
    """The name of a combination, if it is one.

    >>> check_combination("sequence-mixture")
    'sequence-mixture'
    """
    if name != SEQUENCE_PRODUCT and (not isinstance(name, str) or name not in COMBINATIONS):
        *others, last = (SEQUENCE_PRODUCT, *COMBINATIONS)
        raise InputError(f"combine={name!r}: expected {', '.join(others)} or {last}")
    return str(name)


def node_mixture(walks: Sequence[Walk], shares: FloatArray) -> FloatArray:
    """Σ_i α_i p_i(y_t)."""
    total: FloatArray = sum((share * walk.nodes for walk, share in zip(walks, shares, strict=True)), np.zeros(()))
    return total


def normalised(scores: FloatArray, instead: FloatArray) -> FloatArray:
    """Logarithms of rows that sum to 1; ``instead`` of rows that are forbidden throughout.

    >>> np.exp(normalised(np.array([[0.0, 0.0], [-np.inf, -np.inf]]), np.array([0.25, 0.75]))).round(2).tolist()
    [[0.5, 0.5], [0.25, 0.75]]
    """
    highest = scores.max(axis=-1, keepdims=True)
    possible = highest > -np.inf
    shifted = scores - np.where(possible, highest, 0.0)
    total = np.exp(shifted).sum(axis=-1, keepdims=True)
    return np.where(possible, shifted - np.log(np.where(possible, total, 1.0)), _logarithm(instead))


def _defined(steps: FloatArray, nodes: FloatArray) -> FloatArray:
    """A member's steps; from labels that cannot stand there for it, the mixture's node distribution."""
    possible = steps.max(axis=-1, keepdims=True) > -np.inf
    return np.where(possible, steps, _logarithm(nodes[1:, None, :]))


def _logarithm(probabilities: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.log(probabilities)
