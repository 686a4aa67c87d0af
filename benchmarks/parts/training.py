"""From a file to a trained CRF, the memory that takes, and the file that comes out."""

from __future__ import annotations

from collections.abc import Iterator

from table import Row, fraction, speedup
from tasks import Task
from trained import our_score, ours, score_of, their_score, theirs

import tagpool

_ALLOWED = 0.05  # points of F1
_SMALL = {"size": "small"}
_SAVED = ({}, _SMALL, _SMALL | {"names": False})


def training(tasks: list[Task]) -> Iterator[Row]:
    for task in tasks:
        them, us = theirs(task), ours(task)
        settings = ", ".join(f"{name}={value}" for name, value in task.settings.items())
        yield speedup(
            f"{task.name}: file → trained CRF, end to end",
            them.whole.cpu / us.whole.cpu,
            f"whole processes, reading, features and the saved model included; tagpool's default trainer, {settings}, "
            f"minimum of 3: {us.whole}; python-crfsuite's lbfgs, c2=1, {len(them.losses)} iterations, once: {them.whole}",
            unless=_worse(their_score(task, "test"), our_score(task, "test")),
        )
        for part in ("dev", "test"):
            if task.has(part):
                our, their = our_score(task, part), their_score(task, part)
                yield Row(
                    f"{task.name}: {part} F1 of these models: tagpool, python-crfsuite",
                    f"{our:.2f}, {their:.2f}",
                    "as conlleval counts",
                )


def footprint(tasks: list[Task]) -> Iterator[Row]:
    for task in tasks:
        them, us = theirs(task), ours(task)
        yield fraction(
            f"{task.name}: peak memory of training",
            us.peak / them.peak,
            f"the processes above, whole: {us.peak / 2**20:.0f} MB against {them.peak / 2**20:.0f} MB",
        )
        size, f1 = them.path.stat().st_size, their_score(task, "test")
        model = tagpool.load(us.path)
        for options in _SAVED:
            path = task.path("saved.tagpool")
            model.save(path, **options)
            result = score_of(path, task, "test")
            shown = ", ".join(f"{name}={value}" for name, value in options.items()) or "as it is"
            yield fraction(
                f"{task.name}: model file, {shown}",
                path.stat().st_size / size,
                f"{path.stat().st_size / 2**20:.1f} MB, test F1 {result:.2f}; python-crfsuite's {size / 2**20:.1f} MB, {f1:.2f}",
                unless=_worse(f1, result),
            )


def _worse(theirs: float, ours: float) -> str:
    return f"but F1 {theirs - ours:.2f} lower" if theirs - ours > _ALLOWED else ""
