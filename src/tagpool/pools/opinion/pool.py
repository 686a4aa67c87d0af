"""OpinionPool: the logarithmic opinion pool of fitted taggers (Heskes 1998; Smith, Cohn and Osborne 2005)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from tagpool.chain.checks import FloatArray
from tagpool.corpus.corpus import Corpus
from tagpool.errors import MemoryFor, NotFittedError
from tagpool.experts.inputs import labels_of, training_input
from tagpool.parameters import declare_parameters, parameter
from tagpool.pools.combination import SEQUENCE_PRODUCT
from tagpool.pools.member_weights import check_weights, no_projection, project_to_simplex, uniform
from tagpool.pools.members import check_members
from tagpool.pools.pool import Pool
from tagpool.pools.weight_learning import HeldOut, maximise_f1, maximise_likelihood

Self = TypeVar("Self", bound="OpinionPool")


@declare_parameters
class OpinionPool(Pool):
    """A product of fitted taggers: P(y|x) ∝ Π_j P_j(y|x)^α_j.

    Members are CRFs, MaxEnts, or pools of them, with the same labels. :meth:`fit` learns the weights α by name: "dev" maximises
    F1 on a grid, "likelihood" the likelihood of the gold labels, "free" the same without bounds on the weights. A pool with
    given or uniform weights needs no fit.

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

    members: Sequence[Any] = parameter(kw_only=False, help="Fitted taggers with the same labels.")
    weights: str | Sequence[float] = parameter(
        default="uniform",
        choices=("uniform", "dev", "likelihood", "free"),
        help="Weights of the members: numbers with sum 1, or the method that learns them.",
    )
    threads: int = parameter(default=1, minimum=1, help="Number of threads; the result does not depend on it.")

    @MemoryFor("learn the weights of the members")
    def fit(  # type: ignore[override]
        self: Self,
        sentences: Corpus | Iterable[Any],
        labels: Iterable[Iterable[str]] | None = None,
        *,
        dev: Corpus | tuple[Any, Any] | None = None,
    ) -> Self:
        """Learn the weights on ``dev`` (default: on the sentences); the members do not change.

        Use sentences that the members were not trained on: otherwise the member that overfits most gets the highest weight.
        Labels that the members do not have count as errors in F1. A likelihood ignores sentences with them, since their
        probability is 0 with all weights.
        """
        members = check_members(self.members, "OpinionPool")
        if self.weight_method is None:
            check_weights(self.weights, len(members))
        if self.weight_method in (None, "uniform"):
            self._weights = None
            return self
        if dev is not None:
            sentences, labels = dev if isinstance(dev, tuple) else (dev, None)
        rows, gold, _ = training_input(sentences, labels)
        held_out = HeldOut(members, rows, labels_of(rows, gold))
        if self.weights == "dev":
            self._weights = maximise_f1([held_out], SEQUENCE_PRODUCT)
        else:
            project = project_to_simplex if self.weights == "likelihood" else no_projection
            self._weights = maximise_likelihood([held_out], SEQUENCE_PRODUCT, project, self.threads)
        return self

    @property
    def is_fitted(self) -> bool:
        """Whether all members are fitted and the weights are known."""
        try:
            self._members_and_weights()
        except NotFittedError:
            return False
        return True

    def _members_and_weights(self) -> tuple[tuple[Any, ...], FloatArray]:
        members = check_members(self.members, "OpinionPool")
        if self._weights is not None:
            if len(self._weights) != len(members):
                raise NotFittedError("the OpinionPool was fitted with other members: call fit again")
            return members, self._weights
        if self.weight_method is None:
            return members, check_weights(self.weights, len(members))
        if self.weight_method == "uniform":
            return members, uniform(len(members))
        raise NotFittedError(f"the OpinionPool (weights={self.weights!r}) is not fitted: call fit(dev) first")

    def _with_members(self, members: tuple[Any, ...]) -> OpinionPool:
        other = super()._with_members(members)
        other.members = members
        return other

    @classmethod
    def restore(cls, members: Sequence[Any], weights: FloatArray, record: Mapping[str, Any]) -> OpinionPool:
        """Return the pool of a file."""
        pool = cls(members, weights=record["weights"])
        pool._weights = weights
        return pool

    def __repr__(self) -> str:
        weights = self.weight_method or np.asarray(self.weights).tolist()
        return f"OpinionPool({list(self.members)!r}, weights={weights!r})"
