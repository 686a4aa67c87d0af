"""tagpool's commands on a task, from files to a model, to labels and to a score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from suite.processes import TAGPOOL, Cost, run
from suite.scoring import scores
from suite.task import Task


def train(task: Task, model: Path, *, seed: int, options: Sequence[str] = (), part: str = "train") -> Cost:
    """Train with the defaults, apart from ``options``. Seed 1 is the default and is not given."""
    command: list[str | Path] = [*TAGPOOL, "train", "--train", task.path(part), "--model", model]
    if task.has_dev:
        command += ["--dev", task.path("dev")]
    if task.source.named:
        command += ["--columns", ",".join(task.columns)]
    if seed != 1:
        command += ["--seed", str(seed)]
    return run([*command, *options])


def tag(task: Task, model: Path, part: str) -> tuple[Path, Cost]:
    """Label a part. Return the labelled file and the cost."""
    labelled = model.with_name(f"{model.name}.{part}")
    return labelled, run([*TAGPOOL, "tag", model, task.path(part), "--output", labelled])


def measure(task: Task, *, seed: int, options: Sequence[str] = (), repeat: int = 1, held_out: bool = False) -> dict[str, Any]:
    """Train and score once per repetition: the minimum of the CPU times, and the scores of dev and test.

    A corpus without dev gets its dev score with ``held_out`` from another training, on nine tenths of the sentences.
    """
    model = task.folder / "model.tagpool"
    costs = [train(task, model, seed=seed, options=options) for _ in range(repeat)]
    result: dict[str, Any] = asdict(min(costs, key=lambda cost: cost.cpu)) | {"bytes": model.stat().st_size}
    labelled, cost = tag(task, model, "test")
    result["test"] = scores(task, "test", labelled)
    result["tag"] = asdict(cost)
    if task.has_dev:
        result["dev"] = scores(task, "dev", tag(task, model, "dev")[0], draws=0)
    elif held_out:
        train(task, model, seed=seed, options=options, part="most")
        result["dev"] = scores(task, "rest", tag(task, model, "rest")[0], draws=0)
    return result
