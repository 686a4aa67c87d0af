"""Pool files, the writing side: one safetensors file that holds every member as it would be saved alone, and the shares."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import tagpool
from tagpool import _native
from tagpool.corpus.files import write_bytes
from tagpool.errors import InputError
from tagpool.experts.saving import Kept, to_bytes
from tagpool.experts.tagger import Tagger
from tagpool.pools.members import Member

VERSION = 1


@runtime_checkable
class Written(Protocol):
    """A pool that can be written."""

    kind: str

    def __iter__(self) -> Any:
        """Its members."""

    def record(self) -> Mapping[str, Any]:
        """What there is to say beside the members: shares and parameters, as JSON has them."""


def save(
    pool: Written,
    path: str | Path,
    *,
    half: bool = False,
    prune: float = 0.0,
    names: bool = True,
    resources: bool = True,
) -> None:
    """Writes a pool, whole or not at all."""
    write_bytes(path, pool_to_bytes(pool, Kept(half, prune, names, None if resources else Path(path).parent)))


def pool_to_bytes(pool: Written, kept: Kept = Kept()) -> bytes:  # noqa: B008 - a value
    """What a pool's file holds."""
    members: Sequence[Member] = list(pool)
    texts = {
        "kind": pool.kind,
        "version": str(VERSION),
        "tagpool": tagpool.__version__,
        "members": str(len(members)),
        "record": json.dumps(pool.record()),
    }
    blocks = [_member(each, kept) for each in members]
    return _native.Container.write(texts, {f"members.{number}": block for number, block in enumerate(blocks)})


def _member(member: Member, kept: Kept) -> bytes:
    if isinstance(member, Tagger):
        return to_bytes(member, kept)
    if isinstance(member, Written):
        return pool_to_bytes(member, kept)
    raise InputError(f"only taggers and pools of them can be saved, and a member is a {type(member).__name__}")
