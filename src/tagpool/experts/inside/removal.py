"""Removal of features: a copy of a tagger that has no weights for some templates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tagpool import _native
from tagpool.corpus.faults import NameFaults
from tagpool.errors import InputError, TemplateError
from tagpool.experts.inside.inspection import template_of
from tagpool.experts.linear.expert import Expert
from tagpool.experts.saving import feature_names, fitted_templates
from tagpool.experts.tagger import Tagger
from tagpool.features.parser import parse
from tagpool.features.template import Template


def group_keys(taggers: Sequence[Tagger], groups: Sequence[str], templates: str = "") -> set[str]:
    """Keys of the templates that are only in these groups, and of further ``templates``; the taggers are members of a pool."""
    if any(tagger.takes_features for tagger in taggers):
        raise InputError("the model was trained on given features; only features of templates have groups")
    known = list(dict.fromkeys(template for tagger in taggers for template in fitted_templates(tagger)))
    bags = dict.fromkeys(bag for template in known for bag in template.bags)
    for group in groups:
        if group not in bags:
            raise TemplateError(f"there is no group {group!r}; the groups are {', '.join(bags) or '(none)'}")
    removed = [template for template in known if template.bags and set(template.bags) <= set(groups)]
    left = [template for template in known if template not in removed]
    further = _keys(parse(templates)) if templates else set()
    unknown = sorted(further - _keys(known))
    if unknown:
        raise InputError(f"templates: the tagger has no template {unknown[0]}")
    return (_keys(removed) - _keys(left)) | further


def remove_templates(tagger: Tagger, keys: set[str]) -> Tagger:
    """A copy of a tagger without the features of these templates.

    >>> from tagpool import CRF, builtin_corpus
    >>> crf = CRF("word[0]\\n[shapes]\\nshape(word)[0]").fit(builtin_corpus(50))
    >>> crf.feature_count > crf.without("shapes").feature_count > 0
    True
    >>> crf.without("shapes", templates="word[0]").feature_count
    0
    """
    expert = tagger.merge()
    if not isinstance(expert, Expert):
        raise InputError(f"{type(tagger).__name__}: features can only be removed from a CRF or MaxEnt")
    if expert._fitted().has_history:
        raise InputError("removing features from a model with transition features (label[-1] & ...) is not supported")
    names = [name for name in feature_names(expert) if template_of(name) not in keys]
    labels = list(expert._fitted().labels)  # of states
    with NameFaults():
        model = _native.collapse(labels, [expert._fitted()], [1.0], [names], [list(range(len(labels)))])
    copy = type(expert)(**expert.get_params(deep=False))
    copy._model, copy._names = model, names
    return copy


def _keys(templates: Iterable[Template]) -> set[str]:
    return {key for template in templates for key, _ in template.expand()}
