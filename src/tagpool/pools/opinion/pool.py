"""OpinionPool: the logarithmic opinion pool of fitted taggers (Heskes 1998; Smith, Cohn and Osborne 2005)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from tagpool.chain.checks import FloatArray
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError, NotFittedError
from tagpool.experts.inputs import labels_of
from tagpool.pools.combination import SEQUENCE_PRODUCT
from tagpool.pools.member_weights import check_shares, projected, unchanged, uniform
from tagpool.pools.members import Member, as_sentences, check_members
from tagpool.pools.pool import Pool
from tagpool.pools.weight_learning import HeldOut, best_on_grid, most_likely, refuse_unknown

Self = TypeVar("Self", bound="OpinionPool")
_WAYS = ("uniform", "dev", "likelihood", "free")


class OpinionPool(Pool):
    """Fitted taggers that multiply their opinions: P(y|x) ∝ Π_j P_j(y|x)^α_j.

    ``members`` are CRFs, MaxEnts, or pools of them, with the same labels. ``weights`` are their shares: "uniform"; a list of
    numbers from 0 on that sum to 1; or how :meth:`fit` finds them on sentences that the members have not learned from: "dev"
    (the best F1 on a grid), "likelihood" (the most probable gold labels, shares from 0 on that sum to 1) or "free" (the same
    without these bounds). A pool with given shares needs no fitting.

    >>> from tagpool import CRF, MaxEnt, builtin_corpus
    >>> train, dev = builtin_corpus(200), builtin_corpus(60, part="dev")
    >>> members = [CRF("word[-1..1]").fit(train), MaxEnt("shape(word)[-1..1]").fit(train)]
    >>> pool = OpinionPool(members, weights="likelihood").fit(dev)
    >>> len(pool), round(float(pool.weights_.sum()), 6)
    (2, 1.0)
    >>> pool.merge().predict(dev) == pool.predict(dev)
    True
    """

    kind = "opinion-pool"
    _found: FloatArray | None = None

    def __init__(
        self, members: Sequence[Member], *, weights: str | Sequence[float] | FloatArray = "uniform", threads: int = 1
    ) -> None:
        self.members = members
        self.weights = weights
        self.threads = threads

    def fit(
        self: Self,
        sentences: Corpus | Sequence[Any],
        labels: Sequence[Sequence[str]] | None = None,
        *,
        dev: Corpus | tuple[Any, Any] | None = None,
    ) -> Self:
        """Finds the shares, on ``dev`` where it is given and else on the sentences; the members stay as they are.

        Use sentences that the members were not trained on: on their own, the one that learned them by heart would get all.
        """
        members = check_members(self.members, "OpinionPool")
        self._found = None
        if not isinstance(self.weights, str):
            check_shares(self.weights, len(members))
            return self
        if self.weights not in _WAYS:
            raise InputError(f"weights={self.weights!r}: expected {', '.join(_WAYS)} or a list of numbers")
        if self.weights == "uniform":
            return self
        if dev is not None:
            sentences, labels = dev if isinstance(dev, tuple) else (dev, None)
        whole = as_sentences(sentences)
        held_out = HeldOut(members, whole, labels_of(whole if labels is None else sentences, labels))
        refuse_unknown(held_out)
        if self.weights == "dev":
            self._found = best_on_grid([held_out], SEQUENCE_PRODUCT)
        else:
            onto = projected if self.weights == "likelihood" else unchanged
            self._found = most_likely([held_out], SEQUENCE_PRODUCT, onto, self.threads)
        return self

    @property
    def is_fitted(self) -> bool:
        """Whether all members are fitted and the shares are known."""
        try:
            self._members_and_weights()
        except NotFittedError:
            return False
        return True

    def _members_and_weights(self) -> tuple[tuple[Member, ...], FloatArray]:
        members = check_members(self.members, "OpinionPool")
        if self._found is not None:
            if len(self._found) != len(members):
                raise NotFittedError("the OpinionPool has other members than it was fitted with: call fit again")
            return members, self._found
        if isinstance(self.weights, str):
            if self.weights == "uniform":
                return members, uniform(len(members))
            if self.weights not in _WAYS:
                raise InputError(f"weights={self.weights!r}: expected {', '.join(_WAYS)} or a list of numbers")
            raise NotFittedError(
                f"the shares of the OpinionPool (weights={self.weights!r}) are not known yet: call fit(dev) first"
            )
        return members, check_shares(self.weights, len(members))

    def __repr__(self) -> str:
        alpha = self.weights.tolist() if isinstance(self.weights, np.ndarray) else self.weights
        return f"OpinionPool({list(self.members)!r}, weights={alpha!r})"
