"""Combination of several lattices into one: Sutton, Sindelar and McCallum 2006, section 4.

With member weights α that sum to 1:

- sequence-product: P(y) ∝ Π_i p_i(y)^α_i, the weighted sum of the lattices; exact.
- sequence-mixture: Σ_i α_i p_i(y). It is not a Markov chain; its projection is the chain with the same bigram marginals:
  P(y_t|y_{t-1}) = Σ_i α_i p_i(y_{t-1}, y_t) / Σ_i α_i p_i(y_{t-1}).
- transition-mixture: P(y_t|y_{t-1}) = Σ_i α_i p_i(y_t|y_{t-1}).
- transition-product: P(y_t|y_{t-1}) ∝ Π_i p_i(y_t|y_{t-1})^α_i, normalised over y_t.

p_i(y_t|y_{t-1}) comes from backward messages, not from a quotient of marginals: it is exact also for improbable y_{t-1}. Where a
distribution is undefined (a member forbids all next labels, a product of zeros, an underflow), the node distribution
Σ_i α_i p_i(y_t) of the mixture replaces it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tagpool.chain.checks import FloatArray
from tagpool.chain.lattice import Lattice

SEQUENCE_PRODUCT = "sequence-product"
_SMALLEST = np.finfo(np.float64).tiny  # smaller numbers are denormal
_FORBIDDEN = -1e200  # instead of -inf in weighted sums: 0·(-inf) is NaN


@dataclass(frozen=True)
class MarkovChains:
    """Lattices of one sentence as Markov chains, by member.

    ``first`` is ln P(y_0), [members][labels]; ``steps`` is ln P(y_{t+1}|y_t), [members][T - 1][labels][labels]; ``nodes`` is
    P(y_t), [members][T][labels].
    """

    first: FloatArray
    steps: FloatArray
    nodes: FloatArray

    @classmethod
    def of(cls, lattices: Sequence[Lattice]) -> MarkovChains:
        """Convert lattices of the same size."""
        first, steps = zip(*(lattice.log_transitions() for lattice in lattices), strict=True)
        return cls(np.stack(first), np.stack(steps), np.stack([lattice.marginals() for lattice in lattices]))

    def possible(self) -> FloatArray:
        """Return [member][t][label]: 1 if any label may follow the label at t, else 0."""
        return np.where(self.steps.max(axis=-1) > -np.inf, 1.0, 0.0)


Combination = Callable[[MarkovChains, FloatArray], tuple[FloatArray, FloatArray]]
"""ln P(y_0) and ln P(y_{t+1}|y_t), for weights or for each of several rows of weights."""


def sequence_mixture(chains: MarkovChains, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the chain with the bigram marginals of the mixture of sequences."""
    nodes = weighted_sum(weights, chains.nodes)
    bigrams = weighted_sum(weights, chains.nodes[:, :-1, :, None] * np.exp(chains.steps))
    previous = nodes[..., :-1, :, None]
    known = previous >= _SMALLEST
    steps = np.where(known, bigrams / np.where(known, previous, 1.0), nodes[..., 1:, None, :])
    return _logarithm(nodes[..., 0, :]), _logarithm(steps)


def transition_mixture(chains: MarkovChains, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the chain whose transitions are mixtures of the transitions of the members."""
    nodes = weighted_sum(weights, chains.nodes)
    unknown = weighted_sum(weights, 1 - chains.possible())[..., None]
    steps = weighted_sum(weights, np.exp(chains.steps)) + unknown * nodes[..., 1:, None, :]
    return _logarithm(nodes[..., 0, :]), _logarithm(steps)


def transition_product(chains: MarkovChains, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the chain whose transitions are products of the transitions of the members."""
    nodes = weighted_sum(weights, chains.nodes)
    possible = chains.possible()
    known = np.where(possible[..., None] > 0, np.maximum(chains.steps, _FORBIDDEN), 0.0)
    unknown = weighted_sum(weights, 1 - possible)[..., None]
    replacement = np.maximum(_logarithm(nodes[..., 1:, None, :]), _FORBIDDEN)
    first = weighted_sum(weights, np.maximum(chains.first, _FORBIDDEN))
    steps = weighted_sum(weights, known) + unknown * replacement
    return normalise(first, nodes[..., 0, :]), normalise(steps, nodes[..., 1:, None, :])


COMBINATIONS: dict[str, Combination] = {
    "sequence-mixture": sequence_mixture,
    "transition-product": transition_product,
    "transition-mixture": transition_mixture,
}
COMBINATION_NAMES = (SEQUENCE_PRODUCT, *COMBINATIONS)


def weighted_sum(weights: FloatArray, values: FloatArray) -> FloatArray:
    """Return Σ_i α_i values_i, for weights or for each of several rows of weights.

    >>> weighted_sum(np.array([[0.5, 0.5], [0.0, 1.0]]), np.array([[1.0, 2.0], [3.0, 6.0]])).tolist()
    [[2.0, 4.0], [3.0, 6.0]]
    """
    total = np.zeros((*weights.shape[:-1], *values.shape[1:]))
    for number, value in enumerate(values):
        total += weights[..., number].reshape(*weights.shape[:-1], *[1] * value.ndim) * value
    return total


def normalise(scores: FloatArray, replacement: FloatArray) -> FloatArray:
    """Return logarithms of rows that sum to 1; ``replacement`` for rows that are forbidden throughout.

    >>> np.exp(normalise(np.array([[0.0, 0.0], [-1e200, -1e200]]), np.array([0.25, 0.75]))).round(2).tolist()
    [[0.5, 0.5], [0.25, 0.75]]
    """
    highest = scores.max(axis=-1, keepdims=True)
    possible = highest > _FORBIDDEN / 1e9  # weights above 1e-9 of a forbidden score stay below
    shifted = np.where(scores > _FORBIDDEN / 1e9, scores - highest, -np.inf)
    total = np.exp(shifted).sum(axis=-1, keepdims=True)
    return np.where(possible, shifted - np.log(np.where(possible, total, 1.0)), _logarithm(replacement))


def _logarithm(probabilities: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.log(probabilities)
