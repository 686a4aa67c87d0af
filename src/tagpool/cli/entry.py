"""Entry point: handles Ctrl-C, SIGTERM and SIGHUP also while the commands are being imported."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import sys

from tagpool.cli import signals
from tagpool.visible import VisibleStream

_ALLOCATIONS = 100_000  # between two searches for cyclic garbage; Python's default is 700
_CTRL_C = 130  # exit code of typer after a KeyboardInterrupt
_NO_MAPPING = ("failed to map segment", "Cannot allocate memory")  # messages of the loader of shared libraries
_NO_MEMORY = b"error: not enough memory to start\n"
_MESSAGE = "interrupted; nothing was written\n"


def run() -> None:
    """Run ``tagpool``."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy would start threads that no command uses
    gc.set_threshold(_ALLOCATIONS)  # imports create no cycles worth a search
    try:
        signals.install_handlers()
        if sys.stderr is not None:
            sys.stderr = VisibleStream(sys.stderr)  # for messages about the usage, and warnings
        if "_TAGPOOL_COMPLETE" in os.environ:  # set by the completion script of a shell
            importlib.import_module("tagpool.cli.completing.answering").answer_shell(sys.argv[1:])
        elif not importlib.import_module("tagpool.cli.quick").run(sys.argv[1:]):
            importlib.import_module("tagpool.cli.main").app()
    except KeyboardInterrupt:
        _leave_interrupted(_MESSAGE)
    except (MemoryError, SystemError, ImportError) as error:  # an import without memory raises any of them
        if isinstance(error, ImportError) and not any(text in str(error) for text in _NO_MAPPING):
            raise
        with contextlib.suppress(OSError):
            os.write(2, _NO_MEMORY)  # not through a stream, which would allocate
        os._exit(1)
    except SystemExit as ending:
        if ending.code not in (_CTRL_C, signals.exit_code()):
            raise
        # Before a command runs, typer exits without a message.
        is_reported = getattr(sys.modules.get("tagpool.cli.guard"), "interruption_reported", False)
        _leave_interrupted("" if is_reported else _MESSAGE)


def _leave_interrupted(message: str) -> None:
    """Exit with 128 and the number of the signal.

    After a Ctrl-C inside an ``eval`` (such as the creation of a dataclass during an import), Python would end with the signal,
    even if the exception was caught.
    """
    signals.ignore_signals()
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(message)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(signals.exit_code())
