"""Ray: the choice of a Ray cluster and its workers, for ``engine=`` of trainings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tagpool.errors import InputError, check_type
from tagpool.experts.tasks import Engine
from tagpool.wording import counted

if TYPE_CHECKING:
    from tagpool.bridges.ray.session import Session


@dataclass(frozen=True)
class Ray(Engine):
    """Workers on a Ray cluster. Without ``address``, Ray is started on this machine, unless the process is connected already.

    Args:
        workers: Number of processes that train or tag.
        address: The cluster: ``auto`` for the one of this machine, or ``host:port``. The machine must be part of the cluster.
        cpus: CPUs that each worker reserves (default: 1, or less if the cluster has fewer CPUs).
        timeout: Seconds that the workers may wait for free CPUs.

    >>> Ray(workers=4, address="10.0.0.1:6379")
    Ray(workers=4, address='10.0.0.1:6379', cpus=None, timeout=60.0)
    """

    workers: int = 2
    address: str | None = None
    cpus: float | None = None
    timeout: float = 60.0

    def __post_init__(self) -> None:
        check_type(self.workers, int, "a number of workers")
        if isinstance(self.workers, bool) or self.workers < 1:
            raise InputError(f"workers = {self.workers}: expected a whole number from 1")
        if self.address is not None:
            check_type(self.address, str, "the address of a Ray cluster, such as 'auto' or 'host:6379'")
        for name, value in (("cpus", self.cpus), ("timeout", self.timeout)):
            if value is not None and not (isinstance(value, (int, float)) and 0 < value < float("inf")):
                raise InputError(f"{name} = {value!r}: expected a number above 0")

    @property
    def description(self) -> str:
        """The processes in words.

        >>> Ray(workers=2, address="auto").description
        'Ray with 2 workers at auto'
        """
        place = "" if self.address is None else f" at {self.address}"
        return f"Ray with {counted(self.workers, 'worker')}{place}"

    def start(self) -> Session:
        """Return the connection, a context manager; see :class:`Session`."""
        from tagpool.bridges.ray.session import Session

        return Session(self)
