"""Bags: the feature templates of each member of a pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tagpool.errors import InputError
from tagpool.features.template import BASE, TemplateSet
from tagpool.pools.bagging.partitions import View

if TYPE_CHECKING:
    from tagpool.optim.checkpoint import Checkpoint
    from tagpool.pools.bagging.pool import BaggingPool
    from tagpool.pools.parallel_fits import TrainingCorpora


@dataclass(frozen=True, eq=False)
class BagInputs:
    """All that the bags of a pool are made from."""

    pool: BaggingPool
    templates: TemplateSet
    resources: Mapping[str, Any]
    corpora: TrainingCorpora
    checkpoint: Checkpoint | None


@dataclass(frozen=True)
class Bags:
    """The input of each member by name, its bags (or templates, or labels), and the explanation of automatic bags."""

    views: dict[str, View]
    contents: dict[str, tuple[str, ...]]
    explanation: str | None = None


def bags_of(templates: TemplateSet, bags: Any) -> dict[str, tuple[str, ...]]:
    """Return the bags of templates of each member (default: one bag per member).

    >>> from tagpool import load_templates
    >>> bags_of(load_templates("word[0]\\n[a]\\npos[0]\\n[b]\\nshape(word)[0]"), {"both": ["a", "b"], "none": ["base"]})
    {'both': ('a', 'b'), 'none': ('base',)}
    """
    if bags is None:
        if not templates.bags:
            raise InputError("the templates have no bags: write [name] before them, or use bags='auto'", source=templates.source)
        return {name: (name,) for name in templates.bags}
    if isinstance(bags, (str, bytes)) or not isinstance(bags, Mapping) or not bags:
        raise InputError(
            f"bags={bags!r}: expected None, 'auto', a dict of names with lists of bags, or a scheme such as RandomParts(2)"
        )
    by_name: dict[str, tuple[str, ...]] = {}
    for name, members in bags.items():
        is_list = isinstance(members, Sequence) and not isinstance(members, (str, bytes))
        if not is_list or not all(isinstance(bag, str) for bag in members):
            raise InputError(f"bags[{name!r}]={members!r}: expected a list of bag names")
        if not members:
            raise InputError(f"bags[{name!r}] is empty: name a bag, or {BASE!r} for the templates without a bag")
        templates.check_bags(tuple(members))
        by_name[str(name)] = tuple(members)
    return by_name


def resources_for(templates: TemplateSet, resources: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the resources that the templates use; None if they use none."""
    return {name: resource for name, resource in resources.items() if name in templates.resources} or None
