"""Session: the connection to a Ray cluster, with checks of its resources and versions, and errors with advice."""

from __future__ import annotations

import contextlib
import logging
import math
import os
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType, TracebackType
from typing import Any

import tagpool
from tagpool import _native
from tagpool.bridges.ray.address import AUTO, check_address, no_cluster
from tagpool.bridges.ray.engine import Ray
from tagpool.bridges.ray.handlers import keep_handlers
from tagpool.bridges.ray.sharing import pack, run_packed
from tagpool.bridges.ray.workers import RayWorkers
from tagpool.errors import InputError, OutOfMemoryError, OutputError, TagpoolError
from tagpool.experts.tasks import Tasks, current_tasks, leave_tasks, use_tasks
from tagpool.wording import counted

_SHARE = 0.8  # of the CPUs for workers, so that other tasks are not starved
_PRECISION = 100  # CPUs are reserved in hundredths
_LEAST_CPUS = 0.01
_POLL = 1.0  # seconds between two looks at waiting workers
_DEATHS = ("RayActorError", "WorkerCrashedError", "NodeDiedError", "ObjectLostError", "OwnerDiedError", "LocalRayletDiedError")
RETRIES = 3
"""Restarts of a task whose process was killed."""


class WorkerError(TagpoolError):
    """A failure of Ray itself: workers that were killed again and again, or a lost cluster."""


