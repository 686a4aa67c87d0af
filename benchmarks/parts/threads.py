"""Two threads against one: wall time, meaningful on an idle machine only. The load average is printed.

The results must be the same bits.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from measure import fastest, load_average
from table import Row, speedup
from tasks import Task
from trained import ours

import tagpool
from tagpool.optim.problem import Problem
from tagpool.optim.trainer import Trainer
from tagpool.optim.watch import Watch, Weights


class Clocked(Trainer):
    """Trainer that measures another one, without reading and encoding."""

    def __init__(self, inner: Trainer) -> None:
        self.inner = inner
        self.wall = np.inf

    def _run(self, problem: Problem, watch: Watch) -> Weights:
        begun = time.perf_counter()
        self.weights = self.inner.train(problem, watch)
        self.wall = min(self.wall, time.perf_counter() - begun)
        return self.weights


# Short runs are repeated more often.
_TRAINERS: dict[str, tuple[int, Callable[[], Trainer]]] = {
    "20 iterations of L-BFGS": (3, lambda: tagpool.LBFGS(iterations=20, warm_up=0, tolerance=1e-9)),
    "3 epochs of SGD in mini-batches of 8, the default": (10, lambda: tagpool.SGD(epochs=3)),
    "3 epochs of SGD in mini-batches of 16": (10, lambda: tagpool.SGD(epochs=3, batch=16)),
}


def threads(tasks: list[Task]) -> Iterator[Row]:
    for task in tasks:
        corpus = task.read("train")
        for name, (rounds, make) in _TRAINERS.items():
            clocks = {count: Clocked(make()) for count in (1, 2)}
            for _ in range(rounds):
                for count, clock in clocks.items():
                    tagpool.CRF(task.templates, trainer=clock, threads=count, **task.settings).fit(corpus)
            equal = clocks[1].weights.tobytes() == clocks[2].weights.tobytes()
            yield _row(f"{task.name}: {name}", clocks[1].wall, clocks[2].wall, equal)
        models = {count: tagpool.load(ours(task).path).set_params(threads=count) for count in (1, 2)}
        runs = {str(count): partial(model.predict, corpus) for count, model in models.items()}
        best = fastest(runs, rounds=15)
        equal = models[1].predict(corpus) == models[2].predict(corpus)
        yield _row(f"{task.name}: tagging the training sentences", best["1"].wall, best["2"].wall, equal)


def _row(what: str, one: float, two: float, equal: bool) -> Row:
    return speedup(
        f"{what}: two threads over one",
        one / two,
        f"wall time, minimum of several runs in turn: {one:.3g} s and {two:.3g} s; load average {load_average()}",
        unless="" if equal else "but the results differ",
    )
