"""Transition templates, which depend on the previous label, such as ``label[-1] & pos[0]``.

A chain has a weight for every label bigram anyway: ``label[-1]`` alone (``B`` in CRF++) adds nothing.
"""

from __future__ import annotations

from tagpool.features.template import Template, TemplateSet


def transition_templates(templates: TemplateSet) -> TemplateSet:
    """Drop templates that a chain has anyway; raise an error for templates that it does not support.

    >>> from tagpool.features.presets import load_templates
    >>> print(transition_templates(load_templates("pos[0]\\nlabel[-1]\\nlabel[-1] & pos[0]")), end="")
    pos[0]
    label[-1] & pos[0]
    """
    return templates.keep(tuple(one for one in templates if not one.is_history or _is_needed(one, templates)))


def _is_needed(template: Template, templates: TemplateSet) -> bool:
    """Return whether a template has other terms than ``label[-1]``; raise an error for earlier labels."""
    labels = [term for term in template.terms if term.is_history]
    if any(offset != -1 for term in labels for offsets in term.offsets for offset in offsets):
        message = "expected label[-1]; only the learner inducing reads earlier labels"
        raise template.error(message, source=templates.source, term=labels[0])
    return len(labels) < len(template.terms)
