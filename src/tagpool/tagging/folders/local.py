"""Workers on this machine: processes, since Python reads and writes most formats in one thread at a time.

A process has its own session, so that a Ctrl-C of a terminal reaches the main process only. It ends when its connection is
closed, also if the main process was killed.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Generator, Iterable, Iterator
from itertools import islice
from multiprocessing.connection import Connection, wait

from tagpool.errors import TagpoolError
from tagpool.tagging.folders.jobs import Job
from tagpool.tagging.folders.settings import Settings
from tagpool.tagging.folders.worker import FileResult, FileWorker
from tagpool.tagging.labeller import Labeller

_SECONDS = 10.0  # for a worker that is stopped to remove its unfinished file
_CODE = "import sys; sys.path[:] = {path!r}; from tagpool.tagging.folders.local import serve; serve({handle})"


def label_locally(
    settings: Settings, labeller: Labeller, workers: int, batches: Iterable[list[Job]]
) -> Generator[list[FileResult], None, None]:
    """Yield the results of batches: one worker is this process, several are processes of their own."""
    if workers == 1:
        worker = FileWorker(settings, labeller)
        for batch in batches:
            for job in batch:  # one by one, so that an interruption loses none
                yield worker.label_files([job])
        return
    yield from _label_in_processes(settings, workers, iter(batches))


def _label_in_processes(settings: Settings, workers: int, batches: Iterator[list[Job]]) -> Iterator[list[FileResult]]:
    processes: dict[object, _Process] = {}
    try:
        for batch in islice(batches, workers):
            process = _Process(settings)
            processes[process.connection] = process
            process.send(batch)
        while processes:
            for connection in wait([process.connection for process in processes.values()]):
                process = processes[connection]
                yield process.receive()
                # After the results are counted: the first file that fails ends the batches.
                if (following := next(batches, None)) is not None:
                    process.send(following)
                else:
                    del processes[connection]
                    process.stop()
    finally:
        for process in processes.values():
            process.interrupt()
        for process in processes.values():
            process.stop()


class _Process:
    """A worker process and the connection to it."""

    def __init__(self, settings: Settings) -> None:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            code = _CODE.format(path=sys.path, handle=theirs.fileno())
            self._process = subprocess.Popen([sys.executable, "-c", code], pass_fds=[theirs.fileno()], start_new_session=True)
            self.connection = Connection(os.dup(ours.fileno()))
        self.send(settings)

    def send(self, value: object) -> None:
        """Send settings or a batch; a worker that ended is reported by :meth:`receive`."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.connection.send(value)

    def receive(self) -> list[FileResult]:
        """Return the results of a batch. Raise the error of a worker that ended."""
        try:
            results: list[FileResult] | TagpoolError = self.connection.recv()
        except (EOFError, ConnectionResetError):
            code = self._process.wait()
            ending = f"by signal {-code} ({signal.Signals(-code).name})" if code < 0 else f"with exit code {code}"
            raise TagpoolError(f"a worker process was ended {ending}; the machine may lack memory: use fewer --workers") from None
        if isinstance(results, TagpoolError):
            raise results
        return results

    def interrupt(self) -> None:
        """Let the worker remove its unfinished file and end."""
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()

    def stop(self) -> None:
        """Close the connection, and wait for the end of the worker."""
        self.connection.close()
        try:
            self._process.wait(_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def serve(handle: int) -> None:
    """Run a worker: receive the settings, then batches, until the connection is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    connection = Connection(handle)
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        settings: Settings = connection.recv()
        try:
            worker = FileWorker(settings)
        except TagpoolError as error:
            connection.send(TagpoolError(str(error)))
            return
        while True:
            connection.send(worker.label_files(connection.recv()))
