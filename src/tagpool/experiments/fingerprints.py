"""Fingerprints of what determines the figures of an experiment: the code it uses, the corpora and the configuration."""

from __future__ import annotations

import functools
import hashlib
import json
import os
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from tagpool.corpus.checksums import checksum
from tagpool.corpus.files import write_text
from tagpool.experiments.used_code import PACKAGE, used_files

_LIBRARIES = ("numpy", "scikit-learn", "crowd-kit", "skweak")  # whose results are in the tables
_MEMORY = "corpora.json"


@functools.cache
def code_fingerprint(module: str) -> str:
    """Return a hash of the files that a module uses, the native module among them, and of the versions of libraries.

    >>> len(code_fingerprint("experiments.undertraining"))
    64
    """
    digest = hashlib.sha256()
    for path in used_files(module):
        digest.update(f"{path.relative_to(PACKAGE).as_posix()} {_checksum(path)}\n".encode())
    for name in _LIBRARIES:
        digest.update(f"{name} {_version(name)}\n".encode())
    return digest.hexdigest()


def data_fingerprint(folder: Path | None, cache: Path) -> str:
    """Return a hash of the names, sizes and contents of all files in the folder of the corpora; empty without a folder.

    A file is read only once: ``cache`` remembers its hash until its size or its time changes.
    """
    if folder is None or not folder.is_dir():
        return ""
    memory = _remembered(cache / _MEMORY)
    current: dict[str, list[Any]] = {}
    digest = hashlib.sha256()
    for path in _files(folder):
        status = path.stat()
        facts = [status.st_size, status.st_mtime_ns]
        known = memory.get(str(path), [])
        content = known[2] if known[:2] == facts else checksum(path)
        current[str(path)] = [*facts, content]
        digest.update(f"{path.relative_to(folder).as_posix()} {status.st_size} {content}\n".encode())
    if any(memory.get(name) != facts for name, facts in current.items()):
        write_text(cache / _MEMORY, json.dumps(memory | current))
    return digest.hexdigest()


def key_of(code: str, data: str, configuration: dict[str, Any]) -> str:
    """Return the key of a result.

    >>> key_of("a", "b", {"seeds": 3}) == key_of("a", "b", {"seeds": 4})
    False
    """
    return hashlib.sha256(json.dumps([code, data, configuration], sort_keys=True).encode()).hexdigest()[:16]


_checksum = functools.cache(checksum)


def _files(folder: Path) -> list[Path]:
    """Return the files of a folder in order. Links are followed, and each folder is read once."""
    seen = {folder.resolve()}
    paths: list[Path] = []
    for place, folders, names in os.walk(folder, followlinks=True):
        inner = {name: (Path(place) / name).resolve() for name in sorted(folders)}
        folders[:] = [name for name, target in inner.items() if target not in seen]
        seen |= set(inner.values())
        paths += [path for path in (Path(place) / name for name in names) if path.is_file()]
    return sorted(paths)


def _remembered(path: Path) -> dict[str, list[Any]]:
    try:
        memory = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return memory if isinstance(memory, dict) else {}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"
