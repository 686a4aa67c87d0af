"""Members of a pool: fitted taggers with lattices over the same labels, in the label order of the pool."""

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


class Member(Protocol):
    """A tagger that can be pooled: a CRF, a MaxEnt, or another pool."""

    @property
    def labels_(self) -> tuple[str, ...]:
        """Labels, in the order of their numbers."""

    @property
    def is_fitted(self) -> bool:
        """Whether the tagger is fitted."""

    def predict(self, sentences: Any) -> list[list[str]]:
        """Return the best label sequence of every sentence."""

    def lattices(self, sentences: Any) -> list[Lattice]:
        """Return the scores of every sentence."""


@runtime_checkable
class Batched(Protocol):
    """A pool that may have the scores of many sentences at once."""

    def scored(self, sentences: Any) -> Scored | None:
        """Return the scores; None if sentences must be scored one by one."""


def check_members(members: Any, owner: str) -> tuple[Member, ...]:
    """Return the members of a pool; raise an error if they do not fit together."""
    if isinstance(members, (str, bytes)) or not isinstance(members, Sequence) or not members:
        raise InputError(f"{owner}: expected a list of at least one tagger, got {members!r}")
    for number, member in enumerate(members):
        if not (hasattr(member, "is_fitted") and hasattr(member, "lattices") and getattr(member, "has_probabilities", True)):
            raise InputError(f"{owner}: member {number} is a {type(member).__name__}; expected a tagger with lattices")
        if not member.is_fitted:
            raise NotFittedError(f"{owner}: member {number}, a {type(member).__name__}, is not fitted: fit or load it first")
    labels = members[0].labels_
    for number, member in enumerate(members[1:], 1):
        if set(member.labels_) != set(labels):
            only_first, only_here = sorted(set(labels) - set(member.labels_)), sorted(set(member.labels_) - set(labels))
            raise InputError(
                f"{owner}: members must have the same labels; only member 0 has {', '.join(only_first) or '(none)'}, only "
                f"member {number} has {', '.join(only_here) or '(none)'}"
            )
    return tuple(members)


def as_sentences(sentences: Any) -> Any:
    """Return sentences in a form that several members can read: a corpus, or a list of given features."""
    if isinstance(sentences, Corpus):
        return sentences
    rows = list(sentences)
    return rows if not rows or are_given_features(rows) else as_corpus(rows)


def member_scores(member: Member, sentences: Any, labels: tuple[str, ...]) -> Scored | None:
    """Return the scores of a member in the label order of the pool; None if it has only lattices."""
    scores: Scored | None = None
    if isinstance(member, Expert):
        scores = scored(member, sentences)
    elif isinstance(member, Batched):
        scores = member.scored(sentences)
    if scores is None or member.labels_ == labels:
        return scores
    order = label_order(member, labels)
    return replace(
        scores,
        nodes=np.ascontiguousarray(scores.nodes[:, order]),
        edges=np.ascontiguousarray(scores.edges[..., order[:, None], order]),
        start=scores.start[order],
        end=scores.end[order],
    )


def member_lattices(member: Member, sentences: Any, labels: tuple[str, ...]) -> list[Lattice]:
    """Return the lattices of a member in the label order of the pool."""
    lattices = member.lattices(sentences)
    if member.labels_ == labels:
        return lattices
    order = label_order(member, labels)
    return [
        Lattice(one.nodes[:, order], one.edges[..., order[:, None], order], one.start[order], one.end[order]) for one in lattices
    ]


def label_order(member: Member, labels: tuple[str, ...]) -> NDArray[np.int64]:
    """Return the number that the member has for each label of the pool."""
    number = {label: index for index, label in enumerate(member.labels_)}
    return np.array([number[label] for label in labels], np.int64)
