"""Explanation of a stack: the expert that decided each token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tagpool.experts.linear.crf import CRF
from tagpool.pools.stacked.sentences import StackSentences

_DECIDES = 0.01  # change of the probability


@dataclass(frozen=True)
class StackToken:
    """A token: the votes, and how much of the label's probability is lost without each expert.

    ``decided_by`` is the expert without which most is lost; None if no expert matters.
    """

    word: str
    label: str
    probability: float
    votes: dict[str, str | None]
    losses: dict[str, float]

    @property
    def decided_by(self) -> str | None:
        """The expert without which most of the probability is lost."""
        name = max(self.losses, key=lambda name: self.losses[name], default=None)
        return name if name is not None and self.losses[name] > _DECIDES else None


@dataclass(frozen=True)
class StackExplanation:
    """The tokens of a sentence."""

    tokens: list[StackToken]

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the tokens for JSON."""
        return [
            {
                "word": token.word,
                "label": token.label,
                "probability": token.probability,
                "votes": token.votes,
                "losses": token.losses,
                "decided_by": token.decided_by,
            }
            for token in self.tokens
        ]

    def __str__(self) -> str:
        lines = []
        for token in self.tokens:
            votes = ", ".join(f"{name} {label or '?'}" for name, label in token.votes.items())
            by = token.decided_by
            reason = "words and agreement" if by is None else f"{by} (−{100 * token.losses[by]:.0f} points without it)"
            lines.append(f"{token.word}  {token.label} {100 * token.probability:.0f}%  decided by {reason}; votes: {votes}")
        return "\n".join(lines)


def explain_sentence(stack: CRF, sentence: StackSentences) -> StackExplanation:
    """Explain the only sentence: its labels with all experts, and their probabilities without each."""
    corpus = sentence.corpus()
    labels = stack.predict(corpus)[0]
    numbers = [stack.labels_.index(label) for label in labels]
    tokens = np.arange(len(labels))

    def probabilities(blank: int | None) -> list[float]:
        marginals = stack.predict_proba(sentence.corpus(blank=blank))[0]
        chosen: list[float] = marginals[tokens, numbers].tolist()
        return chosen

    complete = probabilities(None)
    without = [probabilities(expert) for expert in range(len(sentence.names))]
    return StackExplanation(
        [
            StackToken(
                word=word,
                label=label,
                probability=complete[at],
                votes={
                    name: None if rows[0] is None else rows[0][at]
                    for name, rows in zip(sentence.names, sentence.experts, strict=True)
                },
                losses={name: complete[at] - values[at] for name, values in zip(sentence.names, without, strict=True)},
            )
            for at, (word, label) in enumerate(zip(sentence.words[0], labels, strict=True))
        ]
    )
