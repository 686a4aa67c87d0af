"""Entry point: handles Ctrl-C also while the commands are being imported."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys

INTERRUPTED = 130
_MESSAGE = "interrupted; nothing was written\n"


def run() -> None:
    """Run ``tagpool``."""
    try:
        importlib.import_module("tagpool.cli.main").app()
    except KeyboardInterrupt:
        sys.stderr.write(_MESSAGE)
        _leave_interrupted()
    except SystemExit as ending:
        if ending.code == INTERRUPTED:
            # Before a command runs, typer exits without a message.
            if not getattr(sys.modules.get("tagpool.cli.guard"), "interruption_reported", False):
                sys.stderr.write(_MESSAGE)
            _leave_interrupted()
        raise


def _leave_interrupted() -> None:
    """Exit with 130.

    After a Ctrl-C inside an ``eval`` (such as the creation of a dataclass during an import), Python would end with the signal,
    even if the exception was caught.
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(INTERRUPTED)
