"""Steps of the packaging scripts: run programs quietly, print one line per step, and stop at the first failure."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path


class StepError(Exception):
    """A step failed; the message says what is wrong."""


@contextmanager
def step(name: str) -> Iterator[Callable[[str], None]]:
    """Print the name of a step, and its result with the time it took. The context is a function that sets the result."""
    results: list[str] = []
    print(f"{name} ... ", end="", flush=True)
    begin = time.monotonic()
    try:
        yield results.append
    except StepError:
        print("FAILED", flush=True)
        raise
    print(f"{results[-1] if results else 'ok'} ({time.monotonic() - begin:.0f} s)", flush=True)


def run(command: Sequence[str], variables: Mapping[str, str] | None = None) -> str:
    """Run a program, which finds those of this environment first; return its output. A failure shows it."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    environment = {**os.environ, "PATH": path, **(variables or {})}
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False, env=environment
    )
    if done.returncode != 0:
        raise StepError(f"{done.stdout}\n{' '.join(command)}: exit code {done.returncode}")
    return done.stdout


def run_steps(steps: Callable[[], None]) -> int:
    """Run steps; return the exit code of the script."""
    try:
        steps()
    except StepError as failure:
        print(f"error: {failure}", file=sys.stderr)
        return 1
    return 0
