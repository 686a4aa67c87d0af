"""Measurement: CPU and wall time (minimum of several runs), and peak memory.

Machines are noisy, so only ratios of times from the same run are compared. All sides run in turns.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Seconds:
    cpu: float
    wall: float

    def __str__(self) -> str:
        unit, factor = ("s", 1) if self.wall >= 1 else ("ms", 1000)
        return f"{self.cpu * factor:.3g} {unit} CPU, {self.wall * factor:.3g} {unit} wall"

    def since(self, start: Seconds) -> Seconds:
        """Return the time since an earlier reading."""
        return Seconds(self.cpu - start.cpu, self.wall - start.wall)


def timed(run: Callable[[], object]) -> Seconds:
    """Measure one call."""
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    result = run()
    taken = Seconds(time.process_time() - cpu, time.perf_counter() - wall)
    del result
    return taken


def minimum(first: Seconds | None, second: Seconds) -> Seconds:
    return second if first is None else Seconds(min(first.cpu, second.cpu), min(first.wall, second.wall))


def fastest(peers: Mapping[str, Callable[[], object]], rounds: int = 5) -> dict[str, Seconds]:
    """Return the minimum time of each function. Every round runs each of them once."""
    best: dict[str, Seconds] = {}
    for _ in range(rounds):
        for name, run in peers.items():
            best[name] = minimum(best.get(name), timed(run))
    return best


def fastest_processes(peers: Mapping[str, list[str]], rounds: int = 20) -> dict[str, Seconds]:
    """Return the minimum time of each command."""
    best: dict[str, Seconds] = {}
    for _ in range(rounds):
        for name, command in peers.items():
            wall, cpu = time.perf_counter(), _children()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            best[name] = minimum(best.get(name), Seconds(_children() - cpu, time.perf_counter() - wall))
    return best


def _children() -> float:
    """Return the CPU seconds of child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def in_fresh_process(script: str, *arguments: str) -> dict[str, Any]:
    """Run Python code in a new process; return the JSON object of its last line."""
    return _answer([sys.executable, "-c", script, *arguments])


def program_in_fresh_process(name: str, *arguments: str | Path) -> dict[str, Any]:
    """Run a file of this folder in a new process; return its JSON object with the wall time."""
    begun = time.perf_counter()
    result = _answer([sys.executable, str(HERE / name), *map(str, arguments)])
    return result | {"wall": time.perf_counter() - begun}


def _answer(command: list[str]) -> dict[str, Any]:
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def peak_memory() -> int:
    """Return the peak memory of this process in bytes.

    Read from /proc: the maximum of getrusage is inherited from the parent process.
    """
    with Path("/proc/self/status").open() as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))


def load_average() -> str:
    return " ".join(Path("/proc/loadavg").read_text().split()[:3])


def data_folder() -> Path | None:
    """Return the folder of the corpora, or None."""
    folder = os.environ.get("TAGPOOL_DATA")
    return Path(folder) if folder else None
