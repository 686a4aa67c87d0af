"""Commands in processes of their own, and their costs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from pathlib import Path

HERE = Path(__file__).parent
TAGPOOL = Path(sys.executable).with_name("tagpool")


@dataclass(frozen=True)
class Cost:
    """CPU seconds (user and system, all threads), wall seconds and peak memory in bytes of a process.

    ``library``: CPU seconds inside the calls of the library, for programs that report them.
    """

    cpu: float
    wall: float
    peak: int
    library: float = 0.0


def minimum(costs: Iterable[Cost]) -> Cost:
    """Return the minimum of each figure."""
    return Cost(*(min(figures) for figures in zip(*map(astuple, costs), strict=True)))


def run(command: list[str | Path], output: Path | None = None, *, path: Path | None = None) -> Cost:
    """Run a command. ``output`` receives standard output; ``path`` is a folder of modules."""
    environment = dict(os.environ) if path is None else {**os.environ, "PYTHONPATH": str(path)}
    with tempfile.TemporaryDirectory() as folder, (output or Path(os.devnull)).open("w") as printed:
        figures, messages = Path(folder, "cost.json"), Path(folder, "messages")
        # The launcher needs no packages, so its memory stays below that of every command.
        whole = [sys.executable, "-S", HERE / "launch.py", figures, *command]
        with messages.open("w") as errors:
            done = subprocess.run(list(map(str, whole)), stdout=printed, stderr=errors, env=environment)
        if done.returncode:
            raise SystemExit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{messages.read_text()}")
        return Cost(**json.loads(figures.read_text()))


def run_module(module: str, *arguments: str | Path, output: Path | None = None) -> Cost:
    """Run a module of the suite."""
    return run([sys.executable, "-m", f"suite.{module}", *arguments], output, path=HERE.parent)
