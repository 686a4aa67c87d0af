"""Schemes: what each member of a pool may look at, where nobody wrote bags. A scheme makes a list of views of the same templates.

Random and sequential parts of the features are those of Wang and Manning 2013 (ELITIST, section 6); positions and labels those
of Smith, Cohn and Osborne 2005.
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
    """One of ``count`` parts of all features: every feature is in exactly one. Without a seed, parts follow one another."""

    number: int
    count: int
    seed: int | None = None

    def marks(self, features: int) -> bytes:
        """1 for each feature of this part, by number.

        >>> list(Part(0, 2).marks(5)), list(Part(1, 2).marks(5))
        ([1, 1, 0, 0, 0], [0, 0, 1, 1, 1])
        """
        order = list(range(features))
        if self.seed is not None:
            random.Random(self.seed).shuffle(order)
        found = bytearray(features)
        for feature in order[self.number * features // self.count : (self.number + 1) * features // self.count]:
            found[feature] = 1
        return bytes(found)


@dataclass(frozen=True)
class View:
    """What a member may look at: templates, perhaps only a part of their features, perhaps only some labels.

    Labels that are not among ``labels`` are one to it.
    """

    templates: TemplateSet
    part: Part | None = None
    labels: tuple[str, ...] | None = None


@runtime_checkable
class BagScheme(Protocol):
    """Makes views by name."""

    def views(self, templates: TemplateSet, labels: Sequence[str]) -> dict[str, View]:
        """The views of these templates, for these labels."""


@dataclass(frozen=True)
class RandomParts:
    """The features cut at random into ``count`` parts of equal size."""

    count: int = 2
    seed: int = 1

    def views(self, templates: TemplateSet, labels: Sequence[str]) -> dict[str, View]:
        """One a part."""
        return {f"part {n + 1}": View(templates, Part(n, self.count, self.seed)) for n in range(_checked(self.count))}


@dataclass(frozen=True)
class SequentialParts:
    """The features, in the order they are met in the training sentences, cut into ``count`` parts of equal size."""

    count: int = 2

    def views(self, templates: TemplateSet, labels: Sequence[str]) -> dict[str, View]:
        """One a part."""
        return {f"part {n + 1}": View(templates, Part(n, self.count)) for n in range(_checked(self.count))}


@dataclass(frozen=True)
class Positions:
    """What stands before the token, at it, and after it. Templates that look to both sides are in all three."""

    def views(self, templates: TemplateSet, labels: Sequence[str]) -> dict[str, View]:
        """One a position, where there is anything to see.

        >>> from tagpool import load_templates
        >>> {name: str(view.templates) for name, view in Positions().views(load_templates("word[-1..1]"), []).items()}
        {'before': 'word[-1]\\n', 'here': 'word[0]\\n', 'after': 'word[1]\\n'}
        """
        single = [each for template in templates for each in _single(template)]
        sides = {"before": {-1}, "here": set[int](), "after": {1}}
        found = {}
        for name, side in sides.items():
            chosen = tuple(each for each in single if _sides(each) in (side, {-1, 1}))
            if any(_sides(each) == side for each in chosen):
                found[name] = View(templates.keep(chosen))
        return found


@dataclass(frozen=True)
class LabelWise:
    """One member a type of label (``B-PER`` and ``I-PER`` together, ``O`` alone), to which all other labels are one."""

    def views(self, templates: TemplateSet, labels: Sequence[str]) -> dict[str, View]:
        """One a type.

        >>> from tagpool import load_templates
        >>> [view.labels for view in LabelWise().views(load_templates("word[0]"), ["O", "B-PER", "I-PER"]).values()]
        [('O',), ('B-PER', 'I-PER')]
        """
        groups: dict[str, list[str]] = {}
        for label in labels:
            groups.setdefault(label_parts(label).type or label, []).append(label)
        return {name: View(templates, labels=tuple(group)) for name, group in groups.items()}


def _checked(count: object) -> int:
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise InputError(f"count={count!r}: expected a whole number of parts from 1 on")
    return count


def _single(template: Template) -> list[Template]:
    """The single conjunctions that a template stands for, as templates."""
    return [
        replace(
            template,
            terms=tuple(Term(expression, (Range(offset, offset),)) for expression, offset in terms),
            line=template.line,
            text=None,
        )
        for _, terms in template.expand()
    ]


def _sides(template: Template) -> set[int]:
    """-1 if it looks at tokens before, 1 if at tokens after."""
    offsets = {offset for _, terms in template.expand() for _, offset in terms}
    return {-1 for offset in offsets if offset < 0} | {1 for offset in offsets if offset > 0}