class Session(Tasks):
    """A connection to a Ray cluster; use it as a context manager. Independent trainings in it run as tasks of Ray.

    Ray that the session started is stopped at its end. A cluster, and a connection that the process already has, stay.
    """

    def __init__(self, engine: Ray) -> None:
        self.engine = engine
        self.ray: ModuleType = import_ray()
        self._is_owner = False
        self.cpus = 1.0  # that a worker reserves

    def __enter__(self) -> Session:
        with keep_handlers():
            self._connect()
        try:
            self.cpus = self._cpus_per_worker()
            if not isinstance(current_tasks(), Session):  # else they are checked
                self._check_nodes()
        except BaseException:
            self.close()
            raise
        self._token = use_tasks(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        leave_tasks(self._token)
        self.close()
        if isinstance(error, self.ray.exceptions.RayError):
            raise self._explain(error) from None

    def close(self) -> None:
        """Stop Ray if the session started it, or disconnect from the cluster."""
        if self._is_owner and self.ray.is_initialized():
            self.ray.shutdown()
        self._is_owner = False

    # Work ---------------------------------------------------------------------------------------------------------------

    def remote(self, function: Callable[..., Any], **options: Any) -> Any:
        """Return a function or class as a remote one, which reserves the CPUs of a worker and is restarted if it is killed."""
        restarts = {"max_restarts": -1} if isinstance(function, type) else {"max_retries": RETRIES}
        return self.ray.remote(**{"num_cpus": self.cpus, **restarts, **options})(function)

    def iterate(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
        """Yield the results of tasks in the order of the items; the first item that failed raises its error."""
        early: dict[int, Any] = {}
        number = 0
        for finished, result in self.results(function, items):
            early[finished] = result
            while number in early:
                yield early.pop(number)
                number += 1

    def results(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Yield the number and the result of each task, as they finish."""
        blocks, shared = pack(items)
        objects = [self.put(value) for value in shared]
        task = self.remote(run_packed)
        numbers = {task.remote(function, block, objects): number for number, block in enumerate(blocks)}
        try:
            with self.explaining():
                while numbers:
                    done, _ = self.ray.wait(list(numbers), num_returns=1)
                    yield numbers.pop(done[0]), self.ray.get(done[0])
        finally:
            for reference in numbers:
                self.ray.cancel(reference, force=True)

    def wait_for_start(self, references: Sequence[Any], noun: str = "worker") -> list[Any]:
        """Return the results of calls that end as soon as their workers run; raise an error if CPUs are missing for too long."""
        self.check_start(references, noun)
        with self.explaining():
            results: list[Any] = self.ray.get(list(references))
        return results

    def check_start(self, references: Sequence[Any], noun: str = "worker") -> None:
        """Wait for calls that end as soon as their workers run; raise an error if CPUs are missing for too long."""
        end, pending = time.monotonic() + self.engine.timeout, list(references)
        while pending:
            _, pending = self.ray.wait(pending, num_returns=len(pending), timeout=_POLL)
            if pending and time.monotonic() > end:
                raise self._missing(len(pending), len(references), noun)

    @property
    def size(self) -> int:
        """The number of workers."""
        return self.engine.workers

    def workers(self, kind: type, arguments: Sequence[tuple[Any, ...]]) -> RayWorkers:
        """Create an object of a class for each tuple of arguments, in an actor of Ray."""
        return RayWorkers(self, kind, arguments)

    def put(self, value: Any) -> Any:
        """Store a value for all workers; NumPy arrays are shared on a machine, not copied."""
        with self.explaining():
            return self.ray.put(value)

    @contextlib.contextmanager
    def explaining(self) -> Iterator[None]:
        """Raise errors of Ray as those of tagpool, and errors of a task as they were in the task."""
        try:
            yield
        except self.ray.exceptions.RayError as error:
            raise self._explain(error) from None

    def is_death(self, error: BaseException) -> bool:
        """Return whether an error means that the process or the machine of a worker has ended."""
        return isinstance(error, tuple(getattr(self.ray.exceptions, name) for name in _DEATHS))

    # Start --------------------------------------------------------------------------------------------------------------

    def _connect(self) -> None:
        address = self.engine.address
        if self.ray.is_initialized():
            return
        if address is not None:
            check_address(address)
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        quiet = {"logging_level": logging.ERROR, "log_to_driver": False, "configure_logging": False}
        # A CPU for each worker and one more: nothing waits for a place, and the system divides the time.
        size = {"num_cpus": max(os.cpu_count() or 1, self.engine.workers + 1), "include_dashboard": False}
        # RAY_ADDRESS is not read: the same command does the same everywhere.
        try:
            with warnings.catch_warnings(), _without_good_news():
                warnings.simplefilter("ignore", FutureWarning)
                self.ray.init(address=address or "local", **quiet, **({} if address else size))
        except ConnectionError as error:
            raise no_cluster(address or AUTO, "none runs on this machine" if address == AUTO else _first_line(error)) from None
        except (RuntimeError, ValueError, OSError) as error:  # other versions of Ray or Python; a full disk
            place = f"--address {address}" if address else "Ray did not start on this machine"
            raise InputError(f"{place}: {' '.join(str(error).split())}; see the logs in /tmp/ray/session_latest/logs") from None
        self._is_owner = True

    def _cpus_per_worker(self) -> float:
        if self.engine.cpus is not None:
            return float(self.engine.cpus)
        workers, total = self.engine.workers, float(self.ray.cluster_resources().get("CPU", 0.0))
        share = min(1.0, math.floor(_PRECISION * _SHARE * total / workers) / _PRECISION)
        if share < _LEAST_CPUS:
            most = int(_SHARE * total / _LEAST_CPUS)
            advice = f"use at most {most}" if most else "add a machine with CPUs to the cluster"
            raise InputError(f"--workers {workers}: the cluster has {counted(int(total), 'CPU')}; {advice}")
        return share

    def _missing(self, waiting: int, workers: int, noun: str) -> InputError:
        """Return the error for workers without CPUs."""
        free, total = (resources().get("CPU", 0.0) for resources in (self.ray.available_resources, self.ray.cluster_resources))
        message = f"{waiting} of {counted(workers, noun)} found no place in {self.engine.timeout:g} s"
        has = f"each reserves {self.cpus:g} CPUs, and {free:g} of {total:g} are free"
        return InputError(f"Ray: {message}: {has}; use fewer --workers, or wait until other jobs end")

    def _check_nodes(self) -> None:
        """Raise an error for a machine without this version of tagpool; warn about different instruction sets."""
        strategy = import_strategies().NodeAffinitySchedulingStrategy
        nodes = [node for node in self.ray.nodes() if node["Alive"]]

        def facts() -> tuple[str | None, str]:  # Sent as code: the machine may have no tagpool.
            import importlib

            try:
                package = importlib.import_module("tagpool")
                native = importlib.import_module("tagpool._native")
            except ImportError as error:
                return None, str(error)
            return package.__version__, native.kernel_name()

        task = self.ray.remote(num_cpus=0, max_retries=RETRIES)(facts)
        pinned = [task.options(scheduling_strategy=strategy(node["NodeID"], soft=False)).remote() for node in nodes]
        answers = self.wait_for_start(pinned, "machine")
        for node, (version, detail) in zip(nodes, answers, strict=True):
            check_version(node["NodeManagerAddress"], version, detail)
        kernels = sorted({_native.kernel_name(), *(detail for _, detail in answers)})
        if len(kernels) > 1:
            text = (
                f"the machines have different instruction sets ({', '.join(kernels)}): last digits depend on which of them works"
            )
            warnings.warn(text, RuntimeWarning, stacklevel=3)

    # Errors -------------------------------------------------------------------------------------------------------------

    def _explain(self, error: BaseException) -> BaseException:
        exceptions = self.ray.exceptions
        if isinstance(error, exceptions.RayTaskError):
            cause: BaseException = error.cause
            if isinstance(cause, (TagpoolError, MemoryError, KeyboardInterrupt)):
                return cause
            if isinstance(cause, exceptions.RayError):
                return self._explain(cause)
            if isinstance(cause, OSError):
                return OutputError(f"a worker of Ray failed: {cause}; free space on its disk, or choose another machine")
            return WorkerError(f"a task failed: {type(cause).__name__}: {_first_line(cause)}")
        if isinstance(error, (exceptions.OutOfDiskError, exceptions.ObjectStoreFullError)):
            advice = "free space there, or set another folder with ray start --temp-dir"
            return OutputError(f"the disk or the object store of a machine of Ray is full; {advice}")
        if isinstance(error, exceptions.OutOfMemoryError):
            return OutOfMemoryError("a worker of Ray was stopped because its machine had not enough memory; use fewer --workers")
        return WorkerError(f"Ray failed: {_first_line(error)}; try again, or run without --engine ray")


def check_version(machine: str, version: str | None, detail: str) -> None:
    """Raise an InputError unless a machine has this version of tagpool.

    >>> check_version("10.0.0.7", None, "No module named 'tagpool'")
    Traceback (most recent call last):
    ...
    tagpool.errors.InputError: 10.0.0.7: tagpool is not installed there (No module named 'tagpool'); pip install 'tagpool[ray]'
    """
    if version is None:
        raise InputError(f"tagpool is not installed there ({detail}); pip install 'tagpool[ray]'", source=machine)
    if version != tagpool.__version__:
        mine = tagpool.__version__
        message = f"the machine has tagpool {version}, and this one {mine}; pip install 'tagpool[ray]=={mine}'"
        raise InputError(message, source=machine)


def import_ray() -> ModuleType:
    """Import Ray; an InputError names the extra if it is missing."""
    try:
        import ray
        import ray.exceptions
    except ImportError:
        raise InputError("--engine ray needs Ray; pip install 'tagpool[ray]'") from None
    module: ModuleType = ray
    return module


def import_strategies() -> ModuleType:
    """Import Ray's choice of machines."""
    from ray.util import scheduling_strategies

    module: ModuleType = scheduling_strategies
    return module


@contextlib.contextmanager
def _without_good_news() -> Iterator[None]:
    """Hide the message that clusters are protected by a token; the warning that one is not protected is shown."""

    def is_other(record: logging.LogRecord) -> bool:
        return "Token authentication is enabled" not in record.getMessage()

    logger = logging.getLogger("ray._private.authentication.authentication_token_setup")
    logger.addFilter(is_other)
    try:
        yield
    finally:
        logger.removeFilter(is_other)


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
