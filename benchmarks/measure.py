"""Measuring: the least of several runs, CPU time beside wall time, and memory at the peak.

Machines are noisy, so a time means little by itself: what is printed and judged are ratios of times taken in the same run, the
rivals taking turns.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Seconds:
    cpu: float
    wall: float


def least(rivals: Mapping[str, Callable[[], object]], rounds: int = 5) -> dict[str, Seconds]:
    """The least time of each rival over some rounds; in each round all take their turn."""
    best: dict[str, Seconds] = {}
    for _ in range(rounds):
        for name, run in rivals.items():
            gc.collect()
            wall, cpu = time.perf_counter(), time.process_time()
            result = run()
            taken = Seconds(time.process_time() - cpu, time.perf_counter() - wall)
            del result
            known = best.get(name, taken)
            best[name] = Seconds(min(known.cpu, taken.cpu), min(known.wall, taken.wall))
    return best


def least_of_processes(rivals: Mapping[str, list[str]], rounds: int = 20) -> dict[str, Seconds]:
    """The same for whole processes."""
    best: dict[str, Seconds] = {}
    for _ in range(rounds):
        for name, command in rivals.items():
            wall, before = time.perf_counter(), os.times()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            after = os.times()
            cpu = after.children_user + after.children_system - before.children_user - before.children_system
            taken = Seconds(cpu, time.perf_counter() - wall)
            known = best.get(name, taken)
            best[name] = Seconds(min(known.cpu, taken.cpu), min(known.wall, taken.wall))
    return best


def in_fresh_process(script: str, *arguments: str) -> dict[str, Any]:
    """Runs Python code that prints one JSON object last."""
    done = subprocess.run([sys.executable, "-c", script, *arguments], check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def data_folder() -> Path | None:
    """Where the real corpora are, if they are."""
    folder = os.environ.get("TAGPOOL_DATA")
    return Path(folder) if folder else None
