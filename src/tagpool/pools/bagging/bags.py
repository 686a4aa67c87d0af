"""Bags: what features each member of a pool is given, as template sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tagpool.errors import InputError
from tagpool.features.template import BASE, TemplateSet


def bags_of(templates: TemplateSet, bags: Any) -> dict[str, tuple[str, ...]]:
    """The bags of templates that each member gets: one a member where nothing is said.

    >>> from tagpool import load_templates
    >>> bags_of(load_templates("word[0]\\n[a]\\npos[0]\\n[b]\\nshape(word)[0]"), {"both": ["a", "b"], "none": ["base"]})
    {'both': ('a', 'b'), 'none': ('base',)}
    """
    if bags is None:
        if not templates.bags:
            raise InputError(
                "the templates have no bags: write [name] before those of each bag, or use bags='auto'", source=templates.source
            )
        return {name: (name,) for name in templates.bags}
    if isinstance(bags, (str, bytes)) or not isinstance(bags, Mapping) or not bags:
        raise InputError(
            f"bags={bags!r}: expected None, 'auto', names with lists of the templates' bags, or a scheme such as RandomParts(2)"
        )
    found: dict[str, tuple[str, ...]] = {}
    for name, chosen in bags.items():
        if (
            isinstance(chosen, (str, bytes))
            or not isinstance(chosen, Sequence)
            or not all(isinstance(each, str) for each in chosen)
        ):
            raise InputError(f"bags[{name!r}]={chosen!r}: expected a list of names of bags")
        if not chosen:
            raise InputError(f"bags[{name!r}] is empty: name a bag, or {BASE!r} for the templates that all share")
        templates.check_bags(tuple(chosen))
        found[str(name)] = tuple(chosen)
    return found


def resources_for(templates: TemplateSet, resources: Mapping[str, Any]) -> dict[str, Any] | None:
    """Of these resources, those that the templates use."""
    return {name: each for name, each in resources.items() if name in templates.resources} or None
