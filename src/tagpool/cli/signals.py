"""Signals that end a command: SIGTERM and SIGHUP are handled like Ctrl-C (SIGINT).

Only the command line installs these handlers; the library leaves the handlers of a program unchanged. This file is imported
before the commands, so it imports little.
"""

from __future__ import annotations

import contextlib
import os
import signal
import stat
from collections.abc import Callable, Iterator

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
_received: int | None = None  # number of the first signal


def install_handlers() -> None:
    """Let every signal raise KeyboardInterrupt. A signal that is ignored at the start (nohup) stays ignored."""
    for number in _SIGNALS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _interrupt)


def _interrupt(number: int, _: object = None) -> None:
    record(number)
    raise KeyboardInterrupt


def record(number: int) -> None:
    """Store the number of the first signal for the exit code. Handlers call it."""
    global _received
    if _received is None:
        _received = number
    if number == getattr(signal, "SIGHUP", None):
        _discard_lost_terminal()


def exit_code() -> int:
    """Return 128 and the number of the signal that ended the command (default: SIGINT, 130)."""
    return 128 + (signal.SIGINT if _received is None else _received)


@contextlib.contextmanager
def handle_with(handler: Callable[[int, object], None]) -> Iterator[None]:
    """Replace the handlers of all signals that are not ignored."""
    previous = {number: signal.getsignal(number) for number in _SIGNALS}
    replaced = [number for number, before in previous.items() if before != signal.SIG_IGN]
    try:
        for number in replaced:
            signal.signal(number, handler)
        yield
    finally:
        for number in replaced:
            signal.signal(number, previous[number])


def ignore_signals() -> None:
    """Ignore all further signals, while a result is written."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _discard_lost_terminal() -> None:
    """Discard output to a terminal that was closed: writing to it fails, and the error would end the work that remains."""
    for stream in (1, 2):
        with contextlib.suppress(OSError):
            if stat.S_ISCHR(os.fstat(stream).st_mode) and not os.isatty(stream):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
