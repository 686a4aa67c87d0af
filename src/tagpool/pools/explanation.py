"""Explanation of a pool's labels: the votes of its members, and the features of the model that it merges into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from tagpool.corpus.corpus import Corpus
from tagpool.experts.inside.explanation import INDENT, Explanation, TokenExplanation
from tagpool.pools.member_votes import Vote, token_votes

if TYPE_CHECKING:
    from tagpool.pools.pool import Pool


@dataclass(frozen=True)
class PoolExplanation(TokenExplanation):
    """The probability of a label, the vote of every member, and ``features`` if the pool merges into one model."""

    probability: float
    votes: tuple[Vote, ...]
    features: TokenExplanation | None

    @property
    def heading(self) -> str:
        """The label with its probability."""
        return self.features.heading if self.features else f"{self.label} {self.probability:.1%}"

    def lines(self, top: int = 8) -> list[str]:
        """Votes, then features."""
        width = max(len(vote.member) for vote in self.votes)
        lines = [
            f"{INDENT}{vote.weight:8.3f}  {vote.member:<{width}}  {vote.label} {vote.probability:.1%}" for vote in self.votes
        ]
        return lines + (self.features.lines(top) if self.features else [])

    def to_dict(self) -> dict[str, Any]:
        """The fields of ``features`` with the votes."""
        fields = {"word": self.word, "label": self.label, "probability": self.probability}
        fields["votes"] = [asdict(vote) for vote in self.votes]
        return fields | (self.features.to_dict() if self.features else {})


def explain_pool(pool: Pool, corpus: Corpus, number: int) -> Explanation:
    """Explain the labels of a sentence of a corpus."""
    tokens = token_votes(pool, corpus, number)
    features: Sequence[TokenExplanation | None] = pool._feature_explanations(corpus, number) or [None] * len(tokens)
    return Explanation(
        [
            PoolExplanation(token.word, token.label, token.probability, token.votes, one)
            for token, one in zip(tokens, features, strict=True)
        ]
    )
