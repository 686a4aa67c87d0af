"""What an inducing tagger has found out, for others: templates that join what its strongest pairs join.

A pair joins two features, ``word[0]=to`` and ``suffix(word, 2)[1]=ng``; a template joins what they are features of, ``word[0] &
suffix(word, 2)[1]``, and leaves it to whoever trains on it which of the joint features have weight.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tagpool.errors import InputError
from tagpool.experts.inducing.names import NamedFeatures
from tagpool.experts.inducing.tagger import InducingTagger
from tagpool.experts.inside.inspection import template_of
from tagpool.features.compiler import CONTEXT
from tagpool.features.parser import parse
from tagpool.features.template import Call, Expression, Range, Template, TemplateSet, Term

_PARTS = ("prefix", "suffix", "cluster")  # functions of which a shorter value is a part of a longer one


class PairTemplate(NamedTuple):
    """Two templates whose features were joined: what all these pairs weigh together, and how many there are."""

    template: Template
    strength: float
    pairs: int


def pair_templates(tagger: InducingTagger) -> list[PairTemplate]:
    """The conjunctions that the pairs of a tagger come from, the strongest first.

    The strength is the sum of the magnitudes of the pairs' weights. Left out are conjunctions that say nothing new, since one
    term follows from the other (``word[0] & suffix(word, 2)[0]``): a learner that makes many small mistakes joins them, but
    what they weigh could as well be the first term's. So are those of two features of one template, of templates that
    share a name, and with a label that is further back than the last.

    >>> from tagpool import Corpus
    >>> corpus = Corpus.from_lists(
    ...     word=[["Ann", "left"], ["Ann", "will"], ["the", "left"]], label=[["N", "V"], ["N", "M"], ["D", "N"]]
    ... )
    >>> [str(each.template) for each in pair_templates(InducingTagger("word[-1..0]", epochs=20).fit(corpus))]
    ['word[-1] & word[0]']
    """
    found = NamedFeatures(tagger)
    terms_of = _terms(_templates(tagger))
    keys = np.array([template_of(name) for name in found.names + found.labelled_names])
    joined = np.sort(keys[found.induced.pairs], axis=1) if len(found.induced.pairs) else np.empty((0, 2), keys.dtype)
    strengths = np.abs(found.pair_weights()).sum(axis=1)
    total: Counter[tuple[str, str]] = Counter()
    count: Counter[tuple[str, str]] = Counter()
    for (first, second), strength in zip(joined.tolist(), strengths.tolist(), strict=True):
        total[first, second] += strength
        count[first, second] += strength > 0
    ranked = sorted(total, key=lambda pair: (-total[pair], pair))
    return [
        PairTemplate(template, total[pair], count[pair])
        for pair in ranked
        if total[pair] and (template := _joined(*pair, terms_of)) is not None
    ]


def induced_templates(tagger: InducingTagger, *, n: int = 20, bag: str | None = None, transitions: bool = False) -> TemplateSet:
    """The templates of a tagger, without those that look at labels, and the ``n`` strongest conjunctions of its pairs.

    They are for any learner, with the same resources: ``CRF(induced_templates(tagger), resources=...)``. With the name of a
    ``bag`` the conjunctions are in it. With ``transitions`` those with the label before (``label[-1] & word[0]``) are among
    them, which in a CRF are features of transitions.

    >>> from tagpool import builtin_corpus
    >>> tagger = InducingTagger("word[-1..1]\\nshape(word, short)[0]\\nlabel[-1]").fit(builtin_corpus(300))
    >>> print(induced_templates(tagger, n=2, bag="induced"))  # doctest: +ELLIPSIS
    word[-1..1]
    shape(word, short)[0]
    [induced]
    ...
    """
    if type(n) is not int or n < 1:
        raise InputError(f"n={n!r}: expected a whole number from 1 on")
    own = _templates(tagger)
    base = tuple(template for template in own if not template.is_history)
    known = {frozenset(terms) for template in own for _, terms in template.expand()}
    chosen: list[Template] = []
    for each in pair_templates(tagger):
        ((_, terms),) = each.template.expand()
        if len(chosen) < n and frozenset(terms) not in known and (transitions or not each.template.is_history):
            chosen.append(replace(each.template, bags=(bag,)) if bag else each.template)
    return own.keep((*base, *chosen))


def _templates(tagger: InducingTagger) -> TemplateSet:
    text = tagger._fitted().text("templates")
    return parse(text) if text is not None else tagger._templates()


def _terms(templates: TemplateSet) -> dict[str, tuple[Term, ...] | None]:
    """The terms of each template by the key that its features are named by; None where several share a key."""
    found: dict[str, tuple[Term, ...] | None] = {}
    for template in templates:
        for key, terms in template.expand():
            made = tuple(Term(expression, (Range(offset, offset),)) for expression, offset in terms)
            found[key] = made if found.setdefault(key, made) == made else None
    return found


def _joined(first: str, second: str, terms_of: dict[str, tuple[Term, ...] | None]) -> Template | None:
    one, other = terms_of.get(first), terms_of.get(second)
    if one is None or other is None or first == second:
        return None
    terms = tuple(dict.fromkeys((*one, *other)))
    backs = [term.offsets[0].low for term in terms if term.is_history]
    if backs and backs != [-1]:
        return None
    return None if any(_follows(a, b) for a in terms for b in terms) else Template(terms)


def _follows(one: Term, other: Term) -> bool:
    """Whether a term's value follows from that of another: a function of what the other says about the same token."""
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
