"""Members of a pool: fitted taggers with lattices over the same labels, in the label order of the pool."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagpool.chain.lattice import Lattice
from tagpool.errors import InputError, NotFittedError
from tagpool.experts.linear.crf import CRF
from tagpool.experts.linear.expert import Expert
from tagpool.experts.linear.lattices import Scored
from tagpool.experts.linear.maxent import MaxEnt

EXPERTS: dict[str, type[Expert]] = {expert.kind: expert for expert in (CRF, MaxEnt)}
"""The experts that pools train, by kind."""


def check_members(members: Any, owner: str) -> tuple[Any, ...]:
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


def member_scores(member: Any, sentences: Any, labels: tuple[str, ...]) -> Scored | None:
    """Return the scores of a member in the label order of the pool; None if it has only lattices."""
    scores: Scored | None = member.scored(sentences) if hasattr(member, "scored") else None
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


def member_lattices(member: Any, sentences: Any, labels: tuple[str, ...]) -> Iterator[Lattice]:
    """Yield the lattices of a member in the label order of the pool."""
    if (scores := member_scores(member, sentences, labels)) is not None:
        yield from scores.lattices()
    elif member.labels_ == labels:
        yield from member.lattices(sentences)
    else:
        order = label_order(member, labels)
        for one in member.lattices(sentences):
            yield Lattice(one.nodes[:, order], one.edges[..., order[:, None], order], one.start[order], one.end[order])


def label_order(member: Any, labels: tuple[str, ...]) -> NDArray[np.int64]:
    """Return the number that the member has for each label of the pool."""
    return label_numbers(labels, member.labels_)


def label_numbers(labels: Sequence[str], known: Sequence[str]) -> NDArray[np.int64]:
    """Return the place of each label among the known ones."""
    numbers = {label: number for number, label in enumerate(known)}
    return np.array([numbers[label] for label in labels], np.int64)
