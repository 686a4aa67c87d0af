"""RayWorkers: objects in actors of Ray. An actor whose process or machine ended is created again, and repeats its setup."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tagpool.bridges.ray.sharing import pack, unpack
from tagpool.experts.tasks import Workers

if TYPE_CHECKING:
    from tagpool.bridges.ray.session import Session

_MOST_DEATHS = 5  # of a worker during one call


class Holder:
    """The actor: one object in a process."""

    def __init__(self, kind: type, block: bytes, shared: Sequence[Any]) -> None:
        import ray

        self._object = kind(*unpack(block, lambda number: ray.get(shared[number])))

    def is_ready(self) -> bool:
        """Return True: the process runs."""
        return True

    def run(self, method: str, *arguments: Any) -> Any:
        """Call a method of the object."""
        return getattr(self._object, method)(*arguments)


class RayWorkers(Workers):
    """Objects in actors. The driver has the arguments of their setup, so that no actor needs another one."""

    def __init__(self, session: Session, kind: type, arguments: Sequence[tuple[Any, ...]]) -> None:
        self._session = session
        self._kind = kind
        self._blocks, shared = pack(arguments)
        self._shared = [session.put(value) for value in shared]
        # Restarts by Ray would lose the setup without notice.
        self._actor = session.remote(Holder, max_restarts=0)
        self._setup: list[list[tuple[str, tuple[Any, ...]]]] = [[] for _ in arguments]
        self._actors = [self._create(number) for number in range(len(arguments))]
        session.wait_for_start([actor.is_ready.remote() for actor in self._actors])

    def share(self, value: Any) -> Any:
        """Store a value in the object store."""
        return self._session.put(value)

    def setup(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Call a method that changes the state of each worker."""
        results = list(self.call(method, arguments))
        for calls, values in zip(self._setup, arguments, strict=True):
            calls.append((method, values))
        return results

    def call(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
        """Call a method of all workers, and yield the results in their order."""
        references = [actor.run.remote(method, *values) for actor, values in zip(self._actors, arguments, strict=True)]
        for number, values in enumerate(arguments):
            yield self._result(number, references[number], method, values)
            references[number] = None  # frees the memory of the result

    def call_one(self, number: int, method: str, arguments: tuple[Any, ...]) -> Any:
        """Call a method of one worker."""
        return self._result(number, self._actors[number].run.remote(method, *arguments), method, arguments)

    def close(self) -> None:
        """End the processes."""
        for actor in self._actors:
            self._session.ray.kill(actor)
        self._actors = []

    def _create(self, number: int) -> Any:
        return self._actor.remote(self._kind, self._blocks[number], self._shared)

    def _result(self, number: int, reference: Any, method: str, arguments: tuple[Any, ...]) -> Any:
        """Return the result of a call. After the death of the actor, a new one repeats the setup and the call."""
        session = self._session
        deaths = 0
        while True:
            try:
                return session.ray.get(reference)
            except Exception as error:
                deaths += 1
                if not session.is_death(error) or deaths > _MOST_DEATHS:
                    with session.explaining():
                        raise
            self._replace(number)
            reference = self._actors[number].run.remote(method, *arguments)

    def _replace(self, number: int) -> None:
        """Create an actor again, and repeat its setup."""
        self._session.ray.kill(self._actors[number])  # it may be alive, but out of reach
        self._actors[number] = actor = self._create(number)
        self._session.check_start([actor.is_ready.remote()])
        for method, arguments in self._setup[number]:
            actor.run.remote(method, *arguments)  # calls of an actor run in order
