"""Figures of one side on one task: F1, CPU time, peak memory, model size and speed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from suite.processes import Cost, minimum
from suite.scoring import scores
from suite.sides import Program, Side
from suite.task import Task

Figures = dict[str, Any]
_ROUNDS = 3  # of tagging, whose minimum counts


class Store:
    """Figures of python-crfsuite in this run, so that several modes share them; with a file also those of earlier runs."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._figures: dict[str, Figures] = json.loads(path.read_text()) if path and path.exists() else {}
        self.was_read = bool(self._figures)

    def get(self, side: Program, task: Task, part: str) -> Figures | None:
        return self._figures.get(_key(side, task, part))

    def put(self, side: Program, task: Task, part: str, figures: Figures) -> None:
        self._figures[_key(side, task, part)] = figures
        if self._path:
            new = self._path.with_name(f"{self._path.name}.new")
            new.write_text(json.dumps(self._figures, indent=1))
            new.replace(self._path)


def _key(side: Program, task: Task, part: str) -> str:
    size = map(str, sorted(task.tokens.items()))
    return " ".join((task.name, *size, side.module, side.setting, part, version("python-crfsuite")))


def measure(side: Side, task: Task, *, seed: int = 1) -> Figures:
    """Train on all training sentences, and score on dev, if there is one, and on test."""
    cost = side.train(task, seed=seed)
    tagging = minimum(side.tag(task, "train", "test") for _ in range(_ROUNDS))
    figures = {
        **asdict(cost),
        "bytes": side.model(task, "train").stat().st_size,
        "test": scores(task, "test", side.labelled(task, "train", "test")),
        "tag": asdict(tagging),
        "predict": side.seconds_from_memory(task, _ROUNDS),
    }
    if task.has_dev:
        side.tag(task, "train", "dev")
        figures["dev"] = scores(task, "dev", side.labelled(task, "train", "dev"), draws=0)
    return figures


def measure_held_out(side: Side, task: Task, *, seed: int = 1) -> Figures:
    """Train on nine tenths of the training sentences, and score on the rest."""
    cost = side.train(task, "most", seed=seed)
    side.tag(task, "most", "rest")
    return {**asdict(cost), "dev": scores(task, "rest", side.labelled(task, "most", "rest"), draws=0)}


def measure_peer(side: Program, task: Task, store: Store, part: str = "train") -> Figures:
    """Return the figures of the store, or measure and store them."""
    figures = store.get(side, task, part)
    if figures is None:
        figures = {"setting": side.setting, **(measure if part == "train" else measure_held_out)(side, task)}
        store.put(side, task, part, figures)
    return figures


def best_peer(sides: Sequence[Program], task: Task, store: Store) -> tuple[Program, Figures]:
    """Return the side with the best F1 on dev, and its figures.

    Without dev, sides are compared on a tenth of the training sentences, and the best is trained on all of them.
    """
    part = "train" if task.has_dev else "most"
    tried = [(side, measure_peer(side, task, store, part)) for side in sides]
    side, figures = max(tried, key=lambda one: one[1]["dev"]["f1"])
    return side, figures if task.has_dev else {**measure_peer(side, task, store), "dev": figures["dev"]}


def with_minimum(figures: Figures, costs: Sequence[Cost]) -> Figures:
    """Return the figures with the minimum of the costs of all trainings."""
    first = Cost(figures["cpu"], figures["wall"], figures["peak"], figures["library"])
    return {**figures, **asdict(minimum([first, *costs]))}
