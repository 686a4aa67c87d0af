"""Votes: what each member of a pool says of a sentence by itself, beside what the pool says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tagpool.corpus.corpus import Corpus
from tagpool.pools.pool import Pool


@dataclass(frozen=True)
class Vote:
    """A member's own best label of a token, how probable that is to it, and how much the member counts."""

    member: str
    share: float
    label: str
    probability: float


@dataclass(frozen=True)
class TokenVotes:
    """A token's label as the pool has it, with its probability, and the members' votes."""

    word: str
    label: str
    probability: float
    votes: tuple[Vote, ...]


def member_names(pool: Any) -> tuple[str, ...]:
    """The members' names: those of their bags, else their numbers.

    >>> from tagpool import CRF, OpinionPool, builtin_corpus
    >>> member_names(OpinionPool([CRF("word[0]").fit(builtin_corpus(20))]))
    ('member 1',)
    """
    named: tuple[str, ...] | None = getattr(pool, "names_", None)
    return named or tuple(f"member {number}" for number in range(1, len(pool) + 1))


def votes(pool: Any, corpus: Corpus, sentence: int = 0) -> list[TokenVotes]:
    """What is said of each token of a sentence of a corpus.

    >>> from tagpool import CRF, MaxEnt, OpinionPool, builtin_corpus
    >>> train = builtin_corpus(100)
    >>> pool = OpinionPool([CRF("word[0]").fit(train), MaxEnt("shape[0]").fit(train)], weights=[0.75, 0.25])
    >>> [(vote.member, vote.share) for vote in votes(pool, train)[0].votes]
    [('member 1', 0.75), ('member 2', 0.25)]
    """
    document, place = corpus.document_of(sentence)
    seen = pool.member_inputs(document) if isinstance(pool, Pool) else [document] * len(pool)
    said = [_opinions(member, looked_at, place) for member, looked_at in zip(pool, seen, strict=True)]
    members = zip(member_names(pool), np.asarray(pool.weights_).tolist(), said, strict=True)
    cast = [[Vote(name, share, *opinion) for opinion in opinions] for name, share, opinions in members]
    return [
        TokenVotes(word, *opinion, own)
        for word, opinion, own in zip(
            document[place].words, _opinions(pool, document, place), zip(*cast, strict=True), strict=True
        )
    ]


def _opinions(tagger: Any, document: Corpus, sentence: int) -> list[tuple[str, float]]:
    """A tagger's labels of a sentence, each with its probability at its token."""
    labels = tagger.predict(document)[sentence]
    lattice = tagger.lattices(document)[sentence]
    number = {label: index for index, label in enumerate(tagger.labels_)}
    return [(label, float(row[number[label]])) for label, row in zip(labels, lattice.marginals(), strict=True)]
