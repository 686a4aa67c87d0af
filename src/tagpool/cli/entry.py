"""The entry point: loads the commands, so that Ctrl-C is met with a word even while they load."""

from __future__ import annotations

import importlib
import os
import sys


def run() -> None:
    """Runs ``tagpool``."""
    try:
        importlib.import_module("tagpool.cli.main").app()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; nothing was written\n")
        sys.stderr.flush()
        os._exit(130)
