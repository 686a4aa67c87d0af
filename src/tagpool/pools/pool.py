"""Pool: a tagger with members, which decide together. What all pools of lattices share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tagpool.chain.checks import FloatArray
from tagpool.chain.lattice import Lattice
from tagpool.errors import InputError
from tagpool.evaluation.scores import score
from tagpool.experts.inputs import labels_of
from tagpool.experts.linear.lattices import Scored
from tagpool.parameters import Parameters
from tagpool.pools.collapse import collapse
from tagpool.pools.combination import SEQUENCE_PRODUCT
from tagpool.pools.members import Member, as_sentences, lattices_by, scored_by
from tagpool.pools.pool_writer import save
from tagpool.pools.weight_learning import best_of, pooled_lattice, weighted

if TYPE_CHECKING:
    from tagpool.corpus.corpus import Corpus
    from tagpool.experts.linear.expert import Expert


class Pool(Parameters):
    """Taggers that decide together. Pools are taggers with lattices themselves: they nest."""

    kind = ""
    has_probabilities = True
    weights: str | Sequence[float] | FloatArray
    threads: int

    # What a pool has ----------------------------------------------------------------------------------------------------

    def _members_and_weights(self) -> tuple[tuple[Member, ...], FloatArray]:
        """The members, fitted, and their shares; a NotFittedError where there are none yet."""
        raise NotImplementedError

    def _combination(self) -> str:
        """How members are combined."""
        return SEQUENCE_PRODUCT

    def __len__(self) -> int:
        return len(self._members_and_weights()[0])

    def __bool__(self) -> bool:
        return True  # also before there are members

    def __iter__(self) -> Iterator[Member]:
        return iter(self._members_and_weights()[0])

    @property
    def weights_(self) -> FloatArray:
        """The members' shares."""
        return np.array(self._members_and_weights()[1])

    @property
    def labels_(self) -> tuple[str, ...]:
        """The labels, in the order of their numbers."""
        return self._members_and_weights()[0][0].labels_

    classes_ = labels_

    @property
    def is_fitted(self) -> bool:
        """Whether there is anything to tag with."""
        raise NotImplementedError

    # Tagging ------------------------------------------------------------------------------------------------------------

    def predict(self, sentences: Corpus | Sequence[Any]) -> list[list[str]]:
        """The best label sequence of every sentence."""
        members, shares = self._members_and_weights()
        whole = as_sentences(sentences)
        if not len(whole):
            return []
        if (alone := _alone(members, shares)) is not None:
            return alone.predict(whole)
        names = self.labels_
        scores = self.scored(whole)
        if scores is not None and scores.edges.ndim == 2:
            numbers, offsets = best_of(scores).tolist(), scores.offsets.tolist()
            return [[names[n] for n in numbers[a:b]] for a, b in pairwise(offsets)]
        return [[names[n] for n in lattice.best().labels.tolist()] for lattice in self.lattices(whole)]

    def predict_marginals(self, sentences: Corpus | Sequence[Any]) -> list[FloatArray]:
        """The probability of every label at every token: for each sentence an array of tokens by labels."""
        return [lattice.marginals() for lattice in self.lattices(sentences)]

    def lattices(self, sentences: Corpus | Sequence[Any]) -> list[Lattice]:
        """The scores of every sentence, for all that a :class:`Lattice` can do: n best, constraints, samples, pools."""
        members, shares = self._members_and_weights()
        whole = as_sentences(sentences)
        if not len(whole):
            return []
        if (alone := _alone(members, shares)) is not None:
            return lattices_by(alone, whole, self.labels_)
        scores = self.scored(whole)
        if scores is not None:
            return list(scores.lattices())
        each = [lattices_by(member, whole, self.labels_) for member in members]
        return [pooled_lattice(lattices, shares, self._combination()) for lattices in zip(*each, strict=True)]

    def score(self, sentences: Corpus | Sequence[Any], labels: Sequence[Sequence[str]] | None = None) -> float:
        """The F1 of the predicted labels as conlleval counts it (the accuracy for plain labels), from 0 to 1."""
        return float(score(labels_of(sentences, labels), self.predict(sentences)).f1)

    def member_inputs(self, corpus: Corpus) -> list[Corpus]:
        """The corpus as each member is to see it."""
        return [corpus] * len(self)

    # For other pools ----------------------------------------------------------------------------------------------------

    def scored(self, sentences: Any) -> Scored | None:
        """The pool's scores of many sentences at once; None where sentences must be looked at one by one."""
        members, shares = self._members_and_weights()
        if self._combination() != SEQUENCE_PRODUCT:
            return None
        found = []
        for member in members:
            one = scored_by(member, sentences, self.labels_)
            if one is None:
                return None
            found.append(one)
        return weighted(found, shares)

    # As one model, as a file --------------------------------------------------------------------------------------------

    def merge(self) -> Expert:
        """One expert that does what the pool does, with the speed and size of one model: Σ_j α_j W_j.

        Only a product of whole sequences of log-linear experts is one again; else an InputError says why not.
        """
        members, shares = self._members_and_weights()
        if self._combination() != SEQUENCE_PRODUCT:
            raise InputError(f"only a sequence-product can be collapsed into one model, and this is a {self._combination()}")
        return collapse(members, shares, self.labels_)

    def save(
        self, path: str | Path, *, half: bool = False, prune: float = 0.0, names: bool = True, resources: bool = True
    ) -> None:
        """Writes the pool with its members to one file, whole or not at all.

        ``half``, ``prune``, ``names`` and ``resources`` make the members smaller, as they do single experts: see
        :meth:`tagpool.CRF.save`.
        """
        save(self, path, half=half, prune=prune, names=names, resources=resources)

    def record(self) -> dict[str, Any]:
        """What a file keeps beside the members, as JSON has it."""
        alpha = self.weights if isinstance(self.weights, str) else np.asarray(self.weights).tolist()
        return {"shares": self._members_and_weights()[1].tolist(), "alpha": alpha}


def _alone(members: Sequence[Member], shares: FloatArray) -> Member | None:
    """The member that decides alone: the pool is then that member, to the last bit."""
    return next(
        (member for member, share in zip(members, shares, strict=True) if share == 1 and np.count_nonzero(shares) == 1), None
    )
