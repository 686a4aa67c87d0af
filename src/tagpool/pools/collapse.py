"""Collapsing a logarithmic opinion pool: experts with weights W_j and shares α_j are one expert with the weights Σ_j α_j W_j.

P(y|x) ∝ Π_j P_j(y|x)^α_j, and the experts' normalisers do not depend on y: only the weighted sum of their scores is left.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import tagpool
from tagpool import _native
from tagpool.chain.checks import FloatArray
from tagpool.errors import InputError
from tagpool.experts.linear.crf import CRF
from tagpool.experts.linear.expert import Expert
from tagpool.experts.linear.maxent import MaxEnt
from tagpool.experts.references import origins_of_all
from tagpool.experts.saving import feature_names
from tagpool.features.encoder import Encoder
from tagpool.features.parser import parse
from tagpool.features.template import Template, TemplateSet

if TYPE_CHECKING:
    from tagpool.pools.members import Member


def collapse(members: Sequence[Member], shares: FloatArray, labels: tuple[str, ...]) -> Expert:
    """The one expert that a pool of experts is."""
    experts = list(_experts(members, shares.tolist()))
    for number, (expert, _) in enumerate(experts):
        _demand_plain(expert, number)
    number_of = {label: number for number, label in enumerate(labels)}
    names = [feature_names(expert) for expert, _ in experts]
    try:
        model = _native.collapse(
            labels,
            [expert._fitted() for expert, _ in experts],
            [share for _, share in experts],
            names,
            [[number_of[label] for label in expert.labels_] for expert, _ in experts],
        )
    except _native.InputFault as fault:
        raise InputError(f"the pool cannot be collapsed: {fault.args[0]}") from None
    chain = any(expert._fitted().chain for expert, _ in experts)
    made: Expert = CRF() if chain else MaxEnt()
    texts = {"kind": made.kind, "tagpool": tagpool.__version__, "summary": json.dumps(_summary(experts))}
    if not model.given:
        texts["templates"] = made.templates = str(_union([_templates(expert) for expert, _ in experts]))
    packed = "\0".join(sorted(set().union(*names))).encode()
    made._model = _native.Model.read(model.write(texts, {"names": zlib.compress(packed, 3)}, False))
    made._origins = origins_of_all(expert for expert, _ in experts)
    return made


def _experts(members: Sequence[Member], shares: Sequence[float]) -> list[tuple[Expert, float]]:
    """The experts of a pool and of the pools in it, with the product of the shares on the way to each."""
    found: list[tuple[Expert, float]] = []
    for member, share in zip(members, shares, strict=True):
        if isinstance(member, Expert):
            found.append((member, share))
        elif hasattr(member, "merge"):
            found.append((member.merge(), share))  # an error from there says what is in the way
        else:
            raise InputError(f"only experts and pools of experts can be collapsed, and a member is a {type(member).__name__}")
    return found


def _demand_plain(expert: Expert, number: int) -> None:
    model = expert._fitted()
    if model.has_history:
        raise InputError(f"the pool cannot be collapsed: expert {number} has features of transitions (label[-1] & ...)")


def _templates(expert: Expert) -> TemplateSet:
    if isinstance(expert._encoder, Encoder):
        return expert._encoder.templates_
    return parse(expert._fitted().text("templates") or "")


def _union(sets: Sequence[TemplateSet]) -> TemplateSet:
    """All templates, each once. In one model there are no bags: a template that was in one only is a template like the others."""
    templates: dict[Template, None] = {}
    uses: dict[str, str] = {}
    for each in sets:
        templates.update(dict.fromkeys(replace(template, bags=()) for template in each))
        uses.update(each.uses)
    return TemplateSet(tuple(templates), tuple(uses.items()), sets[0].boundary)


def _summary(experts: Sequence[tuple[Expert, float]]) -> dict[str, object]:
    first = experts[0][0].summary_
    kept = {name: first[name] for name in ("sentences", "tokens", "columns", "label") if name in first}
    return kept | {"trainer": "collapsed from a pool", "shares": [share for _, share in experts]}
