"""Transition templates, which depend on the previous label, such as ``label[-1] & pos[0]``.

A chain has a weight for every label bigram anyway: ``label[-1]`` alone (``B`` in CRF++) adds nothing.
"""

from __future__ import annotations

from tagpool.features.functions import HISTORY_FIELD
from tagpool.features.template import Field, Template, TemplateSet


def transition_templates(templates: TemplateSet) -> TemplateSet:
    """Drop templates that a chain has anyway; an error for templates it does not support.

    >>> from tagpool.features.presets import load_templates
    >>> print(transition_templates(load_templates("pos[0]\\nlabel[-1]\\nlabel[-1] & pos[0]")), end="")
    pos[0]
    label[-1] & pos[0]
    """
    return templates.keep(tuple(one for one in templates if not one.is_history or _is_needed(one, templates)))


def _is_needed(template: Template, templates: TemplateSet) -> bool:
    needed = False
    for _, terms in template.expand():
        back = {offset for expression, offset in terms if expression == Field(HISTORY_FIELD)}
        static = any(expression != Field(HISTORY_FIELD) for expression, _ in terms)
        if back == {-1}:
            needed = needed or static
        else:
            term = next(term for term in template.terms if term.is_history)
            raise template.error(
                "expected label[-1]; only the learner inducing reads earlier labels", source=templates.source, term=term
            )
    return needed
