"""Call and Command: the two kinds of operations.

They work in a folder with ``in`` (inputs), ``out`` (results), ``tmp`` (TMPDIR), ``home`` and ``here`` (the current folder).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDERS = ("in", "out", "tmp", "home", "here")
OLD = b"the old file\n"  # content of an output file before each run


@dataclass(frozen=True)
class Call:
    """A call of the library. ``prepare`` returns the function that is repeated; its result is compared.

    ``output`` is the file in ``out`` that it writes; ``folder`` as in :class:`Command`.
    """

    prepare: Callable[[Path], Callable[[], Any]]
    output: str | None = None
    folder: str | None = None


@dataclass(frozen=True)
class Command:
    """A command; ``{in}`` and ``{out}`` are folders. It writes ``output``, or standard output.

    ``folder`` is a folder in ``out`` that a failure may leave with complete files; ``resume`` is the command that continues.
    ``unbuffered``: as with ``python -u``.
    """

    arguments: str
    output: str | None = None
    stdin: str | None = None
    folder: str | None = None
    resume: str | None = None
    unbuffered: bool = False
