"""Interruption: Ctrl-C while the members of a pool are trained in parallel."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType
from typing import Any

from tagpool.cli.progress import Follower


class Interruption:
    """The first Ctrl-C ends the training of every member after its epoch, so that the pool is complete; the second ends all.

    Before the first epoch the first Ctrl-C ends all.
    """

    def __init__(self, progress: Follower) -> None:
        self.progress = progress
        self.requested = False
        self._previous: Any = None

    def __enter__(self) -> Interruption:
        self._previous = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        signal.signal(signal.SIGINT, self._previous)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.requested or not self.progress.epochs:
            raise KeyboardInterrupt
        self.requested = True
        self.progress.step("interrupted: every member ends with its epoch; Ctrl-C again to keep nothing")
