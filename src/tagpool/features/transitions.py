"""Templates of transitions: those that look at the label before, such as ``label[-1] & pos[0]``.

A chain has a weight for every pair of neighbouring labels anyway (and, of order 2, for every three): ``label[-1]`` alone (``B``
in CRF++) asks for nothing more.
"""

from __future__ import annotations

from tagpool.features.functions import HISTORY_FIELD
from tagpool.features.template import Field, Template, TemplateSet


def transition_templates(templates: TemplateSet, order: int) -> TemplateSet:
    """The templates without those that a chain of this order has anyway; an error for what it cannot have.

    >>> from tagpool.features.presets import load_templates
    >>> print(transition_templates(load_templates("pos[0]\\nlabel[-1]\\nlabel[-1] & pos[0]"), 1), end="")
    pos[0]
    label[-1] & pos[0]
    """
    return templates.keep(tuple(each for each in templates if not each.is_history or _is_needed(each, templates, order)))


def _is_needed(template: Template, templates: TemplateSet, order: int) -> bool:
    needed = False
    for _, terms in template.expand():
        back = {offset for expression, offset in terms if expression == Field(HISTORY_FIELD)}
        static = any(expression != Field(HISTORY_FIELD) for expression, _ in terms)
        if back == {-1}:
            needed = needed or static
        elif static or back != {-2, -1} or order < 2:
            wanted = "label[-1]" if order == 1 else "label[-1], with other terms or alone, or label[-2] & label[-1] alone"
            term = next(term for term in template.terms if term.is_history)
            message = f"expected {wanted} in a chain of order {order}, which looks no further back"
            raise template.error(message, source=templates.source, term=term)
    return needed
