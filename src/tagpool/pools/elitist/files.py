"""Files of elitist pools: the merged model, with its members as further arrays."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from tagpool import _native
from tagpool.errors import ModelError
from tagpool.experts.configuration import configuration_text
from tagpool.experts.linear.expert import Expert
from tagpool.experts.metadata import read_json, read_object, read_templates
from tagpool.experts.references import LEXICONS
from tagpool.experts.saving import json_parameters

if TYPE_CHECKING:
    from tagpool.pools.elitist.pool import ElitistPool

WEIGHTS = "alpha"
"""The text of a model file that marks an elitist pool."""

MOST_EXPERTS = 10
"""The largest number of members."""


def file_parts(pool: ElitistPool, half: bool) -> tuple[dict[str, str], dict[str, bytes]]:
    """Return the texts and arrays of the members; the lexicons are those of the merged model."""
    blocks = (
        _native.without_arrays(member._fitted().write({"kind": member.kind}, {}, half), LEXICONS) for member in pool.members_
    )
    arrays = {f"member{number}": block for number, block in enumerate(blocks)}
    texts = {
        WEIGHTS: json.dumps(pool.weights_.tolist()),
        "parameters": json.dumps(json_parameters(pool)),
        "config": pool.configuration_ or configuration_text(pool),
    }
    return texts, arrays


def restore(pool_class: type[ElitistPool], merged: Expert) -> Any:
    """Return the pool of a merged model; raise a ModelError or ValueError if the file does not have all parts."""
    model = merged._fitted()
    text = model.text(WEIGHTS)
    if text is None:
        raise ModelError(f"expected an elitist pool, got a {merged.kind}; load it with tagpool.load")
    weights = np.array(read_json(text, WEIGHTS), np.float64)
    if weights.ndim != 1 or not np.isfinite(weights).all() or len(weights) > MOST_EXPERTS:
        raise ModelError(f"damaged metadata {WEIGHTS!r}: expected 2 to {MOST_EXPERTS} finite weights")
    names = [f"member{number}" for number in range(len(weights))]
    if not names or not set(names) <= model.sizes().keys():
        raise ModelError("the file does not contain all members of the pool")
    members = [model.member(name) for name in names]
    stored = read_object(model.text("parameters"), "parameters")
    parameters = {name: value for name, value in stored.items() if name in pool_class.parameters()}
    if (templates := model.text("templates")) is not None:
        parameters["templates"] = read_templates(templates)
    pool = pool_class().set_params(**parameters)
    pool.configuration_ = model.text("config")
    pool._set_members(merged, members, weights)
    return pool
