"""Members of a pool: fitted taggers with lattices over the same labels, seen with the pool's own order of labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tagpool.chain.lattice import Lattice
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError, NotFittedError
from tagpool.experts.inputs import are_given_features, as_corpus
from tagpool.experts.linear.expert import Expert
from tagpool.experts.linear.lattices import Scored, scored
from tagpool.experts.tagger import Tagger

Order = NDArray[np.int64]


class Member(Protocol):
    """A tagger that can be pooled: an expert, or another pool."""

    @property
    def labels_(self) -> tuple[str, ...]:
        """The labels, in the order of their numbers."""

    @property
    def is_fitted(self) -> bool:
        """Whether there is anything to tag with."""

    def predict(self, sentences: Any) -> list[list[str]]:
        """The best label sequence of every sentence."""

    def lattices(self, sentences: Any) -> list[Lattice]:
        """The scores of every sentence."""


@runtime_checkable
class Batched(Protocol):
    """A pool that may have the scores of many sentences at once."""

    def scored(self, sentences: Any) -> Scored | None:
        """They, or None where sentences must be looked at one by one."""


def check_members(members: Any, owner: str) -> tuple[Member, ...]:
    """The members of a pool, if they can be pooled."""
    if isinstance(members, (str, bytes)) or not isinstance(members, Sequence) or not members:
        raise InputError(f"{owner}: expected a list of at least one tagger, got {members!r}")
    for number, member in enumerate(members):
        if not hasattr(member, "is_fitted") or not (hasattr(member, "lattices") and getattr(member, "has_probabilities", True)):
            raise InputError(f"{owner}: member {number} is a {type(member).__name__}, not a tagger with lattices, such as a CRF")
        if not member.is_fitted:
            raise NotFittedError(f"{owner}: member {number}, a {type(member).__name__}, was not fitted: fit it first, or load it")
    labels = members[0].labels_
    for number, member in enumerate(members[1:], 1):
        if set(member.labels_) != set(labels):
            only_first, only_here = sorted(set(labels) - set(member.labels_)), sorted(set(member.labels_) - set(labels))
            raise InputError(
                f"{owner}: members must have the same labels; only member 0 has {', '.join(only_first) or 'none'}, only "
                f"member {number} has {', '.join(only_here) or 'none'}"
            )
    return tuple(members)


def experts_of(tagger: Any) -> list[Tagger]:
    """The single taggers that a tagger is made of: itself, or those of its members.

    >>> from tagpool import CRF
    >>> experts_of(CRF("ner"))
    [CRF()]
    """
    return [tagger] if isinstance(tagger, Tagger) else [expert for member in tagger for expert in experts_of(member)]


def as_sentences(sentences: Any) -> Any:
    """Sentences in a form that may be handed to one member after another: a corpus, or given features."""
    if isinstance(sentences, Corpus):
        return sentences
    found = list(sentences)
    return found if not found or are_given_features(found) else as_corpus(found)


def scored_by(member: Member, sentences: Any, labels: tuple[str, ...]) -> Scored | None:
    """A member's scores of many sentences, in the pool's order of labels; None where it has only lattices."""
    found: Scored | None = None
    if isinstance(member, Expert):
        found = scored(member, sentences)
    elif isinstance(member, Batched):
        found = member.scored(sentences)
    if found is None or member.labels_ == labels:
        return found
    order = order_of(member, labels)
    return replace(
        found,
        nodes=np.ascontiguousarray(found.nodes[:, order]),
        edges=np.ascontiguousarray(found.edges[..., order[:, None], order]),
        start=found.start[order],
        end=found.end[order],
    )


def lattices_by(member: Member, sentences: Any, labels: tuple[str, ...]) -> list[Lattice]:
    """A member's lattices, in the pool's order of labels."""
    found = member.lattices(sentences)
    if member.labels_ == labels:
        return found
    order = order_of(member, labels)
    return [
        Lattice(each.nodes[:, order], each.edges[..., order[:, None], order], each.start[order], each.end[order])
        for each in found
    ]


def order_of(member: Member, labels: tuple[str, ...]) -> Order:
    """The member's number of each of the pool's labels."""
    number = {label: index for index, label in enumerate(member.labels_)}
    return np.array([number[label] for label in labels], np.int64)
