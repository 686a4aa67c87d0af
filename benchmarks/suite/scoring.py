"""Scores with intervals, by tagpool's own evaluation, for all sides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tagpool
from suite.task import Task
from tagpool.evaluation.significance import paired_bootstrap

_DRAWS = 10_000


def scores(task: Task, part: str, labelled: Path, *, draws: int = _DRAWS) -> dict[str, Any]:
    """Return F1 with its interval, and the accuracy, in percent. ``labelled`` has the labels in its last column."""
    score = tagpool.score(task.read(part).labels, _predicted(task, labelled), plain=task.source.plain, draws=draws)
    figures: dict[str, Any] = {"f1": 100 * score.f1, "accuracy": 100 * score.accuracy}
    if draws:
        figures["interval"] = [100 * end for end in score.intervals["f1"]]
    return figures


def difference(task: Task, ours: Path, theirs: Path) -> dict[str, Any]:
    """Return the difference of the F1 on the test sentences with its interval: a paired bootstrap over sentences."""
    gold = task.read("test").labels
    sides = (_predicted(task, path) for path in (theirs, ours))
    paired = paired_bootstrap(gold, *sides, plain=task.source.plain, draws=_DRAWS)
    return {"f1": 100 * paired.difference, "interval": [100 * end for end in paired.interval]}


def _predicted(task: Task, labelled: Path) -> list[list[str]]:
    return tagpool.read_corpus(labelled, columns=(*task.columns, "predicted")).column("predicted")
