"""Partitions: schemes that divide features or labels among the members of a pool.

Random and sequential parts of the features are from Wang and Manning 2013, section 6; positions and labels from Smith, Cohn and
Osborne 2005.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from tagpool.corpus.transitions import label_parts
from tagpool.errors import InputError
from tagpool.features.template import Range, Template, TemplateSet, Term


@dataclass(frozen=True)
class Part:
    """One of ``count`` disjoint parts of all features: random with a seed, else consecutive."""

    number: int
    count: int
    seed: int | None = None

    def marks(self, features: int) -> bytes:
        """Return a byte per feature number: 1 for the features of this part.

        >>> list(Part(0, 2).marks(5)), list(Part(1, 2).marks(5))
        ([1, 1, 0, 0, 0], [0, 0, 1, 1, 1])
        """
        order = list(range(features))
        if self.seed is not None:
            random.Random(self.seed).shuffle(order)
        marks = bytearray(features)
        for feature in order[self.number * features // self.count : (self.number + 1) * features // self.count]:
            marks[feature] = 1
        return bytes(marks)


@dataclass(frozen=True)
class View:
    """Input of a member: templates, and optionally a part of their features, or some labels (the others are merged)."""

    templates: TemplateSet
    part: Part | None = None
    labels: tuple[str, ...] | None = None


@runtime_checkable
class BagScheme(Protocol):
    """A scheme that returns views by name."""

    def views(self, templates: TemplateSet, labels: Sequence[str]) -> dict[str, View]:
        """Return the views of these templates, for these labels."""


@dataclass(frozen=True)
class RandomParts:
    """The features divided at random into ``count`` parts of equal size."""

    count: int = 2
    seed: int = 1

    @property
    def text(self) -> str:
        """The scheme as a configuration has it."""
        return f"random:{self.count}:{self.seed}"

    def views(self, templates: TemplateSet, labels: Sequence[str]) -> dict[str, View]:
        """Return one view per part."""
        return _part_views(templates, self.count, self.seed)


@dataclass(frozen=True)
class SequentialParts:
    """The features, in the order of their first occurrence, divided into ``count`` parts of equal size."""

    count: int = 2

    @property
    def text(self) -> str:
        """The scheme as a configuration has it."""
        return f"sequential:{self.count}"

    def views(self, templates: TemplateSet, labels: Sequence[str]) -> dict[str, View]:
        """Return one view per part."""
        return _part_views(templates, self.count)


@dataclass(frozen=True)
class Positions:
    """Templates of tokens before, at and after the current one. Templates of both sides are in all three."""

    text = "positions"

    def views(self, templates: TemplateSet, labels: Sequence[str]) -> dict[str, View]:
        """Return one view per position that has templates.

        >>> from tagpool import load_templates
        >>> {name: str(view.templates) for name, view in Positions().views(load_templates("word[-1..1]"), []).items()}
        {'before': 'word[-1]\\n', 'here': 'word[0]\\n', 'after': 'word[1]\\n'}
        """
        expanded = [single for template in templates for single in _expand(template)]
        views = {}
        for name, side in (("before", {-1}), ("here", set[int]()), ("after", {1})):
            chosen = tuple(single for single in expanded if _sides(single) in (side, {-1, 1}))
            if any(_sides(single) == side for single in chosen):
                views[name] = View(templates.keep(chosen))
        return views


@dataclass(frozen=True)
class LabelWise:
    """One member per label type (``B-PER`` and ``I-PER`` are one type); it sees all other labels as one."""

    text = "labels"

    def views(self, templates: TemplateSet, labels: Sequence[str]) -> dict[str, View]:
        """Return one view per type.

        >>> from tagpool import load_templates
        >>> [view.labels for view in LabelWise().views(load_templates("word[0]"), ["O", "B-PER", "I-PER"]).values()]
        [('O',), ('B-PER', 'I-PER')]
        """
        groups: dict[str, list[str]] = {}
        for label in labels:
            groups.setdefault(label_parts(label).type or label, []).append(label)
        return {name: View(templates, labels=tuple(group)) for name, group in groups.items()}


def parse_scheme(text: str, seed: int = 1) -> BagScheme:
    """The scheme of a text.

    >>> parse_scheme("random:3"), parse_scheme("labels")
    (RandomParts(count=3, seed=1), LabelWise())
    """
    name, *numbers = text.split(":")
    if all(number.isascii() and number.isdigit() and len(number) <= 15 for number in numbers) and int((numbers or ["1"])[0]) > 0:
        if name == "random" and len(numbers) in (1, 2):
            return RandomParts(*map(int, numbers)) if len(numbers) == 2 else RandomParts(int(numbers[0]), seed)
        if name == "sequential" and len(numbers) == 1:
            return SequentialParts(int(numbers[0]))
        if name in ("positions", "labels") and not numbers:
            return Positions() if name == "positions" else LabelWise()
    raise InputError(
        f"bags={text!r}: expected 'auto', 'random:N', 'sequential:N', 'positions', 'labels', or names with their bags"
    )


def _part_views(templates: TemplateSet, count: int, seed: int | None = None) -> dict[str, View]:
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise InputError(f"count={count!r}: expected a whole number of at least 1")
    return {f"part {number + 1}": View(templates, Part(number, count, seed)) for number in range(count)}


def _expand(template: Template) -> list[Template]:
    """Return one template per combination of offsets."""
    return [
        replace(template, terms=tuple(Term(expression, (Range(offset, offset),)) for expression, offset in terms), text=None)
        for _, terms in template.expand()
    ]


def _sides(template: Template) -> set[int]:
    """Return -1 if the template reads previous tokens, 1 if it reads next tokens."""
    offsets = {offset for _, terms in template.expand() for _, offset in terms}
    return {-1 for offset in offsets if offset < 0} | {1 for offset in offsets if offset > 0}
