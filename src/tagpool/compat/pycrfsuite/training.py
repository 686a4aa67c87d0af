"""Training of a CRFsuite model: feature generation, an algorithm, and the model file, with CRFsuite's messages."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from math import inf
from typing import Any

from tagpool import _native
from tagpool.compat.pycrfsuite.errors import CRFSuiteError
from tagpool.compat.pycrfsuite.parameters import Parameters
from tagpool.errors import InputError

Log = Callable[[str], object]
Receive = Callable[[memoryview], object]
NOT_FINITE = "the loss is not finite; check the values of the features and the parameters"


class Training(ABC):
    """One training, from instances to a model file; ``log`` receives CRFsuite's messages one by one."""

    has_any_period = False  # whether a period of 0 means no test

    def __init__(self, instances: _native.Instances, parameters: Parameters, holdout: int, log: Log) -> None:
        self.instances, self.parameters, self.log = instances, parameters, log
        self._check()
        self.group = holdout if holdout in instances.groups() else None
        if holdout >= 0:
            self.write(f"Holdout group: {holdout + 1}", "")
        begun = time.perf_counter()
        self._write_features()
        count = self.prepare()
        for text in (*(str(percent // 10) if percent % 10 == 0 else "." for percent in range(0, 101, 2)), "\n"):
            log(text)
        self.write(f"Number of features: {count}", f"Seconds required: {time.perf_counter() - begun:.3f}", "")
        self.holdout: Any = None
        if self.group is not None:
            from tagpool.compat.pycrfsuite.holdout import Holdout

            self.holdout = Holdout(instances, self.group)

    @abstractmethod
    def prepare(self) -> int:
        """Generate the features; return their number."""

    @abstractmethod
    def learn(self) -> _native.TrainedWeights:
        """Train, write the log, and return the weights."""

    def run(self, receive: Receive | None) -> None:
        """Train and pass the model file to ``receive``, if any; its buffer is valid until ``receive`` returns."""
        self.begun = self.last = time.perf_counter()
        weights = self.learn()
        if not weights.finite():
            raise CRFSuiteError("the weights are not finite; check the values of the features and the parameters")
        self.write(f"Total seconds required for training: {time.perf_counter() - self.begun:.3f}", "")
        if receive is None:
            return
        begun = time.perf_counter()
        self.release()
        labels = len(self.instances.labels())
        self.write(
            "Storing the model",
            f"Number of active features: {weights.active()} ({len(weights)})",
            f"Number of active attributes: {weights.active_attributes()} ({self.instances.attribute_count})",
            f"Number of active labels: {labels} ({labels})",
            "Writing labels",
            "Writing attributes",
            "Writing feature references for transitions",
            "Writing feature references for attributes",
        )
        self.instances.write(weights, receive)
        self.write(f"Seconds required: {time.perf_counter() - begun:.3f}", "")

    def release(self) -> None:
        """Free memory before the model is written."""
        _native.release_memory()

    def write(self, *lines: str) -> None:
        """Write lines to the log, one message each."""
        for line in lines:
            self.log(f"{line}\n")

    def write_iteration_end(self, weights: Callable[[], _native.TrainedWeights]) -> None:
        """Write the time since the last iteration, and the scores on the holdout group."""
        now = time.perf_counter()
        self.write(f"Seconds required for this iteration: {now - self.last:.3f}")
        self.last = now
        if self.holdout:
            for line in self.holdout.lines(weights()):
                self.log(line)
        self.write("")

    def _write_features(self) -> None:
        get = self.parameters.get
        self.write("Feature generation", "type: CRF1d", f"feature.minfreq: {get('feature.minfreq'):f}")
        self.write(*(f"{name}: {get(name):d}" for name in ("feature.possible_states", "feature.possible_transitions")))

    def _check(self) -> None:
        for name in (*self.parameters.names(), "tagpool.threads", "tagpool.seed"):
            value = self.parameters.get(name)
            positive = ("num_memories", "max_linesearch", "tagpool.threads", *(() if self.has_any_period else ("period",)))
            least = int(name in positive)
            if name != "feature.minfreq" and not isinstance(value, (str, bool)) and not least <= value < inf:
                raise InputError(f"{name}={value!r}: expected a finite number from {least} on")
            most = 2 if name == "type" else 2**31 - 1
            if isinstance(value, int) and value > most:
                raise InputError(f"{name}={value!r}: expected a whole number from {least} to {most}")
