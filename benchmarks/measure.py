"""Measuring: the least of several runs, CPU time beside wall time, and memory at the peak.

Machines are noisy, so a time means little by itself: what is printed and judged are ratios of times taken in the same run, the
rivals taking turns.
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
        """From one reading of the clocks to this one."""
        return Seconds(self.cpu - start.cpu, self.wall - start.wall)


def timed(run: Callable[[], object]) -> Seconds:
    """How long one call takes."""
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    result = run()
    taken = Seconds(time.process_time() - cpu, time.perf_counter() - wall)
    del result
    return taken


def lesser(first: Seconds | None, second: Seconds) -> Seconds:
    return second if first is None else Seconds(min(first.cpu, second.cpu), min(first.wall, second.wall))


def least(rivals: Mapping[str, Callable[[], object]], rounds: int = 5) -> dict[str, Seconds]:
    """The least time of each rival over some rounds; in each round all take their turn."""
    best: dict[str, Seconds] = {}
    for _ in range(rounds):
        for name, run in rivals.items():
            best[name] = lesser(best.get(name), timed(run))
    return best


def least_of_processes(rivals: Mapping[str, list[str]], rounds: int = 20) -> dict[str, Seconds]:
    """The same for whole processes."""
    best: dict[str, Seconds] = {}
    for _ in range(rounds):
        for name, command in rivals.items():
            wall, cpu = time.perf_counter(), _children()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            best[name] = lesser(best.get(name), Seconds(_children() - cpu, time.perf_counter() - wall))
    return best


def _children() -> float:
    """CPU seconds of the processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def in_fresh_process(script: str, *arguments: str) -> dict[str, Any]:
    """Runs Python code that prints one JSON object last."""
    return _answer([sys.executable, "-c", script, *arguments])


def program_in_fresh_process(name: str, *arguments: str | Path) -> dict[str, Any]:
    """The same with a file of this folder; its wall time is added."""
    begun = time.perf_counter()
    found = _answer([sys.executable, str(HERE / name), *map(str, arguments)])
    return found | {"wall": time.perf_counter() - begun}


def _answer(command: list[str]) -> dict[str, Any]:
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def peak_memory() -> int:
    """The most memory this process has had, in bytes.

    From /proc and not by getrusage, whose maximum a process inherits from the one that started it.
    """
    with Path("/proc/self/status").open() as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))


def load_average() -> str:
    return " ".join(Path("/proc/loadavg").read_text().split()[:3])


def data_folder() -> Path | None:
    """Where the real corpora are, if they are."""
    folder = os.environ.get("TAGPOOL_DATA")
    return Path(folder) if folder else None
