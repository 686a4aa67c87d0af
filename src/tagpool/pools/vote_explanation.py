"""Explanation of a pool of experts: the expert that decided each token."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tagpool.chain.lattice import Lattice

_DECIDES = 0.01  # change of the probability


@dataclass(frozen=True)
class VoteToken:
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
class VoteExplanation:
    """The tokens of a sentence."""

    tokens: list[VoteToken]

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


def explain_votes(
    lattice_of: Callable[[Mapping[str, Any]], Lattice],
    names: Sequence[str],
    votes: Mapping[str, Sequence[str | None] | None],
    words: Sequence[str],
) -> VoteExplanation:
    """Explain the labels of a sentence by their probabilities without each expert.

    ``lattice_of`` returns the lattice of the sentence from votes; ``names`` are its labels.
    """
    complete = lattice_of(votes)
    numbers = complete.best().labels if len(complete) else np.zeros(0, np.int32)
    tokens = np.arange(len(numbers))

    def probabilities(lattice: Lattice) -> list[float]:
        chosen: list[float] = lattice.marginals()[tokens, numbers].tolist() if len(lattice) else []
        return chosen

    full = probabilities(complete)
    without = {name: probabilities(lattice_of({**votes, name: None})) for name in votes}
    return VoteExplanation(
        [
            VoteToken(
                word=word,
                label=names[numbers[at]],
                probability=full[at],
                votes={name: None if row is None else row[at] for name, row in votes.items()},
                losses={name: full[at] - values[at] for name, values in without.items()},
            )
            for at, word in enumerate(words)
        ]
    )
