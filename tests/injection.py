"""Programs in which events fail: the library of ``faults`` is preloaded."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

FAULTS = Path(__file__).parents[1] / "faults"
sys.path.append(str(FAULTS))

from library import build  # noqa: E402 - after its folder was added

# `outcomes(call, kind, error)` lets the first, second, ... event of a call fail, until none is left. It prints the errors.
# The call runs once before: nanobind cannot handle a failure when its own tables grow.
PRELUDE = """
import contextlib, errno, sys
from pathlib import Path
sys.path.append({faults!r})
from events import Events, Fault
from tagpool import _native
events = Events(Path({folder!r}))

def outcomes(call, kind, error=0):
    fault, number = Fault(kind, error=error), 0
    with contextlib.suppress(Exception):
        call()
    while True:
        number += 1
        text = "no error"
        events.arm(fault, number)
        try:
            call()
        except Exception as raised:
            text = f"{{type(raised).__name__}}: {{raised}}"
        events.disarm()
        if not events.fired:
            return print("end", text)
        print(text)
"""


def run_with_faults(folder: Path, program: str) -> list[str]:
    """Run a program, in which events below a folder can fail; return the lines that it prints."""
    skip_under_sanitizers()
    text = PRELUDE.format(faults=str(FAULTS), folder=str(folder)) + textwrap.dedent(program)
    environment = os.environ | {"LD_PRELOAD": str(build())}
    done = subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def skip_under_sanitizers() -> None:
    """Skip a test that preloads another library or limits the address space: AddressSanitizer allows neither."""
    if "libasan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("does not run with AddressSanitizer")


def run_injector(*options: object) -> subprocess.CompletedProcess[str]:
    """Run ``faults/run.py``."""
    command = [sys.executable, str(FAULTS / "run.py"), "--jobs", "1", *map(str, options)]
    return subprocess.run(command, capture_output=True, text=True, check=False)
