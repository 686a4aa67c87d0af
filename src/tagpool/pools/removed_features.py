"""Blanking: a tagger as it is when some of its features are missing, to see what it does without a clue."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

from tagpool import _native
from tagpool.errors import InputError
from tagpool.experts.inside.inspection import template_of
from tagpool.experts.linear.expert import Expert
from tagpool.experts.saving import feature_names
from tagpool.features.parser import parse
from tagpool.features.presets import load_templates
from tagpool.features.template import Template
from tagpool.pools.pool import Pool


def blanked(tagger: Any, templates: Any, *bags: str, also: str = "") -> Any:
    """A copy of a tagger that never sees the features of these bags; of a pool, none of its members does.

    ``templates`` are those the tagger, or all members of the pool together, were trained with. ``also`` are some of them, as
    text, whose features are gone too, whatever bags they are in.

    >>> from tagpool import CRF, builtin_corpus
    >>> text = "word[0]\\n[shapes]\\nshape(word)[0]"
    >>> crf = CRF(text).fit(builtin_corpus(50))
    >>> crf.feature_count > blanked(crf, text, "shapes").feature_count > 0
    True
    >>> blanked(crf, text, "shapes", also="word[0]").feature_count
    0
    """
    chosen = load_templates(templates)
    chosen.check_bags(bags)
    gone = [template for template in chosen if template.bags and set(template.bags) <= set(bags)]
    left = [template for template in chosen if template not in gone]
    further = _keys(parse(also)) if also else set()
    unknown = sorted(further - _keys(chosen))
    if unknown:
        raise InputError(f"also: the templates have no {unknown[0]}")
    return _without(tagger, (_keys(gone) - _keys(left)) | further)


def _keys(templates: Iterable[Template]) -> set[str]:
    return {key for template in templates for key, _ in template.expand()}


def _without(tagger: Any, keys: set[str]) -> Any:
    if isinstance(tagger, Pool):
        pool = copy.copy(tagger)
        # Some pools were given their members, others trained them.
        setattr(
            pool, "members_" if hasattr(tagger, "members_") else "members", tuple(_without(member, keys) for member in tagger)
        )
        return pool
    if not isinstance(tagger, Expert):
        raise InputError(f"only experts and pools of experts can be blanked, got a {type(tagger).__name__}")
    expert = tagger.merge() if hasattr(tagger, "merge") else tagger
    names = [name for name in feature_names(expert) if template_of(name) not in keys]
    labels = list(expert.labels_)
    model = _native.collapse(labels, [expert._fitted()], [1.0], [names], [list(range(len(labels)))])
    made = type(expert)(**expert.get_params(deep=False))
    made._model, made._names = model, names
    return made
