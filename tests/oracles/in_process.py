"""An engine whose processes are objects of this one. Arguments and results are pickled, as between processes."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tagpool.experts.tasks import Engine, Tasks, Workers, leave_tasks, use_tasks


def sent(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


class InProcessWorkers(Workers):
    def __init__(self, kind: type, arguments: Sequence[tuple[Any, ...]]) -> None:
        self.objects = [kind(*sent(values)) for values in arguments]

    def share(self, value: Any) -> Any:
        return sent(value)

    def setup(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        return list(self.call(method, arguments))

    def call(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
        for number, values in enumerate(arguments):
            yield self.call_one(number, method, values)

    def call_one(self, number: int, method: str, arguments: tuple[Any, ...]) -> Any:
        return sent(getattr(self.objects[number], method)(*sent(arguments)))

    def close(self) -> None:
        self.objects = []


class InProcessTasks(Tasks):
    def __init__(self, size: int) -> None:
        self._size = size
        self.count = 0

    @property
    def size(self) -> int:
        return self._size

    def workers(self, kind: type, arguments: Sequence[tuple[Any, ...]]) -> Workers:
        return InProcessWorkers(kind, arguments)

    def iterate(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
        return (self._run(function, item) for item in items)

    def results(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        for number in reversed(range(len(items))):  # in another order than that of the items
            yield number, self._run(function, items[number])

    def _run(self, function: Callable[[Any], Any], item: Any) -> Any:
        self.count += 1
        token = use_tasks(None)  # the other process has no engine
        try:
            return sent(function(sent(item)))
        finally:
            leave_tasks(token)


class InProcess(Engine):
    def __init__(self, size: int) -> None:
        self.tasks = InProcessTasks(size)

    @property
    def description(self) -> str:
        return "this process"

    @contextmanager
    def start(self) -> Iterator[InProcessTasks]:
        token = use_tasks(self.tasks)
        try:
            yield self.tasks
        finally:
            leave_tasks(token)
