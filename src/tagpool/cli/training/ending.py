"""Ending: Ctrl-C while the members of a pool are trained side by side."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType
from typing import Any

from tagpool.cli.progress import Follower


class Ending:
    """Ctrl-C ends the training of every member after its epoch, so that there is a pool to keep; a second one ends everything.

    Before the first epoch there is nothing to keep, and the first one ends everything.
    """

    def __init__(self, followed: Follower) -> None:
        self.followed = followed
        self.asked = False
        self._before: Any = None

    def __enter__(self) -> Ending:
        self._before = signal.signal(signal.SIGINT, self._ask)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        if self.asked or not self.followed.epochs:
            raise KeyboardInterrupt
        self.asked = True
        self.followed.step("interrupted: every member ends with its epoch; Ctrl-C again to keep nothing")
