"""Reading of pool files. Everything is checked; inconsistent content is a ModelError."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from tagpool import _native
from tagpool.errors import ModelError, ResourceError, TagpoolError
from tagpool.experts.loading import read_tagger
from tagpool.experts.references import REFERENCES, Referred
from tagpool.pools.bagging.pool import BaggingPool
from tagpool.pools.elitist.files import WEIGHTS
from tagpool.pools.elitist.pool import ElitistPool
from tagpool.pools.opinion.pool import OpinionPool
from tagpool.pools.pool import Pool
from tagpool.pools.pool_writer import VERSION, check_version
from tagpool.pools.two_stage.pool import TwoStageTagger

_MAX_DEPTH = 50  # of pools in pools
_POOLS: dict[str, type[OpinionPool | BaggingPool | TwoStageTagger]] = {
    pool.kind: pool for pool in (OpinionPool, BaggingPool, TwoStageTagger)
}


def read_pool(container: _native.Container, source: str | Path, depth: int = 0, referred: Referred | None = None) -> Pool:
    """Return the pool in a file, or in a part of one."""
    referred = referred or Referred(source)
    if depth > _MAX_DEPTH:
        raise ModelError(f"pools are nested more than {_MAX_DEPTH} times", source=source)
    try:
        kind = container.text("kind")
        if kind not in _POOLS:
            raise ModelError(f"unknown kind {kind!r}; upgrade tagpool", source=source)
        check_version(container, VERSION, source)
        count = int(container.text("members") or "")
        if count < 1:
            raise ValueError("it has no members")
        record = json.loads(container.text("record") or "")
        members = [_read_member(container.array(f"members.{number}"), source, depth, referred) for number in range(count)]
        weights = np.array(record["member_weights"], np.float64)
        if weights.shape != (count,) or not np.isfinite(weights).all():
            raise ValueError("member weights")
        pool = _POOLS[kind].restore(members, weights, record)
        pool.labels_  # noqa: B018 - checks the members
    except (ModelError, ResourceError):
        raise
    except (KeyError, TypeError, ValueError, TagpoolError) as error:  # InputFault is a ValueError
        raise ModelError(f"damaged pool: {error}", source=source) from None
    return pool


def _read_member(block: bytes | None, source: str | Path, depth: int, referred: Referred) -> Any:
    if block is None:
        raise ModelError("damaged pool: a member is missing", source=source)
    try:
        container = _native.Container.read(block)
        is_pool = container.text("kind") in _POOLS
    except _native.InputFault as fault:
        raise ModelError(f"damaged pool: {fault.args[0]}", source=source) from None
    if is_pool:
        return read_pool(container, source, depth + 1, referred)
    tagger = read_tagger(block, container.text("kind"), source, container.text(REFERENCES), referred)
    return tagger if container.text(WEIGHTS) is None else ElitistPool.of_model(tagger, source)
