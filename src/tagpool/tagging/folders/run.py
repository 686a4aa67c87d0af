"""FolderRun: labels the files that are not labelled yet, with any kind of workers."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tagpool.errors import InputError, TagpoolError
from tagpool.tagging.folders.jobs import Job, divide
from tagpool.tagging.folders.manifest import Manifest
from tagpool.tagging.folders.worker import Failure, FileResult
from tagpool.wording import counted

Engine = Callable[[Iterable[list[Job]]], Generator[list[FileResult], None, None]]
"""Workers: a function of batches that yields the results of each, in any order. It takes a batch when a worker is free."""


@dataclass
class Summary:
    """Counts of a run: files in all, unchanged since an earlier run, labelled now; failures are errors by file."""

    files: int = 0
    unchanged: int = 0
    labelled: int = 0
    sentences: int = 0
    tokens: int = 0
    skipped: int = 0
    seconds: float = 0.0
    failures: dict[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as a JSON value."""
        return {**vars(self), "seconds": round(self.seconds, 3)}


class FolderRun:
    """Labels jobs and records them in a manifest.

    The first file that fails ends the run after the files that workers have begun; with ``keep_going`` the others go on. A
    failure to write a file always ends it.
    """

    def __init__(self, manifest: Manifest, jobs: list[Job], *, workers: int, keep_going: bool) -> None:
        self.summary = Summary(files=len(jobs))
        self.on_message: Callable[[str], object] = lambda message: None
        self.on_progress: Callable[[int, int], object] = lambda done, total: None
        self._manifest = manifest
        self._keep_going = keep_going
        self._workers = workers
        self._jobs, done = manifest.split(jobs)
        self.summary.unchanged = len(done)
        self._stopped: FileResult | None = None
        manifest.check_outputs(self._jobs)
        manifest.remove_unfinished()

    def label(self, engine: Engine) -> Summary:
        """Label the files; raise the error of a file that ends the run."""
        start = time.monotonic()
        finished, total = 0, sum(job.size for job in self._jobs)
        if self._jobs:
            try:
                with contextlib.closing(engine(self._batches())) as finished_batches:
                    for results in finished_batches:
                        self._manifest.record(results)
                        for result in results:
                            self._count(result)
                            finished += result.job.size
                        self.on_progress(finished, total)
            finally:
                self._manifest.remove_unfinished()
        self.summary.seconds = time.monotonic() - start
        if self._stopped is not None:
            self._raise(self._stopped)
        return self.summary

    @property
    def remaining(self) -> int:
        """Number of files to label."""
        return len(self._jobs)

    @property
    def progress(self) -> str:
        """Number of labelled files, for messages."""
        labelled = self.summary.unchanged + self.summary.labelled
        return f"labelled so far: {labelled:,} of {counted(self.summary.files, 'file')}"

    def _batches(self) -> Iterator[list[Job]]:
        for batch in divide(self._jobs, self._workers):
            if self._stopped is not None:
                return
            self._manifest.announce(batch)
            yield batch

    def _count(self, result: FileResult) -> None:
        if result.failure is not None:
            self.summary.failures[result.job.source] = result.error
            if self._keep_going and result.failure is Failure.INPUT:
                self.on_message(result.error)
            elif self._stopped is None:
                self._stopped = result
            return
        self.summary.labelled += 1
        self.summary.sentences += result.sentences
        self.summary.tokens += result.tokens
        self.summary.skipped += result.skipped
        for message in result.messages:
            self.on_message(message)

    def _raise(self, result: FileResult) -> None:
        if result.failure is Failure.INPUT:
            raise InputError(f"{result.error}; {self.progress}; correct the file and run again, or skip it with --keep-going")
        raise TagpoolError(f"{result.error}; {self.progress}; run the same command again to continue")
