"""Tasks: independent calls, such as the trainings of the members of a pool, and the processes that run them.

Without an engine, calls run one after another in this process. An engine, such as ``tagpool.bridges.ray.Ray``, runs them in
others. Results are the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Workers(ABC):
    """Objects of one class in different processes, for a training that is divided among them.

    A worker that is killed is created again and repeats its setup.
    """

    @abstractmethod
    def share(self, value: Any) -> Any:
        """Store a value for all workers, and return a reference to it, which can be an argument of calls."""

    @abstractmethod
    def setup(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Call a method that changes the state of each worker, with the arguments of each; return the results."""

    @abstractmethod
    def call(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
        """Call a method of all workers at the same time; yield the results in the order of the workers."""

    @abstractmethod
    def call_one(self, number: int, method: str, arguments: tuple[Any, ...]) -> Any:
        """Call a method of one worker, and return the result."""

    @abstractmethod
    def close(self) -> None:
        """End the processes."""


class Tasks(ABC):
    """Processes that run calls."""

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of processes."""

    @abstractmethod
    def workers(self, kind: type, arguments: Sequence[tuple[Any, ...]]) -> Workers:
        """Create an object of a class for each tuple of arguments."""

    @abstractmethod
    def iterate(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Yield the results in the order of the items. ``function`` is a function of a module; items can be pickled."""

    @abstractmethod
    def results(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[tuple[int, Result]]:
        """Yield the number and the result of each item, as they finish."""


class Engine(ABC):
    """Choice of processes, for ``fit(..., engine=...)``."""

    @property
    @abstractmethod
    def description(self) -> str:
        """The processes in words, such as "Ray with 2 workers"."""

    @abstractmethod
    def start(self) -> AbstractContextManager[Any]:
        """Return a context manager; in it, calls of :func:`iterate_tasks` run in the processes of the engine."""


_CURRENT: ContextVar[Tasks | None] = ContextVar("tasks", default=None)
use_tasks = _CURRENT.set
"""Set the processes for the current context; the token is for :func:`leave_tasks`."""
leave_tasks = _CURRENT.reset
"""Restore the processes before :func:`use_tasks`."""


def current_tasks() -> Tasks | None:
    """Return the processes that run calls; None: this one.

    >>> current_tasks()
    """
    return _CURRENT.get()


def iterate_tasks(function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """Yield ``function(item)`` for all items, in their order; in the processes of the engine, if there is one.

    >>> list(iterate_tasks(len, ["ab", "c"]))
    [2, 1]
    """
    tasks = current_tasks()
    return map(function, items) if tasks is None else tasks.iterate(function, items)
