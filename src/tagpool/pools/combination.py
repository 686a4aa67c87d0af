"""Four ways to make one lattice of several: Sutton, Sindelar and McCallum 2006 (BAGGING), section 4.

With shares α that sum to 1:

- sequence-product: P(y) ∝ Π_i p_i(y)^α_i, the weighted sum of the lattices; exact.
- sequence-mixture: Σ_i α_i p_i(y). It is no Markov chain; this is the chain with the mixture's pair marginals (its projection):
  P(y_t|y_{t-1}) = Σ_i α_i p_i(y_{t-1}, y_t) / Σ_i α_i p_i(y_{t-1}).
- transition-mixture: P(y_t|y_{t-1}) = Σ_i α_i p_i(y_t|y_{t-1}).
- transition-product: P(y_t|y_{t-1}) ∝ Π_i p_i(y_t|y_{t-1})^α_i, normalised over y_t.

p_i(y_t|y_{t-1}) is taken from what may follow y_{t-1}, not as a quotient of marginals: it is known however improbable y_{t-1} is.
Where a distribution is not defined (nothing can follow for a member, a product of zeros, a mixture's node that underflows), the
mixture's node distribution Σ_i α_i p_i(y_t) stands in.
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
_FORBIDDEN = -1e200  # instead of -inf in weighted sums: 0·(-inf) would be NaN, and a member without a share says nothing


@dataclass(frozen=True)
class Walks:
    """Members' lattices of one sentence as Markov chains: ln P(y_0), ln P(y_{t+1}|y_t), and P(y_t), each member by member."""

    first: FloatArray
    steps: FloatArray
    nodes: FloatArray

    @classmethod
    def of(cls, lattices: Sequence[Lattice]) -> Walks:
        """What lattices of the same size say."""
        first, steps = zip(*(lattice.log_transitions() for lattice in lattices), strict=True)
        return cls(np.stack(first), np.stack(steps), np.stack([lattice.marginals() for lattice in lattices]))

    def possible(self) -> FloatArray:
        """[member, t, label]: 1 where something may follow the label at t, 0 where the member says that nothing can."""
        return np.where(self.steps.max(axis=-1) > -np.inf, 1.0, 0.0)


Combination = Callable[[Walks, FloatArray], tuple[FloatArray, FloatArray]]
"""ln P(y_0) and ln P(y_{t+1}|y_t) for shares, or for each of several rows of them."""


def combined(walks: Walks, shares: FloatArray, how: Combination) -> Lattice:
    """One chain of several; its scores are logarithms of probabilities, and its partition is 1."""
    first, steps = how(walks, shares)
    return Lattice(np.zeros(walks.nodes.shape[1:]), steps, start=first)


def sequence_mixture(walks: Walks, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The chain with the pair marginals of the mixture of whole sequences."""
    nodes = mixed(shares, walks.nodes)
    pairs = mixed(shares, walks.nodes[:, :-1, :, None] * np.exp(walks.steps))
    weight = nodes[..., :-1, :, None]
    known = weight >= _SMALLEST
    steps = np.where(known, pairs / np.where(known, weight, 1.0), nodes[..., 1:, None, :])
    return _logarithm(nodes[..., 0, :]), _logarithm(steps)


def transition_mixture(walks: Walks, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Every step takes a member by its share."""
    nodes = mixed(shares, walks.nodes)
    unknown = mixed(shares, 1 - walks.possible())[..., None]
    steps = mixed(shares, np.exp(walks.steps)) + unknown * nodes[..., 1:, None, :]
    return _logarithm(nodes[..., 0, :]), _logarithm(steps)


def transition_product(walks: Walks, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Every step is a product of the members' steps."""
    nodes = mixed(shares, walks.nodes)
    possible = walks.possible()
    known = np.where(possible[..., None] > 0, np.maximum(walks.steps, _FORBIDDEN), 0.0)
    unknown = mixed(shares, 1 - possible)[..., None]
    instead = np.maximum(_logarithm(nodes[..., 1:, None, :]), _FORBIDDEN)
    first = mixed(shares, np.maximum(walks.first, _FORBIDDEN))
    steps = mixed(shares, known) + unknown * instead
    return normalised(first, nodes[..., 0, :]), normalised(steps, nodes[..., 1:, None, :])


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


def mixed(shares: FloatArray, values: FloatArray) -> FloatArray:
    """Σ_i α_i values_i, for shares or for each of several rows of them.

    >>> mixed(np.array([[0.5, 0.5], [0.0, 1.0]]), np.array([[1.0, 2.0], [3.0, 6.0]])).tolist()
    [[2.0, 4.0], [3.0, 6.0]]
    """
    total = np.zeros((*shares.shape[:-1], *values.shape[1:]))
    for number, value in enumerate(values):
        total += shares[..., number].reshape(*shares.shape[:-1], *[1] * value.ndim) * value
    return total


def normalised(scores: FloatArray, instead: FloatArray) -> FloatArray:
    """Logarithms of rows that sum to 1; ``instead`` of rows that are forbidden throughout.

    >>> np.exp(normalised(np.array([[0.0, 0.0], [-1e200, -1e200]]), np.array([0.25, 0.75]))).round(2).tolist()
    [[0.5, 0.5], [0.25, 0.75]]
    """
    highest = scores.max(axis=-1, keepdims=True)
    possible = highest > _FORBIDDEN / 1e9  # no share is so small
    shifted = np.where(scores > _FORBIDDEN / 1e9, scores - highest, -np.inf)
    total = np.exp(shifted).sum(axis=-1, keepdims=True)
    return np.where(possible, shifted - np.log(np.where(possible, total, 1.0)), _logarithm(instead))


def _logarithm(probabilities: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.log(probabilities)
