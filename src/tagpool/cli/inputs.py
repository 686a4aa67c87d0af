"""Input files of commands: folders and patterns as the files that they contain, read as one corpus."""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from tagpool.cli.outputs import companions
from tagpool.corpus.concatenation import concatenate
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import STANDARD_STREAM, name_read_errors
from tagpool.errors import InputError


def is_model(path: str) -> bool:
    """True if a file begins as model files do: the length of a header, and the header in JSON."""
    if not Path(path).is_file():
        return False
    with name_read_errors(path), Path(path).open("rb") as file:
        beginning = file.read(9)
    return b"\0" in beginning[:8] and beginning[8:] == b"{"


def expand_files(names: Sequence[str | Path] | str | Path | None) -> list[str]:
    """Return the files of names. A folder has its files, without hidden ones; a pattern (``*.conll``) has those that match.

    The files of a folder or a pattern are sorted. A name with ``*`` that exists is a file.

    >>> expand_files("a.conll"), expand_files(None)
    (['a.conll'], [])
    """
    files: list[str] = []
    for one in [names] if isinstance(names, (str, Path)) else names or ():
        name = str(one)
        if name != STANDARD_STREAM and _is_folder(name):
            folder = sorted(Path(name).iterdir())
            matches = _without_companions([str(item) for item in folder if item.is_file() and not item.name.startswith(".")])
            if not matches:
                raise InputError("the folder has no files", source=name)
        elif _is_pattern(name):
            items = glob.glob(name, recursive=True)  # noqa: PTH207 - Path.glob takes no absolute pattern
            matches = _without_companions(sorted(item for item in items if Path(item).is_file()))
            if not matches:
                raise InputError("no file matches this pattern", source=name)
        else:
            matches = [name]
        files += matches
    return files


def _without_companions(files: list[str]) -> list[str]:
    """Return files without those that are read with another one."""
    others = {other for file in files for other in companions(Path(file))}
    return [file for file in files if Path(file) not in others]


def _is_folder(name: str) -> bool:
    try:
        return Path(name).is_dir()
    except (OSError, ValueError):  # a name that is no path; opening the file reports it
        return False


def _is_pattern(name: str) -> bool:
    try:
        return glob.has_magic(name) and not Path(name).exists()
    except (OSError, ValueError):
        return False


def with_expanded(names: Iterable[str | Path | None]) -> list[str]:
    """Return names, and the files of those that are folders or patterns: all that an output must not replace."""
    listed = [str(name) for name in names if name is not None]
    return [*listed, *expand_files([name for name in listed if _is_folder(name) or _is_pattern(name)])]


def read_files(names: Sequence[str | Path] | str | Path, read: Callable[[str], Corpus]) -> Corpus:
    """Read the files of names as one corpus."""
    return concatenate([read(file) for file in expand_files(names)])


def single_file(name: Path, output: Path) -> Path | None:
    """Return the file that is labelled alone; None for a folder or a pattern, whose files are labelled one by one.

    A pattern that matches one file is that file if the output is standard output.
    """
    text = str(name)
    if text == STANDARD_STREAM or not (_is_folder(text) or _is_pattern(text)):
        return name
    if _is_folder(text) or str(output) != STANDARD_STREAM:
        return None
    files = expand_files(text)
    return Path(files[0]) if len(files) == 1 else None
