"""Trainers: from instances and parameters to a model file of CRFsuite."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any, TypeVar

from tagpool import _native
from tagpool.compat.pycrfsuite.errors import BusyError, FeatureError
from tagpool.compat.pycrfsuite.items import as_int, unwrap
from tagpool.compat.pycrfsuite.lbfgs import LbfgsTraining
from tagpool.compat.pycrfsuite.log import TrainLogParser
from tagpool.compat.pycrfsuite.online import EmptyTraining, L2sgdTraining, PathTraining
from tagpool.compat.pycrfsuite.parameters import L2SGD, LBFGS, Parameters
from tagpool.compat.pycrfsuite.training import Log, Receive, Training
from tagpool.corpus.whole_file import WholeFile
from tagpool.errors import MemoryFor

Self = TypeVar("Self", bound="BaseTrainer")


class BaseTrainer:
    """Trainer on appended instances; the log goes to ``message``, which prints it if ``verbose``.

    >>> trainer = BaseTrainer("lbfgs", {"c2": 0.5}, verbose=False)
    >>> trainer.get("c2"), trainer.get("max_iterations")
    (0.5, 2147483647)
    """

    verbose: bool | None = None

    def __new__(cls: type[Self], *_: Any, **__: Any) -> Self:
        """Create a trainer for L-BFGS that works without ``__init__``, which a subclass may replace."""
        trainer = super().__new__(cls)
        trainer._parameters = Parameters(LBFGS)
        trainer._instances = _native.Instances()
        return trainer

    def __init__(self, algorithm: str | None = None, params: Mapping[str, Any] | None = None, verbose: bool = True) -> None:
        if algorithm is not None:
            self.select(algorithm)
        if params is not None:
            self.set_params(params)
        self.verbose = verbose

    def message(self, message: str) -> None:
        """Print a log message; override it to redirect the log."""
        if self.verbose:
            sys.stdout.write(message)

    @MemoryFor("store the sequence")
    def append(self, xseq: Any, yseq: Any, group: int = 0) -> None:
        """Add a sequence with one label per item. ``group`` is for holding sequences out. Not while another thread trains."""
        number = as_int(group, "group")
        try:
            self._instances.append(unwrap(xseq), yseq, number)
        except _native.InputFault as fault:
            text = str(fault.args[0])
            raise (BusyError if text.startswith("a training") else FeatureError)(text) from None

    def clear(self) -> None:
        """Remove all instances."""
        self._instances = _native.Instances()

    def select(self, algorithm: str, type: str = "crf1d") -> None:  # noqa: A002 - python-crfsuite's name
        """Select lbfgs, l2sgd, ap, pa or arow, with its default parameters; see docs/how-to/migrate.md."""
        self._parameters = Parameters(algorithm, type)

    def params(self) -> list[str]:
        """Return the names of the algorithm's parameters."""
        return self._parameters.names()

    def set_params(self, params: Mapping[str, Any]) -> None:
        """Set several parameters."""
        for name, value in params.items():
            self.set(name, value)

    def get_params(self) -> dict[str, Any]:
        """Return all parameters by name."""
        return {name: self.get(name) for name in self.params()}

    def set(self, name: str | bytes, value: Any) -> None:
        """Set a parameter."""
        self._parameters.set(name, value)

    def get(self, name: str | bytes) -> Any:
        """Return the value of a parameter."""
        return self._parameters.get(name)

    def help(self, name: str | bytes) -> str:
        """Return the description of a parameter."""
        return self._parameters.help(name)

    def train(self, model: str | bytes | os.PathLike[str], holdout: int = -1) -> None:
        """Train and write the model to a file (none if the name is empty). The group ``holdout`` is only scored."""
        path = os.fsdecode(model)
        if path:
            WholeFile.check(path)

        def write(content: memoryview) -> None:
            with WholeFile(path) as file:
                file.write(content)

        self._train(holdout, write if path else None)

    def trained(self, holdout: int = -1) -> bytes:
        """Train and return the model file as bytes. (Not in python-crfsuite.)"""
        models: list[bytes] = []
        self._train(holdout, lambda content: models.append(bytes(content)))
        return models[0]

    @MemoryFor("train the model")
    def _train(self, holdout: int, receive: Receive | None) -> None:
        group = as_int(holdout, "holdout group")
        self._before_train()
        instances = self._instances  # clear replaces them
        instances.begin_training()
        try:
            create_training(instances, self._parameters, group, self.message).run(receive)
        finally:
            instances.end_training()

    def _before_train(self) -> None:
        pass


def create_training(instances: _native.Instances, parameters: Parameters, holdout: int, log: Log) -> Training:
    """Return a training by the algorithm of the parameters."""
    kinds: dict[str, type[Training]] = {LBFGS: LbfgsTraining, L2SGD: L2sgdTraining}
    is_empty = all(group == holdout for group in instances.groups())
    kind = EmptyTraining if is_empty else kinds.get(parameters.algorithm, PathTraining)
    return kind(instances, parameters, holdout, log)


class Trainer(BaseTrainer):
    """A trainer with a structured log, ``logparser``, and methods that are called during training if it is ``verbose``.

    Override ``on_iteration(log, info)`` and the others to follow it: ``log`` is a text, ``info`` has the values of an iteration.
    """

    logparser: TrainLogParser | None = None

    def message(self, message: str) -> None:
        """Parse a message, and call the method for the event that it completes if the trainer is ``verbose``."""
        if self.logparser is None:  # a subclass may override _before_train
            self.logparser = TrainLogParser()
        event = self.logparser.feed(message)
        if not self.verbose or event is None:
            return
        more = {"featgen_progress": self.logparser.featgen_percent, "iteration": self.logparser.last_iteration}
        getattr(self, f"on_{event}")(self.logparser.last_log, *([more[event]] if event in more else []))

    def _before_train(self) -> None:
        self.logparser = TrainLogParser()

    def on_start(self, log: str) -> None:
        """Print the log of an event."""
        sys.stdout.write(log)

    on_featgen_end = on_prepared = on_prepare_error = on_optimization_end = on_end = on_start

    def on_featgen_progress(self, log: str, percent: int) -> None:
        """Print the progress of feature generation."""
        sys.stdout.write(log)

    def on_iteration(self, log: str, info: dict[str, Any]) -> None:
        """Print the log of an iteration; ``info`` has its values."""
        sys.stdout.write(log)
