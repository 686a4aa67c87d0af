"""Files of pools: one safetensors file with every member as saved alone, and the weights of the members.

Reading checks everything; inconsistent content is a ModelError.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import tagpool
from tagpool import _native
from tagpool.errors import InputError, ModelError
from tagpool.experts.configuration import configuration_text
from tagpool.experts.metadata import DAMAGED, damaged, read_number, read_object
from tagpool.experts.model_file import ModelFile
from tagpool.experts.saving import SaveOptions
from tagpool.pools.loading import read

if TYPE_CHECKING:
    from tagpool.pools.pool import Pool

VERSION = 2
_MAX_DEPTH = 8  # of pools in pools: members are checked on every use, so that time grows exponentially


def pool_to_bytes(pool: Pool, options: SaveOptions) -> bytes:
    """Return the content of the file of a pool."""
    for member in pool:
        if not hasattr(member, "to_bytes"):
            raise InputError(f"a member is a {type(member).__name__}; only taggers and pools of tagpool can be saved")
    texts = {
        "kind": pool.kind,
        "version": str(VERSION),
        "tagpool": tagpool.__version__,
        "members": str(len(pool)),
        "record": json.dumps(pool.record()),
        "config": pool.configuration_ or configuration_text(pool),
    }
    return _native.Container.write(texts, {f"members.{n}": member.to_bytes(options) for n, member in enumerate(pool)})


def read_pool(pool_class: Any, file: ModelFile) -> Any:
    """Return the pool of a file."""
    if file.depth > _MAX_DEPTH:
        raise ModelError(f"pools are nested more than {_MAX_DEPTH} times", source=file.source)
    try:
        check_version(file.container, VERSION, file.source)
        count = read_number(file.text("members"), "members")
        if count < 1:
            raise ValueError("it has no members")
        record = read_object(file.text("record"), "record")
        members = [read(file.member(f"members.{number}")) for number in range(count)]
        weights = np.array(record["member_weights"], np.float64)
        if weights.shape != (count,) or not np.isfinite(weights).all():
            raise ValueError("member weights")
        pool = pool_class.restore(members, weights, record)
        pool.configuration_ = file.text("config")
        pool.labels_  # noqa: B018 - checks the members
    except DAMAGED as error:
        raise damaged(error, "pool", file.source) from None
    return pool


def check_version(container: _native.Container, version: int, source: str | Path) -> None:
    """Raise a ModelError if a file has another format version."""
    written = read_number(container.text("version"), "version")
    if written > version:
        raise ModelError(f"a newer tagpool wrote it (format {written}); upgrade tagpool", source=source)
    if written < version:
        raise ModelError(f"tagpool {container.text('tagpool')} wrote it (format {written}); train the pool again", source=source)
