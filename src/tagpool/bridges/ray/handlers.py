"""Handlers of signals: Ray replaces them in C++ when it starts, and SIGTERM would then abort the process."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator


@contextlib.contextmanager
def keep_handlers() -> Iterator[None]:
    """Restore the handlers of Ctrl-C and SIGTERM at the end; only the main thread can."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            with contextlib.suppress(ValueError, TypeError):  # another thread; a handler of another language
                signal.signal(number, handler)
