"""Trainings and taggings in processes of their own, so that the time and memory of each are measured alone.

This module imports nothing of tagpool but its errors: the memory of another library's process is its own.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tagpool.errors import InputError

Labels = list[list[str]]
TRAIN, DEV, TEST, LOWER = "train", "dev", "test", "lower"
_SOURCE = Path(__file__).parents[2]
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_WARM_UP = [["."]]  # the first call imports modules


class Program(Protocol):
    """Work of a process: a training from files to a model, and tagging of lists of words with that model."""

    def fit(self, name: str, files: Path, model: Path, seed: int) -> None:
        """Train from ``files`` and write the model."""

    def load(self, model: Path) -> Any:
        """Return the model: a function that labels sentences."""

    def words(self, path: Path) -> list[list[str]]:
        """Return the words of a file."""


@dataclass(frozen=True)
class Run:
    """Measures of one training and of tagging with its model: CPU seconds, megabytes, tokens per second; and the labels."""

    cpu: float
    peak: float
    size: float
    speed: float
    test: Labels
    lower: Labels


def file_of(files: Path, part: str) -> Path:
    """Return the file of a part of a corpus: a word, a tab and a label per line."""
    return files / f"{part}.conll"


def measure(module: str, name: str, files: Path, model: Path, seed: int) -> Run:
    """Train a model of a module in one process, and tag the test sentences with it in another one."""
    fitted = _call(module, "fit", name, str(files), str(model), str(seed))
    tagged = _call(module, "tag", name, str(files), str(model), str(seed))
    return Run(fitted["cpu"], fitted["peak"], _size(model), tagged["speed"], tagged[TEST], tagged[LOWER])


def serve(program: Program, arguments: Sequence[str]) -> None:
    """Do what :func:`measure` asks a process to do, and print the result as JSON."""
    action, name, files, model, seed = arguments
    if action == "fit":
        program.fit(name, Path(files), Path(model), int(seed))
        print(json.dumps({"cpu": time.process_time(), "peak": _peak()}))
        return
    tag = program.load(Path(model))
    tag(_WARM_UP)
    words = {part: program.words(file_of(Path(files), part)) for part in (TEST, LOWER)}
    begun = time.process_time()
    labels = tag(words[TEST])
    seconds = time.process_time() - begun
    speed = sum(map(len, words[TEST])) / seconds
    print(json.dumps({"speed": speed, TEST: labels, LOWER: tag(words[LOWER])}))


def _call(module: str, *arguments: str) -> Mapping[str, Any]:
    path = os.pathsep.join(filter(None, (str(_SOURCE), os.environ.get("PYTHONPATH"))))
    command = [sys.executable, "-m", f"tagpool.experiments.{module}", *arguments]
    environment = {**os.environ, **_ONE_THREAD, "PYTHONPATH": path}
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, env=environment)
    if done.returncode:
        raise InputError(f"{' '.join(arguments[:2])}: the process ended with exit code {done.returncode}:\n{done.stderr[-2000:]}")
    result: Mapping[str, Any] = json.loads(done.stdout)
    return result


def _peak() -> float:
    """Return the peak memory of this process in megabytes.

    On Linux it is read from /proc, since the maximum of getrusage is inherited from the parent process.
    """
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024 / 1e6
    except (OSError, StopIteration):
        resource = importlib.import_module("resource")  # not on Windows
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return float(used * (1 if sys.platform == "darwin" else 1024) / 1e6)


def _size(model: Path) -> float:
    """Return the megabytes of a file, or of the files of a folder."""
    files = [path for path in model.rglob("*") if path.is_file()] if model.is_dir() else [model]
    return sum(path.stat().st_size for path in files) / 1e6
