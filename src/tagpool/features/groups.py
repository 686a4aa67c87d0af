"""Groups of features, by what their templates read."""

from __future__ import annotations

from tagpool.corpus.corpus import WORD
from tagpool.features.template import TemplateSet, Term, unnest

LISTS = "lists"
_AFFIXES, _SHAPES, _WORDS = "affixes", "shapes", "words"
_FAMILIES = {
    **dict.fromkeys(("prefix", "suffix", "ngrams"), _AFFIXES),
    **dict.fromkeys(("shape", "orthography", "capitals", "casing", "run", "headline", "digits"), _SHAPES),
}
_NUMBER = "number"  # its column has numbers only


def group_of(term: Term) -> str | None:
    """Return the group of a term: lists, affixes, shapes, words, or another column; None if it can be in no group.

    >>> from tagpool.features.parser import parse
    >>> [group_of(template.terms[0]) for template in parse("lower(word)[0]\\nsuffix(word, 2)[0]\\npos[0]\\nbias")]
    ['words', 'affixes', 'pos', None]
    """
    if term.is_history:
        return None
    if term.resources:
        return LISTS
    calls, field = unnest(term.expression)
    if field is None or any(call.function == _NUMBER for call in calls):
        return None
    if field.name != WORD:
        return field.name
    return next((_FAMILIES[call.function] for call in calls if call.function in _FAMILIES), _WORDS)


def groups_of(templates: TemplateSet) -> tuple[str, ...]:
    """Return the groups of the terms of templates, in order.

    >>> from tagpool.features.parser import parse
    >>> groups_of(parse("word[0]\\nshape[0] & suffix(word, 1)[0]"))
    ('words', 'shapes', 'affixes')
    """
    groups = [group_of(term) for template in templates for term in template.terms]
    return tuple(dict.fromkeys(group for group in groups if group is not None))
