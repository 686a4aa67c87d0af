"""Pools from their files. Nothing in a file is trusted: what does not fit together is a ModelError."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tagpool import _native
from tagpool.chain.checks import FloatArray
from tagpool.errors import ModelError, ResourceError, TagpoolError
from tagpool.experts.linear.expert import Expert
from tagpool.experts.loading import read_tagger
from tagpool.experts.references import REFERENCES, Referred
from tagpool.pools.bagging.pool import BaggingPool
from tagpool.pools.elitist.pool import ElitistPool
from tagpool.pools.opinion.pool import OpinionPool
from tagpool.pools.pool import Pool
from tagpool.pools.pool_writer import VERSION
from tagpool.pools.two_stage.tagger import TwoStageTagger

_DEEPEST = 50  # pools in pools: more is no pool but a trap


def read_pool(container: _native.Container, source: str | Path, depth: int = 0, referred: Referred | None = None) -> Pool:
    """The pool that a file, or a part of one, holds."""
    referred = referred or Referred(source)
    if depth > _DEEPEST:
        raise ModelError(f"pools are nested more than {_DEEPEST} times", source=source)
    try:
        kind = container.text("kind")
        if kind not in _MAKERS:
            raise ModelError(f"it holds a {kind}, which this version of tagpool does not know; upgrade tagpool", source=source)
        version, count = int(container.text("version") or ""), int(container.text("members") or "")
        if version > VERSION:
            raise ModelError(f"it was written by a newer tagpool (format {version}); upgrade tagpool", source=source)
        if count < 1:
            raise ValueError("it has no members")
        record = json.loads(container.text("record") or "")
        members = [_member(container.array(f"members.{number}"), source, depth, referred) for number in range(count)]
        pool = _MAKERS[kind](members, record)
        pool.labels_  # noqa: B018 - checks that the members fit each other
    except (ModelError, ResourceError):
        raise
    except (KeyError, TypeError, ValueError, TagpoolError) as error:  # InputFault is a ValueError
        raise ModelError(f"the pool is damaged: {error}", source=source) from None
    return pool


def _member(block: bytes | None, source: str | Path, depth: int, referred: Referred) -> Any:
    if block is None:
        raise ModelError("a member of the pool is missing", source=source)
    try:
        container = _native.Container.read(block)
        is_pool = container.text("kind") in _MAKERS
    except _native.InputFault as fault:
        raise ModelError(f"a member of the pool is damaged: {fault.args[0]}", source=source) from None
    if is_pool:
        return read_pool(container, source, depth + 1, referred)
    expert = read_tagger(block, container.text("kind"), source, container.text(REFERENCES), referred)
    return expert if container.text("alpha") is None else ElitistPool.of_model(expert, source)


def _shares(members: list[Any], record: dict[str, Any]) -> FloatArray:
    found = np.array(record["shares"], np.float64)
    if found.shape != (len(members),) or not np.isfinite(found).all():
        raise ValueError("shares")
    return found


def _opinion_pool(members: list[Any], record: dict[str, Any]) -> Pool:
    pool = OpinionPool(members, weights=record["alpha"])
    pool._found = _shares(members, record)
    return pool


def _feature_bagging(members: list[Any], record: dict[str, Any]) -> Pool:
    experts = [member for member in members if isinstance(member, Expert)]
    if len(experts) != len(members):
        raise ValueError("the members are not experts")
    pool = BaggingPool(type(experts[0])(), combine=record["combine"], weights=record["alpha"])
    pool.restore(experts, _shares(members, record), record)
    return pool


_MAKERS: dict[str, Callable[[list[Any], dict[str, Any]], Pool]] = {
    OpinionPool.kind: _opinion_pool,
    BaggingPool.kind: _feature_bagging,
    TwoStageTagger.kind: TwoStageTagger.restored,
}
