"""Votes: the labels of the members of a pool for a sentence, beside those of the pool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tagpool.corpus.corpus import Corpus

if TYPE_CHECKING:
    from tagpool.pools.pool import Pool


@dataclass(frozen=True)
class Vote:
    """The best label of a member for a token, its probability, and the weight of the member."""

    member: str
    weight: float
    label: str
    probability: float


@dataclass(frozen=True)
class TokenVotes:
    """The label of the pool for a token, its probability, and the votes of the members."""

    word: str
    label: str
    probability: float
    votes: tuple[Vote, ...]


def token_votes(pool: Pool, corpus: Corpus, sentence: int) -> list[TokenVotes]:
    """Return the votes for each token of a sentence of a corpus."""
    document, place = corpus.document_of(sentence)
    inputs = pool.member_inputs(document)
    members = zip(pool.names_, pool.weights_.tolist(), pool, inputs, strict=True)
    by_member = [
        [Vote(name, weight, *labelled) for labelled in _labels(member, member_input, place)]
        for name, weight, member, member_input in members
    ]
    tokens = zip(document[place].words, _labels(pool, document, place), zip(*by_member, strict=True), strict=True)
    return [TokenVotes(word, *labelled, votes) for word, labelled, votes in tokens]


def _labels(tagger: Any, document: Corpus, sentence: int) -> list[tuple[str, float]]:
    """Return the labels of a sentence with their probabilities."""
    labels = tagger.predict(document)[sentence]
    number = {label: index for index, label in enumerate(tagger.labels_)}
    marginals = tagger.lattices(document)[sentence].marginals()
    return [(label, float(row[number[label]])) for label, row in zip(labels, marginals, strict=True)]
