"""Tagging of folders: one local worker, two, two threads of one process, and Ray with two workers. FILES=200 for a quick try."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from table import Row
from tasks import Task
from trained import ours

import tagpool
from tagpool.bridges.ray.engine import Ray
from tagpool.bridges.ray.folders import label_on_ray
from tagpool.tagging.folders.jobs import Job, find_jobs
from tagpool.tagging.folders.local import label_locally
from tagpool.tagging.folders.manifest import Manifest
from tagpool.tagging.folders.run import Engine, FolderRun
from tagpool.tagging.folders.settings import Settings
from tagpool.tagging.folders.worker import FileResult, FileWorker

_FILES = int(os.environ.get("FILES", "2000"))
_SENTENCES = 200  # of a file, about 25 kB
_ROUNDS = 3
_WORKERS = 2


class _Times(NamedTuple):
    """Seconds until the first worker was ready, and the speed after that."""

    start: float
    rate: float  # bytes per second
    total: float


def folders(tasks: list[Task]) -> Iterator[Row]:
    task = tasks[1]
    corpus = task.read("test")
    with tempfile.TemporaryDirectory() as root:
        for suffix in (".conll", ".jsonl"):
            inputs = Path(root) / f"in{suffix}"
            inputs.mkdir()
            for number in range(_FILES):
                first = number * _SENTENCES % max(len(corpus) - _SENTENCES, 1)
                tagpool.write_corpus(corpus[first : first + _SENTENCES], inputs / f"{number}{suffix}")
            yield from _rows(suffix, _measure(inputs, Path(root), task))


def _measure(inputs: Path, root: Path, task: Task) -> dict[str, list[_Times]]:
    columns = ",".join(task.columns) if inputs.suffix == ".conll" else None
    settings = Settings(str(ours(task).path), columns=columns)
    labeller = settings.create_labeller()
    engines: dict[str, tuple[Engine, int]] = {
        "one": (partial(label_locally, settings, labeller, 1), 1),
        "two": (partial(label_locally, settings, labeller, _WORKERS), _WORKERS),
        "threads": (partial(_label_in_threads, settings), _WORKERS),
    }
    if find_spec("ray"):
        engines["ray"] = (partial(label_on_ray, settings, Ray(workers=_WORKERS)), _WORKERS)
    times: dict[str, list[_Times]] = {name: [] for name in engines}
    for number in range(_ROUNDS):
        for name, (engine, workers) in engines.items():
            times[name].append(_run(settings, engine, workers, inputs, root / f"{inputs.suffix}-{name}-{number}"))
    return times


def _run(settings: Settings, engine: Engine, workers: int, inputs: Path, output: Path) -> _Times:
    jobs = find_jobs([inputs], output)
    begin = time.perf_counter()
    ready: list[float] = []

    def watched(batches: Iterable[list[Job]]) -> Generator[list[FileResult], None, None]:
        def note_first() -> Iterator[list[Job]]:
            for batch in batches:  # a worker that is ready takes one
                ready.append(time.perf_counter())
                yield batch

        return engine(note_first())

    with Manifest(output, settings.facts()) as manifest:
        summary = FolderRun(manifest, jobs, workers=workers, keep_going=False).label(watched)
    end = begin + summary.seconds
    assert summary.labelled == len(jobs)
    return _Times(ready[0] - begin, sum(job.size for job in jobs) / (end - ready[0]), summary.seconds)


def _label_in_threads(settings: Settings, batches: Iterable[list[Job]]) -> Generator[list[FileResult], None, None]:
    """Label with threads that share a model, which tagpool does not do: Python runs one of them at a time."""
    worker = FileWorker(settings)
    with ThreadPoolExecutor(_WORKERS) as pool:
        yield from pool.map(worker.label_files, batches)


def _rows(suffix: str, times: dict[str, list[_Times]]) -> Iterator[Row]:
    rate = {name: max(one.rate for one in several) for name, several in times.items()}
    total = {name: min(one.total for one in several) for name, several in times.items()}
    start = {name: min(one.start for one in several) for name, several in times.items()}
    how = f"best of {_ROUNDS}, in turns; speed after the first worker is ready"
    what = f"{_FILES:,} files ({suffix})"

    def ratio(name: str, other: str) -> str:
        return f"{rate[name] / rate[other]:.2f}×"

    def absolute(name: str) -> str:
        return f"{rate[name] / 1e6:.1f} MB/s, in all {total[name]:.1f} s of which {start[name]:.1f} s until then"

    yield Row(f"{what}: two local workers against one", ratio("two", "one"), f"{how}: {absolute('two')}; {absolute('one')}")
    yield Row(f"{what}: two threads of one process against one worker", ratio("threads", "one"), absolute("threads"))
    if "ray" in rate:
        yield Row(f"{what}: Ray with two workers against two local ones", ratio("ray", "two"), absolute("ray"))
