"""Writing of pool files: one safetensors file with every member as saved alone, and the weights of the members."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tagpool
from tagpool import _native
from tagpool.errors import InputError, ModelError
from tagpool.experts.configuration import configuration_text
from tagpool.experts.saving import SaveOptions, to_bytes
from tagpool.experts.tagger import Tagger

if TYPE_CHECKING:
    from tagpool.pools.pool import Pool

VERSION = 2


def check_version(container: _native.Container, version: int, source: str | Path) -> None:
    """Raise a ModelError if a file has another format version."""
    written = int(container.text("version") or "")
    if written > version:
        raise ModelError(f"a newer tagpool wrote it (format {written}); upgrade tagpool", source=source)
    if written < version:
        raise ModelError(f"tagpool {container.text('tagpool')} wrote it (format {written}); train the pool again", source=source)


def pool_to_bytes(pool: Pool, options: SaveOptions) -> bytes:
    """Return the content of the file of a pool."""
    members = list(pool)
    texts = {
        "kind": pool.kind,
        "version": str(VERSION),
        "tagpool": tagpool.__version__,
        "members": str(len(members)),
        "record": json.dumps(pool.record()),
        "config": pool.configuration_ or configuration_text(pool),
    }
    return _native.Container.write(texts, {f"members.{n}": _member_to_bytes(member, options) for n, member in enumerate(members)})


def _member_to_bytes(member: Any, options: SaveOptions) -> bytes:
    if isinstance(member, Tagger):
        return to_bytes(member, options)
    if not hasattr(member, "to_bytes"):
        raise InputError(f"a member is a {type(member).__name__}; only taggers and pools of tagpool can be saved")
    block: bytes = member.to_bytes(options)
    return block
