"""Explanation: the evidence for each label of a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tagpool.visible import one_line
from tagpool.wording import counted

INDENT = "      "


@dataclass(frozen=True)
class Contribution:
    """The score that a feature adds to a label, and the ``difference`` it makes to the lead over the runner-up."""

    feature: str
    score: float
    difference: float


@dataclass(frozen=True)
class TokenExplanation:
    """The label of a token with the evidence for it; each kind of learner has its own evidence."""

    word: str
    label: str

    @property
    def heading(self) -> str:
        """The label with its probability or lead."""
        return self.label

    def lines(self, top: int = 8) -> list[str]:
        """The evidence as text, at most ``top`` features."""
        return []

    def to_dict(self) -> dict[str, Any]:
        """All fields, as JSON values."""
        return asdict(self)


@dataclass(frozen=True)
class Explanation:
    """The explained tokens of a sentence: a sequence, and ``str`` gives the text."""

    tokens: Sequence[TokenExplanation]

    def __len__(self) -> int:
        return len(self.tokens)

    def __iter__(self) -> Iterator[TokenExplanation]:
        return iter(self.tokens)

    def __getitem__(self, place: int) -> TokenExplanation:
        return self.tokens[place]

    def __str__(self) -> str:
        return "\n".join(self.text(place) for place in range(len(self.tokens)))

    def text(self, place: int, top: int = 8) -> str:
        """One token as text."""
        token = self.tokens[place]
        return "\n".join(map(one_line, [f"{place + 1:>3}. {token.word}  {token.heading}", *token.lines(top)]))


def by_difference(contributions: Iterable[Contribution]) -> list[Contribution]:
    """Sort contributions, largest absolute difference first."""
    return sorted(contributions, key=lambda one: -abs(one.difference))


def as_lines(contributions: Sequence[Contribution], top: int) -> list[str]:
    """The first ``top`` contributions, and the sum of the others."""
    lines = [f"{INDENT}{one.difference:+8.3f}  {one.feature}" for one in contributions[:top]]
    if len(contributions) > top:
        rest = sum(one.difference for one in contributions[top:])
        lines.append(f"{INDENT}{rest:+8.3f}  ({counted(len(contributions) - top, 'more feature')})")
    return lines
