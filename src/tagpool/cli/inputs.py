"""Input files of commands: folders and patterns as the files that they contain."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from pathlib import Path

from tagpool.corpus.files import STANDARD_STREAM
from tagpool.errors import InputError


def expand_files(names: Sequence[str] | str | None) -> list[str]:
    """Return the files of names. A folder has its files, without hidden ones; a pattern (``*.conll``) has those that match.

    The files of a folder or a pattern are sorted. A name with ``*`` that exists is a file.

    >>> expand_files("a.conll"), expand_files(None)
    (['a.conll'], [])
    """
    files: list[str] = []
    for name in [names] if isinstance(names, str) else names or ():
        path = Path(name)
        if name != STANDARD_STREAM and path.is_dir():
            matches = [str(item) for item in sorted(path.iterdir()) if item.is_file() and not item.name.startswith(".")]
            if not matches:
                raise InputError("the folder has no files", source=name)
        elif glob.has_magic(name) and not path.exists():
            items = glob.glob(name, recursive=True)  # noqa: PTH207 - Path.glob takes no absolute pattern
            matches = sorted(item for item in items if Path(item).is_file())
            if not matches:
                raise InputError("no file matches this pattern", source=name)
        else:
            matches = [name]
        files += matches
    return files
