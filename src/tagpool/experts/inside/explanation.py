"""Explanation: the evidence for each label of a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tagpool.errors import InputError
from tagpool.experts.inside.inspection import template_of
from tagpool.views.explanation import Evidence, evidence_table
from tagpool.views.html import Html, element, fragment, join
from tagpool.views.sentence import show
from tagpool.visible import one_line
from tagpool.wording import counted

INDENT = "      "
_NAMED = 3  # features of a group that the text names


@dataclass(frozen=True)
class Contribution:
    """The score that a feature adds to a label, and the ``difference`` it makes to the lead over the runner-up."""

    feature: str
    score: float
    difference: float


@dataclass(frozen=True)
class ContributionGroup:
    """The contributions of the features of a template, largest absolute difference first."""

    template: str
    contributions: tuple[Contribution, ...]

    @property
    def difference(self) -> float:
        """The difference that all features of the group make together."""
        return sum(one.difference for one in self.contributions)

    def __str__(self) -> str:
        if len(self.contributions) == 1:
            return self.contributions[0].feature
        named = [f"{_value_of(one.feature)} {one.difference:+.3f}" for one in self.contributions[:_NAMED]]
        more = [f"{len(self.contributions) - _NAMED} more"] if len(self.contributions) > _NAMED else []
        return f"{self.template}: {', '.join(named + more)}"


@dataclass(frozen=True)
class TokenExplanation:
    """The label of a token with the evidence for it; each kind of learner has its own evidence."""

    word: str
    label: str

    @property
    def heading(self) -> str:
        """The label with its probability or lead."""
        return self.label

    def lines(self, top: int = 8, *, by_template: bool = True) -> list[str]:
        """The evidence as text, at most ``top`` templates, or ``top`` features."""
        return []

    def html(self, top: int = 8) -> Html:
        """The evidence as HTML, at most ``top`` templates."""
        return Html("")

    def to_dict(self) -> dict[str, Any]:
        """All fields, as JSON values."""
        return asdict(self)


@dataclass(frozen=True)
class Explanation:
    """The explained tokens of a sentence: a sequence, and ``str`` gives the text. A notebook displays it as HTML."""

    tokens: Sequence[TokenExplanation]

    def __len__(self) -> int:
        return len(self.tokens)

    def __iter__(self) -> Iterator[TokenExplanation]:
        return iter(self.tokens)

    def __getitem__(self, place: int) -> TokenExplanation:
        return self.tokens[place]

    def __str__(self) -> str:
        return "\n".join(self.text(place) for place in range(len(self.tokens)))

    def text(self, place: int, top: int = 8, *, by_template: bool = True) -> str:
        """One token as text, with the features of each template together or one by one."""
        token = self.tokens[place]
        lines = token.lines(top, by_template=by_template)
        return "\n".join(map(one_line, [f"{place + 1:>3}. {token.word}  {token.heading}", *lines]))

    def html(self, top: int = 8) -> Html:
        """The labelled sentence, and the evidence for each token, collapsed."""
        sentence = show([token.word for token in self.tokens], [token.label for token in self.tokens]).html()
        tokens = [
            element("details", element("summary", element("b", token.word), f" {token.heading}"), token.html(top))
            for token in self.tokens
        ]
        return join([sentence, *tokens])

    def _repr_html_(self) -> str:
        return fragment(self.html())


def contributions_table(contributions: Sequence[Contribution], *, label: str, instead: str, top: int) -> Html:
    """The contributions as bars, by template; positive ones favour the label, negative ones the other label."""
    evidence = [Evidence(str(group), group.difference) for group in group_by_template(contributions)]
    return evidence_table(evidence, label=label, instead=instead, top=top)


def by_difference(contributions: Iterable[Contribution]) -> list[Contribution]:
    """Sort contributions, largest absolute difference first."""
    return sorted(contributions, key=lambda one: -abs(one.difference))


def group_by_template(contributions: Iterable[Contribution]) -> list[ContributionGroup]:
    """Group contributions by template, the largest absolute difference of a group first.

    >>> endings = [Contribution("suffix[0]=n", 0.5, 0.4), Contribution("suffix[0]=nn", 0.5, 0.3)]
    >>> groups = group_by_template([Contribution("word[0]=Ann", 1.0, 0.6), *endings])
    >>> [(group.template, round(group.difference, 1)) for group in groups]
    [('suffix[0]', 0.7), ('word[0]', 0.6)]
    """
    groups: dict[str, list[Contribution]] = {}
    for one in contributions:
        groups.setdefault(_templates_of(one.feature), []).append(one)
    result = [ContributionGroup(template, tuple(by_difference(members))) for template, members in groups.items()]
    return sorted(result, key=lambda group: -abs(group.difference))


def as_lines(contributions: Sequence[Contribution], top: int, *, by_template: bool = True) -> list[str]:
    """The first ``top`` groups or contributions, and the sum of the others."""
    kind = "template" if by_template else "feature"
    shown: list[tuple[float, str]]
    if by_template:
        shown = [(group.difference, str(group)) for group in group_by_template(contributions)]
    else:
        shown = [(one.difference, one.feature) for one in contributions]
    lines = [f"{INDENT}{difference:+8.3f}  {text}" for difference, text in shown[:top]]
    if len(shown) > top:
        rest = sum(difference for difference, _ in shown[top:])
        lines.append(f"{INDENT}{rest:+8.3f}  ({counted(len(shown) - top, f'more {kind}')})")
    return lines


def check_instead(instead: str | Sequence[str | None] | None, labels: Sequence[str], length: int) -> list[str | None]:
    """The label to compare with at each token, None for the runner-up; ``labels`` are those of the tagger."""
    chosen = [instead] * length if instead is None or isinstance(instead, str) else list(instead)
    if len(chosen) != length:
        raise InputError(f"instead: expected a label for each of {counted(length, 'token')}, got {len(chosen)}")
    for label in chosen:
        if label is not None and label not in labels:
            raise InputError(f"instead={label!r}: the labels are {', '.join(sorted(set(labels)))}")
    return chosen


def describe_other(label: str, *, chosen: bool) -> str:
    """The label that an explanation compares with: the next one, or the label that was chosen instead."""
    return f"rather than {label}" if chosen else f"next: {label}"


def _templates_of(feature: str) -> str:
    """The template of a feature; of a conjunction of two features, both templates."""
    return " & ".join(map(template_of, feature.split(" & ")))


def _value_of(feature: str) -> str:
    """The value of a feature without its template; a conjunction of two features as it is."""
    return feature if " & " in feature else feature.partition("=")[2] or feature
