"""Micro-batches: requests that arrive while others are processed are processed together, outside the event loop."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


class _Waiting(NamedTuple, Generic[Task, Result]):
    """A task, and the future of its result with the loop that it belongs to."""

    task: Task
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Result]


class Batcher(Generic[Task, Result]):
    """Threads that process tasks in batches. ``process`` returns one result per task, or an exception in its place.

    A task never waits for others to arrive: a batch has the tasks that are there when a thread is free.

    >>> batcher = Batcher(lambda tasks: [2 * task for task in tasks])
    >>> asyncio.run(batcher.run(21))
    42
    >>> batcher.close()
    """

    def __init__(
        self, process: Callable[[Sequence[Task]], Sequence[Result | BaseException]], *, threads: int = 1, most: int = 64
    ) -> None:
        self._process = process
        self._most = most
        self._tasks: queue.SimpleQueue[_Waiting[Task, Result] | None] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=self._work, name=f"tagging-{n}", daemon=True) for n in range(threads)]
        for thread in self._threads:
            thread.start()

    async def run(self, task: Task) -> Result:
        """Return the result of a task; raise its exception."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()
        self._tasks.put(_Waiting(task, loop, future))
        return await future

    def close(self) -> None:
        """End the threads after the tasks that wait."""
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while (first := self._tasks.get()) is not None:
            batch = [first]
            ends = False
            while len(batch) < self._most and not self._tasks.empty():
                try:
                    waiting = self._tasks.get_nowait()
                except queue.Empty:  # another thread was faster
                    break
                if waiting is None:
                    ends = True
                    break
                batch.append(waiting)
            try:
                results = self._process([waiting.task for waiting in batch])
            except BaseException as error:  # a bug; the thread continues with the next batch
                results = [error] * len(batch)
            _deliver(batch, results)
            if ends:
                return


def _deliver(batch: Sequence[_Waiting[Task, Result]], results: Sequence[Result | BaseException]) -> None:
    """Give the results to the event loop with one call per loop."""
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Result], Result | BaseException]]] = {}
    for waiting, result in zip(batch, results, strict=True):
        by_loop.setdefault(waiting.loop, []).append((waiting.future, result))
    for loop, pairs in by_loop.items():
        try:
            loop.call_soon_threadsafe(_set_results, pairs)
        except RuntimeError:  # the loop is closed, and no request waits
            continue


def _set_results(pairs: Sequence[tuple[asyncio.Future[Result], Result | BaseException]]) -> None:
    for future, result in pairs:
        if future.done():  # the request was cancelled
            continue
        if isinstance(result, BaseException):
            future.set_exception(result)
        else:
            future.set_result(result)
