"""Commands in processes of their own, and what they cost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
TAGPOOL = [sys.executable, "-m", "tagpool"]


@dataclass(frozen=True)
class Cost:
    """CPU seconds (user and system, all threads), wall seconds and peak memory in bytes of a process."""

    cpu: float
    wall: float
    peak: int


def run(command: list[str | Path], output: Path | None = None) -> Cost:
    """Run a command. ``output`` receives what it prints."""
    with tempfile.TemporaryDirectory() as folder, (output or Path(os.devnull)).open("w") as printed:
        found, messages = Path(folder, "cost.json"), Path(folder, "messages")
        whole = [sys.executable, "-I", "-S", HERE / "launch.py", found, *command]
        with messages.open("w") as errors:
            done = subprocess.run(list(map(str, whole)), stdout=printed, stderr=errors, env=_environment())
        if done.returncode:
            raise SystemExit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{messages.read_text()}")
        return Cost(**json.loads(found.read_text()))


def run_part(module: str, *arguments: str | Path, output: Path | None = None) -> Cost:
    """Run a module of the suite."""
    return run([sys.executable, "-m", f"suite.{module}", *arguments], output)


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(HERE.parent)}
