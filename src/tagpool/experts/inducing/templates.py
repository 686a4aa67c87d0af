"""Templates from conjunctions: an inducing tagger finds conjunctions of features, other learners can use their templates.

The conjunction of ``word[0]=to`` and ``suffix(word, 2)[1]=ng`` gives the template ``word[0] & suffix(word, 2)[1]``.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tagpool.errors import InputError, check_type
from tagpool.experts.inducing.names import NamedFeatures
from tagpool.experts.inducing.tagger import InducingTagger
from tagpool.experts.inside.inspection import template_of
from tagpool.experts.saving import fitted_templates
from tagpool.features.functions import CONTEXT
from tagpool.features.template import Call, Expression, Range, Template, TemplateSet, Term

_PARTS = ("prefix", "suffix", "cluster")  # functions of which a shorter value is a part of a longer one


class ConjunctionTemplate(NamedTuple):
    """Template of conjunctions: the sum of their absolute weights, and their number."""

    template: Template
    strength: float
    conjunctions: int


def conjunction_templates(tagger: InducingTagger) -> list[ConjunctionTemplate]:
    """The templates of a tagger's conjunctions, in the order of the sums of absolute weights.

    Redundant templates are left out, whose one term is a function of the other (``word[0] & suffix(word, 2)[0]``). So are
    conjunctions of two features of one template, of templates that share a name, and with a label before the last one.

    >>> from tagpool import Corpus
    >>> corpus = Corpus.from_lists(
    ...     word=[["Ann", "left"], ["Ann", "will"], ["the", "left"]], label=[["N", "V"], ["N", "M"], ["D", "N"]]
    ... )
    >>> [str(one.template) for one in conjunction_templates(InducingTagger("word[-1..0]", epochs=20).fit(corpus))]
    ['word[-1] & word[0]']
    """
    features = NamedFeatures(tagger)
    terms_of = _terms(fitted_templates(tagger))
    keys = np.array([*map(template_of, features.names), *features.label_keys])
    conjunctions = features.induced.conjunctions
    pairs = np.sort(keys[conjunctions], axis=1) if len(conjunctions) else np.empty((0, 2), keys.dtype)
    strengths = np.concatenate([np.zeros(0), *(np.abs(weights).sum(axis=1) for weights in features.conjunction_weights())])
    total: Counter[tuple[str, str]] = Counter()
    count: Counter[tuple[str, str]] = Counter()
    for (first, second), strength in zip(pairs.tolist(), strengths.tolist(), strict=True):
        total[first, second] += strength
        count[first, second] += strength > 0
    ranked = sorted(total, key=lambda pair: (-total[pair], pair))
    return [
        ConjunctionTemplate(template, total[pair], count[pair])
        for pair in ranked
        if total[pair] and (template := _conjunction(*pair, terms_of)) is not None
    ]


def induced_templates(tagger: InducingTagger, *, n: int = 20, bag: str | None = None, transitions: bool = False) -> TemplateSet:
    """The templates of a tagger without labels, and the ``n`` strongest templates of its conjunctions.

    Use them for any learner, with the same resources: ``CRF(induced_templates(tagger), resources=...)``. The conjunctions
    are in the ``bag`` if it is given. With ``transitions``, conjunctions with the label before (``label[-1] & word[0]``) are
    included; they are transition features in a CRF.

    >>> from tagpool import builtin_corpus
    >>> tagger = InducingTagger("word[-1..1]\\nshape(word, short)[0]\\nlabel[-1]").fit(builtin_corpus(300))
    >>> print(induced_templates(tagger, n=2, bag="induced"))  # doctest: +ELLIPSIS
    word[-1..1]
    shape(word, short)[0]
    [induced]
    ...
    """
    if type(n) is not int or n < 1:
        raise InputError(f"n={n!r}: expected a whole number of at least 1")
    check_type(tagger, InducingTagger, "a fitted InducingTagger")
    templates = fitted_templates(tagger)
    base = tuple(template for template in templates if not template.is_history)
    known = {frozenset(terms) for template in templates for _, terms in template.expand()}
    chosen: list[Template] = []
    for template, _, _ in conjunction_templates(tagger):
        ((_, terms),) = template.expand()
        if len(chosen) < n and frozenset(terms) not in known and (transitions or not template.is_history):
            chosen.append(replace(template, bags=(bag,)) if bag else template)
    return templates.keep((*base, *chosen))


def _terms(templates: TemplateSet) -> dict[str, tuple[Term, ...] | None]:
    """The terms of each template by the key of its features; None where several templates share a key."""
    terms_of: dict[str, tuple[Term, ...] | None] = {}
    for template in templates:
        for key, parts in template.expand():
            terms = tuple(Term(expression, (Range(offset, offset),)) for expression, offset in parts)
            terms_of[key] = terms if terms_of.setdefault(key, terms) == terms else None
    return terms_of


def _conjunction(first: str, second: str, terms_of: dict[str, tuple[Term, ...] | None]) -> Template | None:
    one, other = terms_of.get(first), terms_of.get(second)
    if one is None or other is None or first == second:
        return None
    terms = tuple(dict.fromkeys((*one, *other)))
    backs = [term.offsets[0].low for term in terms if term.is_history]
    if backs and backs != [-1]:
        return None
    return None if any(_follows(a, b) for a in terms for b in terms) else Template(terms)


def _follows(one: Term, other: Term) -> bool:
    """True if a term is a function of the value of another term at the same token."""
    if one.offsets != other.offsets or not isinstance(one.expression, Call) or one.expression.function in CONTEXT:
        return False
    if isinstance(other.expression, Call) and one.expression.function in _PARTS and one.expression.numbers:
        shortened = replace(other.expression, numbers=one.expression.numbers)
        if shortened == one.expression and other.expression.numbers != one.expression.numbers:
            return not other.expression.numbers or one.expression.numbers[0].high < other.expression.numbers[0].high
    expression: Expression | None = one.expression
    while isinstance(expression, Call):
        expression = expression.expression
        if expression == other.expression:
            return True
    return False
