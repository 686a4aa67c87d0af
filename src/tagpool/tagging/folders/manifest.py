"""Manifest: a JSONL file in the output folder that records which inputs are labelled, so that a second run continues.

The first line has the model and the options. A file is announced before a worker begins it, so that a later run knows the
outputs that this one may have written, and it is recorded when its output is complete.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from typing import Any

import tagpool
from tagpool.corpus.files import write_bytes
from tagpool.errors import InputError, OutputError
from tagpool.tagging.folders.jobs import Job
from tagpool.tagging.folders.worker import FileResult

MANIFEST = ".tagpool-manifest.jsonl"
_VERSION = 1
_UNFINISHED = re.compile(r"\.(.+)\.[0-9a-f]{16}", re.DOTALL)  # names of temporary files of WholeFile


class Manifest:
    """The manifest of an output folder, which one run at a time may change.

    ``facts`` are the model and the options of this run; those of another run are an error, unless ``restart`` begins again.
    """

    def __init__(self, folder: Path, facts: dict[str, Any], *, restart: bool = False) -> None:
        self.path = folder / MANIFEST
        self._folder = folder
        self._done: dict[str, dict[str, Any]] = {}
        self._announced: set[str] = set()
        with self._naming():
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = self._take_lock()
        try:
            if not self._read(facts, restart) or restart:
                self._begin(facts)
            with self._naming():
                self._file = self.path.open("ab")
        except BaseException:
            os.close(self._lock)
            raise

    def __enter__(self) -> Manifest:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        os.close(self._lock)

    def split(self, jobs: Iterable[Job]) -> tuple[list[Job], list[Job]]:
        """Return the jobs to do, and those whose output is complete and whose input is the same as then.

        A file with bad records is to do again, so that each run reports them.
        """
        remaining: list[Job] = []
        done: list[Job] = []
        for job in jobs:
            entry = self._done.get(job.name)
            same = entry is not None and (entry.get("size"), entry.get("modified"), entry.get("skipped")) == (
                job.size,
                job.modified,
                0,
            )
            (done if same and Path(job.target).is_file() else remaining).append(job)
        return remaining, done

    def check_outputs(self, jobs: Iterable[Job]) -> None:
        """Raise an error for an output that exists, unless an earlier run wrote it, and for a file in place of its folder."""
        for job in jobs:
            for name in PurePath(job.name).parents:
                if (folder := self._folder / name).exists() and not folder.is_dir():
                    raise OutputError(f"{folder}: a folder is needed here; choose another output folder, or remove the file")
            if job.name not in self._announced and os.path.lexists(job.target):
                message = "the file exists, and no earlier run wrote it; choose another output folder, or remove the file"
                raise OutputError(f"{job.target}: {message}")

    def remove_unfinished(self) -> None:
        """Remove the unfinished copies of outputs, which workers that were killed have left."""
        if not self._announced:
            return
        for path in self._folder.rglob(".*"):
            match = _UNFINISHED.fullmatch(path.name)
            if match and str(path.relative_to(self._folder).with_name(match[1])) in self._announced:
                path.unlink(missing_ok=True)

    def announce(self, jobs: Iterable[Job]) -> None:
        """Record that the outputs of jobs may be written."""
        new = [job.name for job in jobs if job.name not in self._announced]
        self._announced.update(new)
        self._append([{"begin": name} for name in new])

    def record(self, results: Iterable[FileResult]) -> None:
        """Record the files that are labelled."""
        self._append(
            [
                {
                    "file": result.job.name,
                    "input": result.job.source,
                    "size": result.job.size,
                    "modified": result.job.modified,
                    "sentences": result.sentences,
                    "tokens": result.tokens,
                    "skipped": result.skipped,
                }
                for result in results
                if result.failure is None
            ]
        )

    # The file -------------------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _naming(self) -> Iterator[None]:
        try:
            yield
        except OutputError:
            raise
        except OSError as error:
            raise OutputError(f"{error.filename or self.path}: writing failed: {error.strerror or error}") from None

    def _take_lock(self) -> int:
        """Lock the folder against other runs, where its file system can."""
        handle = os.open(self._folder, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            raise OutputError(f"{self._folder}: another run is writing to this folder; wait, or choose another one") from None
        except OSError:
            pass
        return handle

    def _read(self, facts: dict[str, Any], restart: bool) -> bool:
        """Read the file; return whether it has a first line."""
        with self._naming():
            data = self.path.read_bytes() if self.path.exists() else b""
        *lines, rest = data.split(b"\n")
        values = [self._parse(line, number, restart) for number, line in enumerate(lines, 1)]
        if values and not restart:
            self._check(values[0], facts)
        for value in values[1:]:
            if "begin" in value:
                self._announced.add(str(value["begin"]))
            elif not restart:
                self._done[str(value.get("file"))] = value
        if rest and not restart:  # of a run that was killed
            with self._naming():
                os.truncate(self.path, len(data) - len(rest))
        return bool(values)

    def _parse(self, line: bytes, number: int, restart: bool) -> dict[str, Any]:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            return value
        if restart:
            return {}
        raise InputError("the manifest is damaged; label all files again with --restart", source=self.path, line=number)

    def _check(self, header: dict[str, Any], facts: dict[str, Any]) -> None:
        known = header.get("facts")
        if header.get("manifest") != _VERSION or not isinstance(known, dict):
            raise InputError("the manifest is damaged; label all files again with --restart", source=self.path, line=1)
        changed = [name for name in facts if known.get(name) != facts[name]]
        if changed:
            message = f"the files in this folder were labelled with another {' and '.join(changed)}"
            raise InputError(f"{message}; choose another output folder, or label all again with --restart", source=self._folder)

    def _begin(self, facts: dict[str, Any]) -> None:
        lines = [{"manifest": _VERSION, "tagpool": tagpool.__version__, "facts": facts}]
        write_bytes(self.path, _format([*lines, *({"begin": name} for name in sorted(self._announced))]))

    def _append(self, values: list[dict[str, Any]]) -> None:
        if values:
            with self._naming():
                self._file.write(_format(values))
                self._file.flush()


def _format(values: Iterable[dict[str, Any]]) -> bytes:
    # ASCII: names of files may be no valid UTF-8
    return "".join(json.dumps(value) + "\n" for value in values).encode()
