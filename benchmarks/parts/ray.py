"""Training on Ray with 1, 2 and 4 workers, against one process: wall time, meaningful on an idle machine only.

The names corpus is repeated COPIES times (default: 8). Every training must have the same bytes. The start of Ray has its own row.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import ray_model
from measure import load_average
from table import Row, fraction, speedup
from tasks import Task

import tagpool
from tagpool.bridges.ray import Ray
from tagpool.corpus.concatenation import concatenate
from tagpool.experts.linear.sharded_training import ShardedProblem
from tagpool.optim.problem import Problem
from tagpool.optim.watch import Watch, Weights

COPIES = int(os.environ.get("COPIES", "8"))
ITERATIONS = int(os.environ.get("ITERATIONS", "60"))
ROUNDS = int(os.environ.get("ROUNDS", "2"))


class Sized(tagpool.LBFGS):
    """L-BFGS that remembers the size of a problem whose sentences are divided among workers."""

    sizes: ClassVar[tuple[int, int, int]] = (0, 0, 0)  # weights, shared weights, parts

    def _run(self, problem: Problem, watch: Watch) -> Weights:
        if isinstance(problem, ShardedProblem):
            weights = problem.shards.weights
            Sized.sizes = weights.weight_count, weights.shared_count, weights.parts
        return super()._run(problem, watch)


@dataclass(frozen=True)
class Run:
    """A training: its time, that until the first step ended, and the model."""

    whole: float
    first: float
    content: bytes

    @property
    def step(self) -> float:
        return (self.whole - self.first) / (ITERATIONS - 1)


def ray(tasks: list[Task]) -> Iterator[Row]:
    task = next(task for task in tasks if task.kind == "ner")
    corpus = concatenate([task.read("train")] * COPIES)
    name = f"{task.name} × {COPIES}, {corpus.token_count:,} tokens, {ITERATIONS} iterations of L-BFGS"
    begun = time.perf_counter()
    with Ray(workers=1).start():
        started = time.perf_counter() - begun
    yield Row("start of Ray on this machine", f"{started:.1f} s", f"load average {load_average()}")
    runs: dict[int, Run] = {}
    for _ in range(ROUNDS):
        for workers in (0, 1, 2, 4):
            run = _train(task, corpus, workers)
            if workers not in runs or run.whole < runs[workers].whole:
                runs[workers] = run
    equal = "the same bytes" if len({run.content for run in runs.values()}) == 1 else "DIFFERENT BYTES"
    for workers, run in runs.items():
        who = ("one process", "1 worker")[workers] if workers < 2 else f"{workers} workers"
        how = f"{run.first:.1f} s to the first step, then {run.step:.3f} s each; {equal}"
        yield Row(f"{name}: {who}", f"{run.whole:.1f} s", how)
    weights, shared, parts = Sized.sizes
    problem = ray_model.Problem(corpus.token_count, weights, shared / weights, parts)
    machine = ray_model.Machine(token=runs[0].step / corpus.token_count)
    moved = f"{problem.bytes_down / 1e6:.1f} MB down, {problem.bytes_up / 1e6:.1f} MB up"
    size = f"{weights:,} weights, {shared:,} shared, {parts} parts: {moved}"
    for workers in (1, 2, 4):
        seconds = ray_model.step(problem, machine, workers, cores=os.cpu_count()).seconds
        measured = f"measured {runs[workers].step:.3f} s; {size}"
        yield Row(f"cost model: a step with {workers} {'worker' if workers == 1 else 'workers'}", f"{seconds:.3f} s", measured)
    yield speedup("two workers against one", runs[1].whole / runs[2].whole, f"steps alone: {runs[1].step / runs[2].step:.2f}×")
    yield fraction(
        "one worker against one process", runs[1].whole / runs[0].whole, f"steps alone: {runs[1].step / runs[0].step:.2f}×"
    )


def _train(task: Task, corpus: tagpool.Corpus, workers: int) -> Run:
    firsts: list[float] = []
    trainer = Sized(warm_up=0, iterations=ITERATIONS, tolerance=1e-12)
    learner = tagpool.CRF(task.templates, trainer=trainer, **task.settings)
    engine = Ray(workers=workers) if workers else None

    def follow(_: tagpool.Epoch) -> None:
        firsts.append(time.perf_counter())

    def fit() -> tuple[float, float]:
        begun = time.perf_counter()
        learner.fit(corpus, on_epoch=follow, engine=engine)
        return begun, time.perf_counter()

    if engine is None:
        begun, end = fit()
    else:
        with engine.start():
            begun, end = fit()
    with tempfile.TemporaryDirectory() as folder:
        learner.save(Path(folder) / "model")
        return Run(end - begun, firsts[0] - begun, (Path(folder) / "model").read_bytes())
