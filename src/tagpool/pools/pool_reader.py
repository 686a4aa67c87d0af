"""Reading of pool files. Everything is checked; inconsistent content is a ModelError."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from tagpool.errors import ModelError, ResourceError, TagpoolError
from tagpool.experts.model_file import ModelFile
from tagpool.pools.loading import read
from tagpool.pools.pool_writer import VERSION, check_version

_MAX_DEPTH = 50  # of pools in pools


def read_pool(pool_class: Any, file: ModelFile) -> Any:
    """Return the pool of a file."""
    if file.depth > _MAX_DEPTH:
        raise ModelError(f"pools are nested more than {_MAX_DEPTH} times", source=file.source)
    try:
        check_version(file.container, VERSION, file.source)
        count = int(file.text("members") or "")
        if count < 1:
            raise ValueError("it has no members")
        record = json.loads(file.text("record") or "")
        members = [read(file.member(f"members.{number}")) for number in range(count)]
        weights = np.array(record["member_weights"], np.float64)
        if weights.shape != (count,) or not np.isfinite(weights).all():
            raise ValueError("member weights")
        pool = pool_class.restore(members, weights, record)
        pool.configuration_ = file.text("config")
        pool.labels_  # noqa: B018 - checks the members
    except (ModelError, ResourceError):
        raise
    except (KeyError, TypeError, ValueError, TagpoolError) as error:  # InputFault is a ValueError
        raise ModelError(f"damaged pool: {error}", source=file.source) from None
    return pool
