"""Checksums of files and folders."""

from __future__ import annotations

import hashlib
from pathlib import Path

from tagpool.corpus.files import name_read_errors

_BLOCK = 1 << 20


def checksum(path: str | Path) -> str:
    """Return the SHA-256 of a file, or of the files of a folder."""
    digest = hashlib.sha256()
    files = sorted(item for item in Path(path).rglob("*") if item.is_file()) if Path(path).is_dir() else [Path(path)]
    for file in files:
        with name_read_errors(str(file)), file.open("rb") as stream:
            while block := stream.read(_BLOCK):
                digest.update(block)
    return digest.hexdigest()
