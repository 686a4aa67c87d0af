"""Options that choose where the work runs: in this process, or in the processes of a Ray cluster. A start-up file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tagpool.cli.option_fields import option
from tagpool.errors import InputError

if TYPE_CHECKING:
    from tagpool.experts.tasks import Engine

LOCAL, RAY = "local", "ray"
_WORKERS = 2


@dataclass
class EngineOptions:
    """The options ``--engine``, ``--workers`` and ``--address``."""

    engine: str = option(default=LOCAL, metavar="local|ray", help="ray: work in processes of a Ray cluster (tagpool[ray]).")
    workers: int | None = option(help=f"Processes of --engine ray (default: {_WORKERS}).")
    address: str | None = option(metavar="HOST:PORT", help="Ray cluster, or auto (default: Ray is started on this machine).")

    def create(self) -> Engine | None:
        """Return the engine; None for this process.

        >>> EngineOptions("local", workers=2).create()
        Traceback (most recent call last):
        ...
        tagpool.errors.InputError: --workers: add --engine ray, or use --threads
        """
        if self.engine not in (LOCAL, RAY):
            raise InputError(f"--engine {self.engine}: expected local or ray")
        if self.engine == LOCAL:
            if self.workers is not None:
                raise InputError("--workers: add --engine ray, or use --threads")
            if self.address is not None:
                raise InputError("--address: add --engine ray")
            return None
        if self.workers is not None and self.workers < 1:
            raise InputError(f"--workers {self.workers}: expected a whole number from 1")
        from tagpool.bridges.ray.engine import Ray  # noqa: PLC0415 - only for this engine

        return Ray(workers=self.workers or _WORKERS, address=self.address)


@contextmanager
def started(engine: Engine | None) -> Iterator[None]:
    """Start an engine for a command, which may take some seconds; None: nothing is started.

    Ray reports restarts of workers on standard output, which is for results: until the end, it is standard error.
    """
    if engine is None:
        yield
        return
    from tagpool.cli.console import notes  # noqa: PLC0415 - only for an engine

    notes.print_line(f"starting {engine.description}")
    with redirect_stdout(sys.stderr), engine.start():
        yield
