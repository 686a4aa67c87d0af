"""Experts chosen by hand (Smith, Cohn and Osborne 2005): CRFs beside one of all features, which they call the monolithic CRF.

They combine them in a logarithmic opinion pool with learned weights. They print no list of the features of the simple expert:
ours has the words and short shapes of three tokens, and the ends of the sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tagpool.experiments.fits import Makers, Model
from tagpool.experts.linear.crf import CRF
from tagpool.features.functions import ELSEWHERE, FUNCTIONS, Numbers
from tagpool.features.parser import parse
from tagpool.features.template import Expression, Range, Template, TemplateSet, Term, unnest
from tagpool.pools.bagging.partitions import BagScheme, LabelWise, View

ALL = "all"  # the member with all features and labels
_SIMPLE = "bias\nword[-1..1]\nshape(word, short)[-1..1]\nposition[0]"
_GRID = (0.3, 1.0)


@dataclass(frozen=True)
class Simple:
    """A member with all templates, and one with a few simple ones."""

    templates: str = _SIMPLE

    def views(self, templates: TemplateSet, labels: Sequence[str]) -> dict[str, View]:
        """Return both views.

        >>> [len(view.templates) for view in Simple("word[0]").views(parse("word[0]\\nshape(word)[0]"), []).values()]
        [2, 1]
        """
        return {ALL: View(templates), "simple": View(parse(self.templates))}


@dataclass(frozen=True)
class Sides:
    """A member with all templates, one with those of the current and earlier tokens, and one of the current and later tokens."""

    def views(self, templates: TemplateSet, labels: Sequence[str]) -> dict[str, View]:
        """Return the three views.

        >>> {name: str(view.templates).split() for name, view in Sides().views(parse("word[-1..1]"), []).items()}
        {'all': ['word[-1..1]'], 'before': ['word[-1]', 'word[0]'], 'after': ['word[0]', 'word[1]']}
        """
        single = [one for template in templates for one in _single(template)]
        before = tuple(one for one in single if reach(one)[1] <= 0)
        after = tuple(one for one in single if reach(one)[0] >= 0)
        return {ALL: View(templates), "before": View(templates.keep(before)), "after": View(templates.keep(after))}


@dataclass(frozen=True)
class Types:
    """A member with all labels, and one for each type of name, for which all other labels are one."""

    def views(self, templates: TemplateSet, labels: Sequence[str]) -> dict[str, View]:
        """Return one view more than there are types.

        >>> [view.labels for view in Types().views(parse("word[0]"), ["O", "B-PER", "I-PER"]).values()]
        [None, ('B-PER', 'I-PER')]
        """
        types = {name: view for name, view in LabelWise().views(templates, labels).items() if view.labels != ("O",)}
        return {ALL: View(templates), **types}


def reach(template: Template) -> tuple[int, int]:
    """Return the first and last token that a template reads, counted from the current one.

    A window reads more than its offset. Other occurrences of the word are no neighbours of it.

    >>> [reach(*parse(text)) for text in ("word[-2] & word[0]", "disjunction(word, 1..4)[0]", "elsewhere(word, -1)[0]")]
    [(-2, 0), (1, 4), (0, 0)]
    """
    windows = [
        (offset + low, offset + high)
        for term in template.terms
        for expression, offset in term.expand()
        for low, high in [_window(expression)]
    ]
    return min((low for low, _ in windows)), max((high for _, high in windows))


def chosen_experts(makers: Makers) -> list[Model]:
    """Return the three pools of the paper, with weights that maximise the likelihood of dev."""
    schemes: dict[str, BagScheme] = {"simple": Simple(), "positional": Sides(), "label": Types()}
    return [
        Model(f"Smith et al., {name}", makers.bagged(CRF, bags=scheme, weights="likelihood"), _GRID, stops=True)
        for name, scheme in schemes.items()
    ]


def _window(expression: Expression) -> tuple[int, int]:
    """Return the first and last token that a function reads, counted from its offset."""
    calls, _ = unnest(expression)
    if any(call.function == ELSEWHERE for call in calls):
        return 0, 0
    windows = [call.window for call in calls if FUNCTIONS[call.function].numbers is Numbers.WINDOW]
    return min((low for low, _ in windows), default=0), max((high for _, high in windows), default=0)


def _single(template: Template) -> list[Template]:
    """Return one template for each combination of offsets; one with its own name stays whole."""
    if template.name is not None:
        return [template]
    return [
        replace(template, terms=tuple(Term(expression, (Range(offset, offset),)) for expression, offset in terms), text=None)
        for _, terms in template.expand()
    ]
