"""Parser of the training log: CRFsuite's messages as events and numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple


class LabelScore(NamedTuple):
    """Number of times a label is right, predicted and true; rates are None if it is never predicted and never true."""

    match: int
    model: int
    ref: int
    precision: float | None
    recall: float | None
    f1: float | None


_HEAD = re.compile(r"\*{5} (?:Iteration|Epoch) #(\d+) \*{5}\n")
_SECONDS = re.compile(r"Seconds required: (\d+\.\d+)")
_VALUES: tuple[tuple[str, str, Callable[[str], float]], ...] = (
    ("loss", "Loss", float),
    ("feature_norm", "Feature norm", float),
    ("error_norm", "Error norm", float),
    ("active_features", "Active features", int),
    ("linesearch_trials", "Line search trials", int),
    ("linesearch_step", "Line search step", float),
    ("time", "Seconds required for this iteration", float),
)
_NUMBERS = {
    title: (key, number, re.compile(title + (r": (\d+\.\d+)" if number is float else r": (\d+)")))
    for key, title, number in _VALUES
}
_MEANS = re.compile(r"Macro-average precision, recall, F1: \((\d\.\d+), (\d\.\d+), (\d\.\d+)\)")
_ACCURACY = re.compile(r"(Item|Instance) accuracy: (\d+) / (\d+)")
_SCORE = re.compile(r" {4}(.+): \((\d+), (\d+), (\d+)\) \((\d\.\d+), (\d\.\d+), (\d\.\d+)\)")
_ABSENT = re.compile(r" {4}(.+): \(0, 0, 0\) \(\*{6}, \*{6}, \*{6}\)")


class TrainLogParser:
    """Messages of a training so far.

    ``log`` has the messages, and ``events`` has triples of an event and the range of its messages: start, featgen_progress,
    featgen_end, prepared, prepare_error, iteration, optimization_end and end.

    ``iterations`` has a dict for each: ``num``, ``loss``, ``time``, and ``feature_norm`` (except l2sgd). With L-BFGS it also has
    ``active_features``, ``error_norm``, ``linesearch_trials`` and ``linesearch_step``. With a holdout group it has ``scores`` by
    label, ``avg_precision``, ``avg_recall``, ``avg_f1``, ``item_accuracy`` and ``instance_accuracy``.

    >>> log = TrainLogParser()
    >>> for line in ("Feature generation\\n", "Seconds required: 0.1\\n", "***** Iteration #1 *****\\n", "Loss: 1.5\\n", "\\n"):
    ...     event = log.feed(line)
    >>> event, log.last_iteration["loss"]
    ('iteration', 1.5)
    """

    def __init__(self) -> None:
        self.state: str | None = None
        self.featgen_percent = -2
        self.featgen_num_features: int | None = None
        self.featgen_seconds: float | None = None
        self.training_seconds: float | None = None
        self.storing_seconds: float | None = None
        self.iterations: list[dict[str, Any]] = []
        self.last_iteration: dict[str, Any] | None = None
        self.log: list[str] = []
        self.events: list[tuple[str, int, int]] = []

    def feed(self, line: str) -> str | None:
        """Add a message; return the event that it completes, if any."""
        self.log.append(line)
        if self.state is None:
            self.state = "STARTING"
            self._read_starting(line)
            self.events.append(("start", 0, 1))
            return "start"
        event: str | None = getattr(self, f"_read_{self.state.lower()}")(line)
        if event is not None:
            # The message that begins the next stage completes these two.
            end = len(self.log) - (event in ("prepared", "optimization_end"))
            self.events.append((event, self.events[-1][2], end))
        return event

    @property
    def last_log(self) -> str:
        """Text of the last event."""
        _, start, end = self.events[-1]
        return "".join(self.log[start:end])

    def _read_starting(self, line: str) -> None:
        if line.startswith("Feature generation"):
            self.state = "FEATGEN"

    def _read_featgen(self, line: str) -> str | None:
        if line in "0123456789.10":
            self.featgen_percent += 2
            return "featgen_progress"
        if match := re.match(r"Number of features: (\d+)", line):
            self.featgen_num_features = int(match[1])
        elif match := _SECONDS.match(line):
            self.featgen_seconds = float(match[1])
            self.state = "AFTER_FEATGEN"
            return "featgen_end"
        return None

    def _read_after_featgen(self, line: str) -> str | None:
        if self._begin_iteration(line):
            return "prepared"
        if "terminated with error" in line:
            self.state = "AFTER_ITERATION"
            return "prepare_error"
        return None

    def _begin_iteration(self, line: str) -> bool:
        if match := _HEAD.match(line):
            self.state = "ITERATION"
            self.last_iteration = {"num": int(match[1]), "scores": {}}
            self.iterations.append(self.last_iteration)
        return match is not None

    def _read_iteration(self, line: str) -> str | None:
        if line == "\n":
            self.state = "AFTER_ITERATION"
            return "iteration"
        if not self._begin_iteration(line) and self.last_iteration is not None:
            _read_values(line, self.last_iteration)
        return None

    def _read_after_iteration(self, line: str) -> str | None:
        if self._begin_iteration(line):
            return None
        if match := re.match(r"Total seconds required for training: (\d+\.\d+)", line):
            self.training_seconds = float(match[1])
        if line.startswith("Storing the model"):
            self.state = "STORING"
            return "optimization_end"
        return None

    def _read_storing(self, line: str) -> str | None:
        if match := _SECONDS.match(line):
            self.storing_seconds = float(match[1])
        return "end" if line == "\n" else None


def _read_values(line: str, values: dict[str, Any]) -> None:
    """Add the numbers of a line of an iteration."""
    title = line.partition(":")[0]
    if title in _NUMBERS:
        key, number, pattern = _NUMBERS[title]
        if match := pattern.match(line):
            values[key] = number(match[1])
    elif match := _MEANS.match(line):
        values |= zip(("avg_precision", "avg_recall", "avg_f1"), map(float, match.groups()), strict=True)
    elif match := _ACCURACY.match(line):
        name, accuracy = f"{match[1].lower()}_accuracy", Fraction(int(match[2]), int(match[3]))
        values |= {name: accuracy, f"{name}_float": float(accuracy)}
    elif match := _SCORE.match(line):
        values["scores"][match[1]] = LabelScore(*map(int, match.groups()[1:4]), *map(float, match.groups()[4:]))
    elif match := _ABSENT.match(line):
        values["scores"][match[1]] = LabelScore(0, 0, 0, None, None, None)
