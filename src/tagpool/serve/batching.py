"""Micro-batches: requests that arrive while others are processed are processed together, outside the event loop.

Tasks that take a fraction of a millisecond are processed in the event loop: passing them to a thread and back takes longer, and
delays other requests as much.
"""

from __future__ import annotations

import asyncio
import math
import queue
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")
QUICK = 0.0003
"""Seconds that the event loop may work on tasks before it reads again."""


class _Waiting(NamedTuple, Generic[Task, Result]):
    """A task, and the future of its result with the loop that it belongs to."""

    task: Task
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Result]


class Batcher(Generic[Task, Result]):
    """Threads that process tasks in batches. ``process`` returns one result per task, or an exception in its place.

    A task never waits for others to arrive: a batch has the tasks that are there when a thread is free. The event loop gives a
    batch to a thread when it has read everything that arrived, so that both change places once per batch, not once per task.
    ``estimate`` returns the seconds that a task takes, or infinity if that is not known: tasks that take ``QUICK`` seconds
    together are a batch of the event loop itself.

    >>> batcher = Batcher(lambda tasks: [2 * task for task in tasks])
    >>> asyncio.run(batcher.run(21))
    42
    >>> batcher.close()
    """

    def __init__(
        self,
        process: Callable[[Sequence[Task]], Sequence[Result | BaseException]],
        *,
        threads: int = 1,
        most: int = 64,
        estimate: Callable[[Task], float] | None = None,
    ) -> None:
        self._process = process
        self._most = most
        self._estimate = estimate
        self._waiting: deque[_Waiting[Task, Result]] = deque()
        self._quick: dict[asyncio.AbstractEventLoop, deque[tuple[float, _Waiting[Task, Result]]]] = {}
        self._free = threads
        self._lock = threading.Lock()  # of both: tests have several loops
        self._batches: queue.SimpleQueue[list[_Waiting[Task, Result]] | None] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=self._work, name=f"tagging-{n}", daemon=True) for n in range(threads)]
        for thread in self._threads:
            thread.start()

    async def run(self, task: Task) -> Result:
        """Return the result of a task; raise its exception."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()
        waiting = _Waiting(task, loop, future)
        seconds = math.inf if self._estimate is None else self._estimate(task)
        if seconds <= QUICK:
            self._add_quick(seconds, waiting)
            return await future
        with self._lock:
            self._waiting.append(waiting)
            is_first = len(self._waiting) == 1
        if is_first:
            loop.call_soon(self._start_batches)
        return await future

    def close(self) -> None:
        """End the threads after the tasks that wait."""
        for _ in self._threads:
            self._batches.put(None)
        for thread in self._threads:
            thread.join()

    def _add_quick(self, seconds: float, waiting: _Waiting[Task, Result]) -> None:
        """Process a task in the event loop with others that arrive now; only the thread of its loop calls this."""
        tasks = self._quick.get(waiting.loop)
        if tasks is None:
            tasks = self._quick[waiting.loop] = deque()
            waiting.loop.call_soon(self._process_quick, waiting.loop)
        tasks.append((seconds, waiting))

    def _process_quick(self, loop: asyncio.AbstractEventLoop) -> None:
        """Process tasks that are quick together; the loop reads and writes before the next ones."""
        tasks = self._quick[loop]
        seconds, first = tasks.popleft()
        batch = [first]
        while tasks and len(batch) < self._most and seconds + tasks[0][0] <= QUICK:
            more, waiting = tasks.popleft()
            seconds += more
            batch.append(waiting)
        if tasks:
            loop.call_soon(self._process_quick, loop)
        else:
            del self._quick[loop]
        results = self._results(batch)
        _set_results([(waiting.future, result) for waiting, result in zip(batch, results, strict=True)])

    def _start_batches(self, finished: int = 0) -> None:
        """Give tasks to threads that are free; ``finished`` threads became free."""
        with self._lock:
            self._free += finished
            while self._free and self._waiting:
                count = min(len(self._waiting), self._most)
                self._batches.put([self._waiting.popleft() for _ in range(count)])
                self._free -= 1

    def _work(self) -> None:
        while (batch := self._batches.get()) is not None:
            results = self._results(batch)
            self._start_batches(finished=1)
            _deliver(batch, results)

    def _results(self, batch: Sequence[_Waiting[Task, Result]]) -> Sequence[Result | BaseException]:
        try:
            return self._process([waiting.task for waiting in batch])
        except BaseException as error:  # a bug; the next batch is processed as usual
            return [error] * len(batch)


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
