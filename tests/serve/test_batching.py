"""Batches: tasks that wait are processed together, and each caller gets its own result."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Sequence

import pytest

from tagpool.serve.batching import QUICK, Batcher


def test_tasks_that_wait_are_one_batch() -> None:
    sizes: list[int] = []
    first_runs, continuing = threading.Event(), threading.Event()

    def process(tasks: Sequence[int]) -> list[int]:
        sizes.append(len(tasks))
        first_runs.set()
        continuing.wait(20)
        return [task * task for task in tasks]

    batcher = Batcher(process, most=8)

    async def run() -> list[int]:
        first = asyncio.create_task(batcher.run(0))
        await asyncio.to_thread(first_runs.wait)
        others = [asyncio.create_task(batcher.run(task)) for task in range(1, 13)]
        await asyncio.sleep(0.05)
        continuing.set()
        return [await first, *await asyncio.gather(*others)]

    assert asyncio.run(run()) == [task * task for task in range(13)]
    assert sizes == [1, 8, 4]
    batcher.close()


def test_an_error_reaches_its_caller_only() -> None:
    batcher: Batcher[int, int] = Batcher(lambda tasks: [ValueError("odd") if task % 2 else task for task in tasks])

    async def run() -> list[object]:
        return await asyncio.gather(*(batcher.run(task) for task in range(4)), return_exceptions=True)

    results = asyncio.run(run())
    assert [str(one) for one in results] == ["0", "odd", "2", "odd"]
    batcher.close()


def test_a_failing_batch_does_not_end_the_thread() -> None:
    def process(tasks: Sequence[int]) -> list[int]:
        if 1 in tasks:
            raise RuntimeError("a bug")
        return list(tasks)

    batcher = Batcher(process)
    with pytest.raises(RuntimeError, match="a bug"):
        asyncio.run(batcher.run(1))
    assert asyncio.run(batcher.run(2)) == 2
    batcher.close()


def test_a_caller_that_left_is_ignored() -> None:
    continuing = threading.Event()

    def process(tasks: Sequence[int]) -> list[int]:
        continuing.wait(20)
        return list(tasks)

    batcher = Batcher(process, threads=2)

    async def run() -> int:
        leaving = asyncio.create_task(batcher.run(1))
        await asyncio.sleep(0.02)
        leaving.cancel()
        continuing.set()
        return await batcher.run(2)

    assert asyncio.run(run()) == 2
    batcher.close()  # also after the loop of the first caller was closed


def test_quick_tasks_are_batches_of_the_event_loop() -> None:
    """Tasks of 0.1 ms: three fit, and longer ones or those of unknown time go to a thread."""
    batches: list[tuple[bool, list[int]]] = []

    def process(tasks: Sequence[int]) -> list[int]:
        batches.append((threading.current_thread() is threading.main_thread(), list(tasks)))
        return [task * task for task in tasks]

    batcher = Batcher(process, estimate=lambda task: QUICK / 3 if task < 10 else (2 * QUICK if task < 20 else math.inf))

    async def run() -> list[int]:
        return await asyncio.gather(*(batcher.run(task) for task in (1, 2, 3, 4, 5, 10, 20)))

    assert asyncio.run(run()) == [1, 4, 9, 16, 25, 100, 400]
    assert sorted(batches) == [(False, [10, 20]), (True, [1, 2, 3]), (True, [4, 5])]
    batcher.close()


def test_errors_and_leaving_callers_of_quick_tasks() -> None:
    def process(tasks: Sequence[int]) -> list[int | BaseException]:
        if 0 in tasks:
            raise RuntimeError("a bug")
        return [ValueError("odd") if task % 2 else task for task in tasks]

    batcher: Batcher[int, int] = Batcher(process, estimate=lambda task: QUICK / 4 if task else QUICK)

    async def run() -> list[object]:
        leaving = asyncio.create_task(batcher.run(2))
        results = asyncio.gather(*(batcher.run(task) for task in (1, 2, 0)), return_exceptions=True)
        await asyncio.sleep(0)
        leaving.cancel()
        return list(await results)

    results = asyncio.run(run())
    assert [repr(one) for one in results] == ["ValueError('odd')", "2", "RuntimeError('a bug')"]
    batcher.close()
