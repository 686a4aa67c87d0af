"""Scores with intervals, by tagpool's own evaluation, for all sides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from suite.task import Task

import tagpool

_DRAWS = 10_000


def scores(task: Task, part: str, labelled: Path, draws: int = _DRAWS) -> dict[str, Any]:
    """Return F1 with its interval and the accuracy, in percent. ``labelled`` has the labels in its last column."""
    gold = task.read(part)
    predicted = tagpool.read_corpus(labelled, columns=(*task.columns, "predicted")).column("predicted")
    found = tagpool.score(gold.labels, predicted, plain=task.source.plain, draws=draws)
    result = {"f1": 100 * found.f1, "accuracy": 100 * found.accuracy}
    if draws:
        result["interval"] = [100 * end for end in found.intervals["f1"]]
    return result
