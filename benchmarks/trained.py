"""Models of both sides, trained from the same files in fresh processes and shared by all parts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pycrfsuite
from measure import Seconds, program_in_fresh_process
from tasks import Task

import tagpool

_ENDLESS = 2**31 - 1  # python-crfsuite's default number of iterations: its own stopping rule
_OUR_RUNS = 3


@dataclass(frozen=True)
class TheirTraining:
    """python-crfsuite's L-BFGS with c2=1: ``whole`` from the file to the model, ``training`` without reading and features."""

    path: Path
    whole: Seconds
    training: float
    peak: int
    losses: list[float]  # after each iteration: the summed loss + c2·|w|²
    seconds: list[float]  # of each iteration, as its log has them
    evaluations: int  # of loss and gradient, by the trials of its line search

    def seconds_until(self, loss: float) -> float:
        """Return the CPU time until the objective reached ``loss``."""
        iterations = next(number for number, item in enumerate(self.losses, 1) if item <= loss)
        return sum(self.seconds[:iterations])


@dataclass(frozen=True)
class OurTraining:
    path: Path
    whole: Seconds
    peak: int


def theirs(task: Task, iterations: int = _ENDLESS) -> TheirTraining:
    """Train once, since it takes minutes; the times are stored next to the model."""
    path = task.path(f"{iterations}.crfsuite")
    cost = path.with_suffix(".json")
    if not cost.exists():
        cost.write_text(json.dumps(_crfsuite_trains(task, path, iterations, "pycrfsuite")))
    return _training(path, json.loads(cost.read_text()))


def by_the_drop_in(task: Task) -> TheirTraining:
    """Train with tagpool.compat.pycrfsuite."""
    path = task.path("drop-in.crfsuite")
    return _training(path, _crfsuite_trains(task, path, _ENDLESS, "tagpool.compat.pycrfsuite"))


def _crfsuite_trains(task: Task, path: Path, iterations: int, module: str) -> dict[str, Any]:
    train = task.path("train.conll")
    return program_in_fresh_process("crfsuite_trains.py", task.kind, train, path, task.titles, str(iterations), module)


def _training(path: Path, found: dict[str, Any]) -> TheirTraining:
    return TheirTraining(
        path,
        Seconds(found["cpu"], found["wall"]),
        found["training"],
        found["peak"],
        found["losses"],
        found["seconds"],
        found["evaluations"],
    )


@cache
def ours(task: Task) -> OurTraining:
    """Train with the default trainer; return the minimum of several runs."""
    path = task.path("model.tagpool")
    what = [task.templates, task.path("train.conll"), path, ",".join(task.columns), json.dumps(dict(task.settings))]
    runs = [program_in_fresh_process("tagpool_trains.py", *what) for _ in range(_OUR_RUNS)]
    cpu, wall, peak = (min(run[name] for run in runs) for name in ("cpu", "wall", "peak"))
    return OurTraining(path, Seconds(cpu, wall), int(peak))


def their_tagger(task: Task) -> pycrfsuite.Tagger:
    tagger = pycrfsuite.Tagger()
    tagger.open(str(theirs(task).path))
    return tagger


@cache
def their_score(task: Task, part: str) -> float:
    """Return the F1 of conlleval in percent."""
    corpus = task.read(part)
    tag = their_tagger(task).tag
    return 100 * tagpool.score(corpus.labels, [tag(features) for features in task.features(corpus)()]).f1


def score_of(path: Path, task: Task, part: str) -> float:
    corpus = task.read(part)
    return 100 * tagpool.score(corpus.labels, tagpool.load(path).predict(corpus)).f1


@cache
def our_score(task: Task, part: str) -> float:
    return score_of(ours(task).path, task, part)
