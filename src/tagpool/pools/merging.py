"""Merging of a logarithmic opinion pool into one model with the weights Σ_j α_j W_j.

P(y|x) ∝ Π_j P_j(y|x)^α_j. The normalisers of the members do not depend on y, so only the weighted sum of their scores remains.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import tagpool
from tagpool import _native
from tagpool.chain.checks import FloatArray
from tagpool.errors import InputError
from tagpool.experts.linear.crf import CRF
from tagpool.experts.linear.expert import Expert
from tagpool.experts.linear.maxent import MaxEnt
from tagpool.experts.references import references_in
from tagpool.experts.saving import NAMES, feature_names, fitted_templates
from tagpool.features.template import Template, TemplateSet
from tagpool.pools.members import label_numbers


def merge(members: Sequence[Any], weights: FloatArray, labels: tuple[str, ...]) -> Expert:
    """Merge the members of a pool into one model."""
    experts = [_as_expert(member) for member in members]
    for number, expert in enumerate(experts):
        if expert._fitted().has_history:
            raise InputError(f"member {number} has transition features (label[-1] & ...): the pool does not merge into one model")
        if len(expert.labels_) < len(expert._fitted().labels):
            advice = "train it with learner.inner_scheme=same"
            raise InputError(f"member {number} has BILOU inside: the pool does not merge into one model; {advice}")
    names = [feature_names(expert) for expert in experts]
    numbers = [label_numbers(expert.labels_, labels).tolist() for expert in experts]
    try:
        model = _native.collapse(labels, [expert._fitted() for expert in experts], weights.tolist(), names, numbers)
    except _native.InputFault as fault:
        raise InputError(f"the pool does not merge into one model: {fault.args[0]}") from None
    merged: Expert = CRF() if any(expert._fitted().chain for expert in experts) else MaxEnt()
    first = experts[0].summary_
    summary: dict[str, Any] = {name: first[name] for name in ("sentences", "tokens", "columns", "label") if name in first}
    summary |= {"trainer": "merged from a pool", "weights": weights.tolist()}
    texts = {"kind": merged.kind, "tagpool": tagpool.__version__, "summary": json.dumps(summary)}
    if not model.given:
        texts["templates"] = merged.templates = str(_union([fitted_templates(expert) for expert in experts]))
    packed = "\0".join(sorted(set().union(*names))).encode()
    merged._model = _native.Model.read(model.write(texts, {NAMES: zlib.compress(packed, 3)}, False))
    merged._references = {checksum: one for expert in experts for checksum, one in references_in(expert).items()}
    return merged


def _as_expert(member: Any) -> Expert:
    expert = member.merge() if hasattr(member, "merge") else member
    if not isinstance(expert, Expert):
        raise InputError(f"a member is a {type(member).__name__}; only pools of CRFs and MaxEnts merge into one model")
    return expert


def _union(sets: Sequence[TemplateSet]) -> TemplateSet:
    """Return all templates once, without bags: the merged model has all features."""
    templates: dict[Template, None] = {}
    uses: dict[str, str] = {}
    for template_set in sets:
        templates.update(dict.fromkeys(replace(template, bags=()) for template in template_set))
        uses.update(template_set.uses)
    return TemplateSet(tuple(templates), tuple(uses.items()), sets[0].boundary)
