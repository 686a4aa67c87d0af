"""Jobs: the input files of folders and patterns, and the file that each is written to."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from tagpool.corpus.files import STANDARD_STREAM, name_read_errors
from tagpool.errors import InputError, OutputError

_BATCH_BYTES = 1 << 22
_BATCH_FILES = 64
_BATCHES_PER_WORKER = 16


class Job(NamedTuple):
    """An input file with its state, and its output; ``name`` is the relative path of both."""

    name: str
    source: str
    target: str
    size: int
    modified: int  # in nanoseconds

    def check_unchanged(self) -> None:
        """Raise an error if the input is another than before."""
        with name_read_errors(self.source):
            state = Path(self.source).stat()
        if (state.st_size, state.st_mtime_ns) != (self.size, self.modified):
            raise InputError("the file changed while the folder was labelled; run again when it is complete", source=self.source)


def find_jobs(names: Iterable[str | Path], output: Path) -> list[Job]:
    """Return a job for every file of folders (with their subfolders), patterns and names of files, in the order of names.

    Hidden files and folders are left out. The output has the path of the input below the folder, or below the part of the
    pattern without ``*``.
    """
    sources: dict[str, str] = {}  # by relative path
    for name in map(str, names):
        if name == STANDARD_STREAM:
            raise InputError("standard input is no file of a folder; label it alone", source="standard input")
        root, files = _expand(name)
        for path in files:
            relative = os.path.relpath(path, root)
            other = sources.setdefault(relative, path)
            if not _is_same(other, path):
                message = f"{other} and {path} would both be written to {output / relative}; use an output folder for each"
                raise InputError(message)
        _check_output(output, root, folder=name if Path(name).is_dir() else None)
    jobs = [_job(relative, path, output) for relative, path in sorted(sources.items())]
    for job in jobs:
        if _is_same(job.source, job.target):
            raise InputError(f"--output {output}: {job.source} would replace itself; choose another folder")
    return jobs


def _expand(name: str) -> tuple[str, list[str]]:
    """Return the folder that relative paths begin at, and the files of a name."""
    path = Path(name)
    if path.is_dir():
        files = list(_walk(path))
        if not files:
            raise InputError("the folder has no files", source=name)
        return name, files
    if path.exists() or not glob.has_magic(name):
        return str(path.parent), [name]
    matches = glob.glob(name, recursive=True)  # noqa: PTH207 - Path.glob takes no absolute pattern
    files = sorted(match for match in matches if Path(match).is_file())
    if not files:
        raise InputError("no file matches this pattern", source=name)
    parts = path.parts
    fixed = next(place for place, part in enumerate(parts) if glob.has_magic(part))
    return str(Path(*parts[:fixed])), files


def _walk(folder: Path) -> Iterator[str]:
    with name_read_errors(str(folder)):
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path))
        elif entry.is_file():
            yield entry.path


def _check_output(output: Path, root: str, folder: str | None) -> None:
    if output.exists() and not output.is_dir():
        raise OutputError(f"--output {output}: expected a folder, since the input has several files; name another one")
    if folder is None:
        return
    inside = Path(folder).resolve()
    if output.resolve() == inside:
        raise InputError(f"--output {output}: this is the input folder; choose another folder")
    if inside in output.resolve().parents:
        message = f"--output {output}: this is inside the input folder {root}, whose files the next run would label, too"
        raise InputError(f"{message}; choose a folder outside")


def _is_same(one: str, other: str) -> bool:
    if one == other:
        return True
    try:
        return os.path.samefile(one, other)  # noqa: PTH121 - two names
    except OSError:
        return False


def _job(relative: str, path: str, output: Path) -> Job:
    with name_read_errors(path):
        state = Path(path).stat()
    return Job(relative, path, str(output / relative), state.st_size, state.st_mtime_ns)


def divide(jobs: list[Job], workers: int) -> list[list[Job]]:
    """Return the jobs in batches of similar size, the largest files first.

    A batch has several small files, so that passing it to a worker costs little; there are enough batches for all workers to
    end at about the same time.
    """
    limit = min(_BATCH_BYTES, sum(job.size for job in jobs) // (workers * _BATCHES_PER_WORKER) + 1)
    batches: list[list[Job]] = []
    size = 0
    for job in sorted(jobs, key=lambda job: -job.size):
        if not batches or size + job.size > limit or len(batches[-1]) == _BATCH_FILES:
            batches.append([])
            size = 0
        batches[-1].append(job)
        size += job.size
    return batches
