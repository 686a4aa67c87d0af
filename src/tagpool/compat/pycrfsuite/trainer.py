"""Trainers: from instances and parameters to a model file of CRFsuite."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

from tagpool import _native
from tagpool.compat.pycrfsuite.errors import FeatureError
from tagpool.compat.pycrfsuite.items import as_int, unwrap
from tagpool.compat.pycrfsuite.log import Event, TrainingLog
from tagpool.compat.pycrfsuite.parameters import LBFGS, Parameters
from tagpool.compat.pycrfsuite.training import Receive, Training
from tagpool.corpus.whole_file import WholeFile


class BaseTrainer:
    """Trainer on appended instances; the log goes to ``message``, which prints it if ``verbose``.

    >>> trainer = BaseTrainer("lbfgs", {"c2": 0.5}, verbose=False)
    >>> trainer.get("c2"), trainer.get("max_iterations")
    (0.5, 2147483647)
    """

    def __init__(self, algorithm: str | None = None, params: Mapping[str, Any] | None = None, verbose: bool = True) -> None:
        self.select(LBFGS if algorithm is None else algorithm)
        self._instances = _native.Instances()
        if params is not None:
            self.set_params(params)
        self.verbose = verbose

    def message(self, message: str) -> None:
        """Print a log message; override it to redirect the log."""
        if self.verbose:
            sys.stdout.write(message)

    def append(self, xseq: Any, yseq: Any, group: int = 0) -> None:
        """Add a sequence with one label per item. ``group`` is for holding sequences out."""
        number = as_int(group, "group")
        try:
            self._instances.append(unwrap(xseq), yseq, number)
        except _native.InputFault as fault:
            raise FeatureError(str(fault.args[0])) from None

    def clear(self) -> None:
        """Remove all instances."""
        self._instances = _native.Instances()

    def select(self, algorithm: str, type: str = "crf1d") -> None:  # noqa: A002 - python-crfsuite's name
        """Select lbfgs, l2sgd, ap, pa or arow, with its default parameters; see docs/moving.md."""
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
            if path:
                with WholeFile(path) as file:
                    file.write(content)

        self._train(holdout, write)

    def trained(self, holdout: int = -1) -> bytes:
        """Train and return the model file as bytes. (Not in python-crfsuite.)"""
        models: list[bytes] = []
        self._train(holdout, lambda content: models.append(bytes(content)))
        return models[0]

    def _train(self, holdout: int, receive: Receive) -> None:
        group = as_int(holdout, "holdout group")
        self._before_train()
        Training(self._instances, self._parameters, group, self._report).run(receive)

    def _before_train(self) -> None:
        pass

    def _report(self, event: Event) -> None:
        self.message(event.text)


class Trainer(BaseTrainer):
    """A trainer with a structured log, ``logparser``, and methods that are called during training if it is ``verbose``.

    Override ``on_iteration(log, info)`` and the others to follow it: ``log`` is a text, ``info`` has the values of an iteration.
    """

    logparser: TrainingLog | None = None
    _event: Event | None = None

    def message(self, message: str) -> None:
        """Call the method for the current event if the trainer is ``verbose``."""
        event = self._event
        if not self.verbose or event is None:
            return
        more = {"featgen_progress": event.values.get("featgen_percent"), "iteration": event.values}
        arguments = [more[event.name]] if event.name in more else []
        getattr(self, f"on_{event.name}")(event.text, *arguments)

    def _before_train(self) -> None:
        self.logparser = TrainingLog()

    def _report(self, event: Event) -> None:
        if self.logparser is None:  # a subclass may override _before_train
            self.logparser = TrainingLog()
        self.logparser.add(event)
        self._event = event
        super()._report(event)

    def on_start(self, log: str) -> None:
        """Print the log of an event; training raises an error instead of ``on_prepare_error``."""
        sys.stdout.write(log)

    on_featgen_end = on_prepared = on_prepare_error = on_optimization_end = on_end = on_start

    def on_featgen_progress(self, log: str, percent: int) -> None:
        """Print the progress of feature generation."""
        sys.stdout.write(log)

    def on_iteration(self, log: str, info: dict[str, Any]) -> None:
        """Print the log of an iteration; ``info`` has its values."""
        sys.stdout.write(log)
