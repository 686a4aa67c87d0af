"""Explanation of a pool's labels: the votes of its members, and the features of the model that it merges into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from tagpool.corpus.corpus import Corpus
from tagpool.experts.inside.explanation import INDENT, Explanation, TokenExplanation
from tagpool.views.explanation import MemberVote, vote_table
from tagpool.views.html import Html, join

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
class TokenVotes(TokenExplanation):
    """The label of the pool, its probability, the votes of the members, and ``features`` if the pool merges into one model."""

    probability: float
    votes: tuple[Vote, ...]
    features: TokenExplanation | None = None

    @property
    def heading(self) -> str:
        """The label with its probability."""
        return self.features.heading if self.features else f"{self.label} {self.probability:.1%}"

    def lines(self, top: int = 8, *, by_template: bool = True) -> list[str]:
        """Votes, then features."""
        width = max(len(vote.member) for vote in self.votes)
        lines = [
            f"{INDENT}{vote.weight:8.3f}  {vote.member:<{width}}  {vote.label} {vote.probability:.1%}" for vote in self.votes
        ]
        return lines + (self.features.lines(top, by_template=by_template) if self.features else [])

    def html(self, top: int = 8) -> Html:
        """Votes, then features."""
        votes = [MemberVote(vote.member, vote.label, vote.probability, vote.weight) for vote in self.votes]
        return join([vote_table(votes, label=self.label), *([self.features.html(top)] if self.features else [])])

    def to_dict(self) -> dict[str, Any]:
        """The votes with the fields of ``features``."""
        fields = {"word": self.word, "label": self.label, "probability": self.probability}
        fields["votes"] = [asdict(vote) for vote in self.votes]
        return fields | (self.features.to_dict() if self.features else {})


def explain_pool(pool: Pool, corpus: Corpus, number: int, instead: Sequence[str | None]) -> Explanation:
    """Explain the labels of a sentence of a corpus; ``instead`` has the label to compare with at each token, or None."""
    tokens = token_votes(pool, corpus, number)
    features = pool._feature_explanations(corpus, number, instead)
    if features is not None:
        tokens = [replace(token, features=one) for token, one in zip(tokens, features, strict=True)]
    return Explanation(tokens)


def token_votes(pool: Pool, corpus: Corpus, sentence: int) -> list[TokenVotes]:
    """Return the votes for each token of a sentence of a corpus."""
    document, place = corpus.document_of(sentence)
    members = zip(pool.names_, pool.weights_.tolist(), pool, pool.member_inputs(document), strict=True)
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
