"""Tagging of folders by actors of a Ray cluster, whose machines share the folders and the model file."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import Any

from tagpool.bridges.ray.engine import Ray
from tagpool.bridges.ray.session import RETRIES, Session
from tagpool.tagging.folders.jobs import Job
from tagpool.tagging.folders.settings import Settings
from tagpool.tagging.folders.worker import FileResult, FileWorker

_QUEUE = 2  # batches that an actor has at once, so that it need not wait for the next one


class FileActor:
    """A worker that loads the model once, with its first call: the error then is that of the call."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._worker: FileWorker | None = None

    def prepare(self) -> None:
        """Load the model."""
        self._worker = self._worker or FileWorker(self._settings)

    def label_files(self, jobs: Sequence[Job]) -> list[FileResult]:
        """Label files. A second call after a restart of the actor replaces complete files by the same."""
        self.prepare()
        assert self._worker is not None
        return self._worker.label_files(jobs)


def label_on_ray(settings: Settings, engine: Ray, batches: Iterable[list[Job]]) -> Generator[list[FileResult], None, None]:
    """Yield the results of batches as actors finish them."""
    # Ray reports restarts on standard output, which is for results.
    with contextlib.redirect_stdout(sys.stderr), Session(engine) as session:
        actor_class = session.remote(FileActor, max_task_retries=RETRIES)
        actors = [actor_class.remote(settings) for _ in range(engine.workers)]
        try:
            session.wait_for_start([actor.prepare.remote() for actor in actors])
            yield from _distribute(session, actors, iter(batches))
        finally:
            for actor in actors:
                session.ray.kill(actor)


def _distribute(session: Session, actors: list[Any], batches: Iterator[list[Job]]) -> Iterator[list[FileResult]]:
    pending: dict[Any, Any] = {}  # actor by result
    for actor in actors * _QUEUE:
        if (batch := next(batches, None)) is not None:
            pending[actor.label_files.remote(batch)] = actor
    while pending:
        with session.explaining():
            done, _ = session.ray.wait(list(pending), num_returns=1)
            results: list[FileResult] = session.ray.get(done[0])
        actor = pending.pop(done[0])
        yield results
        # After the results are counted: the first file that fails ends the batches.
        if (batch := next(batches, None)) is not None:
            pending[actor.label_files.remote(batch)] = actor
