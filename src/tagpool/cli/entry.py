"""The entry point: loads the commands, so that Ctrl-C is met with a word even while they load."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys

INTERRUPTED = 130
_MESSAGE = "interrupted; nothing was written\n"


def run() -> None:
    """Runs ``tagpool``."""
    try:
        importlib.import_module("tagpool.cli.main").app()
    except KeyboardInterrupt:
        sys.stderr.write(_MESSAGE)
        _leave_interrupted()
    except SystemExit as ending:
        if ending.code == INTERRUPTED:
            # Between the loading of the commands and the running of one it is typer that ends, without a word.
            if not getattr(sys.modules.get("tagpool.cli.guard"), "interruption_said", False):
                sys.stderr.write(_MESSAGE)
            _leave_interrupted()
        raise


def _leave_interrupted() -> None:
    """Leaves with 130 in any case.

    Python ends itself by the signal if Ctrl-C ever passed through an ``eval`` (as in the making of a dataclass while a library
    is imported), even where it was caught later.
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(INTERRUPTED)
