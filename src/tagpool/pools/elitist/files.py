"""Files of elitist pools: the merged model, with its members as further arrays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tagpool import _native
from tagpool.errors import ModelError
from tagpool.experts.configuration import configuration_text
from tagpool.experts.linear.expert import Expert
from tagpool.experts.references import LEXICONS
from tagpool.experts.tagger import Tagger

if TYPE_CHECKING:
    from tagpool.pools.elitist.pool import ElitistPool

WEIGHTS = "alpha"
"""The text of a model file that marks an elitist pool."""


_OMITTED = ("templates", "resources", "threads")


def file_parts(pool: ElitistPool, half: bool) -> tuple[dict[str, str], dict[str, bytes]]:
    """Return the texts and arrays of the members; the lexicons are those of the merged model."""
    blocks = (
        _native.without_arrays(member._fitted().write({"kind": member.kind}, {}, half), LEXICONS) for member in pool.members_
    )
    arrays = {f"member{number}": block for number, block in enumerate(blocks)}
    texts = {
        WEIGHTS: json.dumps(pool.weights_.tolist()),
        "parameters": json.dumps(_parameters(pool)),
        "config": pool.configuration_ or configuration_text(pool),
    }
    return texts, arrays


def _parameters(pool: ElitistPool) -> dict[str, Any]:
    parameters = {name: value for name, value in pool.get_params(deep=False).items() if name not in _OMITTED}
    return {name: value if _is_json(value) else str(value) for name, value in parameters.items()}


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value)
    except TypeError:
        return False
    return True


def restore(pool: ElitistPool, merged: Tagger, source: str | Path) -> None:
    """Fill a new pool from its merged model."""
    try:
        _restore(pool, merged)
    except ModelError as error:
        raise ModelError(error.message, source=source) from None
    except (AttributeError, TypeError, ValueError) as error:  # InputFault is a ValueError
        raise ModelError(f"damaged pool: {error}", source=source) from None


def _restore(pool: ElitistPool, merged: Tagger) -> None:
    model = merged._fitted()
    text = model.text(WEIGHTS)
    if not isinstance(merged, Expert) or text is None:
        raise ModelError(f"expected an elitist pool, got a {merged.kind}; load it with tagpool.load")
    weights = np.array(json.loads(text), np.float64)
    blocks = [model.array(f"member{number}") for number in range(len(weights))]
    members = [_native.Model.read(_native.with_lexicons_of(block, model)) for block in blocks if block is not None]
    if not members or len(members) < len(weights):
        raise ModelError("the file does not contain all members of the pool")
    if any(member.labels != model.labels for member in members):
        raise ModelError("a member of the pool has other labels than the pool")
    known = pool.parameters()
    for name, value in json.loads(model.text("parameters") or "{}").items():
        if name in known:
            setattr(pool, name, value)
    if (templates := model.text("templates")) is not None:
        pool.templates = templates
    pool._install(merged, members, weights)
    pool.configuration_ = model.text("config")
