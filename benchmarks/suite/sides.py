"""The sides of a comparison: each trains from a file, labels a file, and tags from memory, in processes of its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from suite.processes import TAGPOOL, Cost, run, run_module
from suite.task import Task

PEER, DROP_IN, GIVEN = "pycrfsuite", "tagpool.compat.pycrfsuite", "suite.given"


class Side(ABC):
    """A trainer with its settings. ``name`` identifies it in file names and in the JSON file."""

    name: str

    def model(self, task: Task, part: str) -> Path:
        return task.folder / f"{self.name.replace(' ', '-')}-{part}.model"

    def labelled(self, task: Task, part: str, to_label: str) -> Path:
        """Return the file of a part with labels by the model of another part."""
        return self.model(task, part).with_suffix(f".{to_label}")

    @abstractmethod
    def train(self, task: Task, part: str = "train", seed: int = 1) -> Cost:
        """Train from a file to a model."""

    @abstractmethod
    def tag(self, task: Task, part: str, to_label: str) -> Cost:
        """Label the file ``to_label`` with the model of a part."""

    @abstractmethod
    def seconds_from_memory(self, task: Task, rounds: int) -> float:
        """Return the CPU seconds of tagging the test sentences from memory, from words to labels: the minimum of the rounds."""


@dataclass(frozen=True)
class Commands(Side):
    """The commands ``tagpool train`` and ``tagpool tag``, with the defaults apart from ``options``."""

    name: str = "tagpool"
    options: Sequence[str] = ()

    def train(self, task: Task, part: str = "train", seed: int = 1) -> Cost:
        command: list[str | Path] = [TAGPOOL, "train", "--train", task.path(part), "--model", self.model(task, part)]
        if task.has_dev:
            command += ["--dev", task.path("dev")]
        if task.source.named:
            command += ["--columns", ",".join(task.columns)]
        if seed != 1:  # the default
            command += ["--seed", str(seed)]
        return run([*command, *self.options])

    def tag(self, task: Task, part: str, to_label: str) -> Cost:
        output = self.labelled(task, part, to_label)
        return run([TAGPOOL, "tag", self.model(task, part), task.path(to_label), "--output", output])

    def seconds_from_memory(self, task: Task, rounds: int) -> float:
        printed = self.labelled(task, "train", "printed")
        arguments = (self.model(task, "train"), task.path("test"), ",".join(task.columns), str(rounds))
        run_module("our_predictions", *arguments, output=printed)
        return float(printed.read_text())


@dataclass(frozen=True)
class Program(Side):
    """The program of python-crfsuite's tutorial on a module with its calls: itself, the drop-in, or ``suite.given``."""

    name: str
    module: str
    setting: str

    def train(self, task: Task, part: str = "train", seed: int = 1) -> Cost:
        dev = task.path("dev") if task.has_dev else ""
        columns, model = ",".join(task.columns), self.model(task, part)
        printed = model.with_suffix(".library")
        arguments = (self.module, self.setting, columns, task.path(part), model, dev, str(seed))
        cost = run_module("trains", *arguments, output=printed)
        return replace(cost, library=float(printed.read_text()))

    def tag(self, task: Task, part: str, to_label: str) -> Cost:
        return run_module("tags", *self._tagging(task, part, to_label))

    def seconds_from_memory(self, task: Task, rounds: int) -> float:
        printed = self.labelled(task, "train", "printed")
        run_module("tags", *self._tagging(task, "train", "test"), str(rounds), output=printed)
        return float(printed.read_text())

    def _tagging(self, task: Task, part: str, to_label: str) -> tuple[str | Path, ...]:
        output = self.labelled(task, part, to_label)
        return self.module, ",".join(task.columns), self.model(task, part), task.path(to_label), output


def peer(setting: str) -> Program:
    """Return python-crfsuite with a setting."""
    return Program(f"python-crfsuite {setting}", PEER, setting)


def drop_in(setting: str) -> Program:
    """Return the drop-in with the same setting."""
    return Program(f"drop-in {setting}", DROP_IN, setting)
