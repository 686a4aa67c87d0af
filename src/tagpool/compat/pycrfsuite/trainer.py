"""Trainers: instances and parameters in, a model file of CRFsuite's out."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

from tagpool import _native
from tagpool.compat.pycrfsuite.errors import FeatureError
from tagpool.compat.pycrfsuite.items import given, whole
from tagpool.compat.pycrfsuite.log import Event, TrainingLog
from tagpool.compat.pycrfsuite.parameters import LBFGS, Parameters
from tagpool.compat.pycrfsuite.training import Receive, Training
from tagpool.corpus.whole_file import WholeFile


class BaseTrainer:
    """Keeps instances, and trains on them; what training says goes to ``message``, which prints it if ``verbose``.

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
        """Receives what training says; to be overridden by those who want it elsewhere."""
        if self.verbose:
            sys.stdout.write(message)

    def append(self, xseq: Any, yseq: Any, group: int = 0) -> None:
        """Adds a sequence with its labels, one an item. ``group`` is for holding sequences out."""
        number = whole(group, "group")
        try:
            self._instances.append(given(xseq), yseq, number)
        except _native.InputFault as fault:
            raise FeatureError(str(fault.args[0])) from None

    def clear(self) -> None:
        """Forgets all instances."""
        self._instances = _native.Instances()

    def select(self, algorithm: str, type: str = "crf1d") -> None:  # noqa: A002 - python-crfsuite's name
        """Chooses lbfgs, l2sgd, ap, pa or arow, with its default parameters (docs/moving.md says what each is here)."""
        self._parameters = Parameters(algorithm, type)

    def params(self) -> list[str]:
        """The names of the algorithm's parameters."""
        return self._parameters.names()

    def set_params(self, params: Mapping[str, Any]) -> None:
        """Sets several parameters."""
        for name, value in params.items():
            self.set(name, value)

    def get_params(self) -> dict[str, Any]:
        """All parameters by name."""
        return {name: self.get(name) for name in self.params()}

    def set(self, name: str | bytes, value: Any) -> None:
        """Sets a parameter."""
        self._parameters.set(name, value)

    def get(self, name: str | bytes) -> Any:
        """The value of a parameter."""
        return self._parameters.get(name)

    def help(self, name: str | bytes) -> str:
        """What a parameter means."""
        return self._parameters.help(name)

    def train(self, model: str | bytes | os.PathLike[str], holdout: int = -1) -> None:
        """Trains, and writes the model to a file, none if the name is empty; the group ``holdout`` is only scored."""
        path = os.fsdecode(model)
        if path:
            WholeFile.check(path)

        def write(content: memoryview) -> None:
            if path:
                with WholeFile(path) as file:
                    file.write(content)

        self._train(holdout, write)

    def trained(self, holdout: int = -1) -> bytes:
        """Trains, and returns the content of the model's file. (Not in python-crfsuite.)"""
        found: list[bytes] = []
        self._train(holdout, lambda content: found.append(bytes(content)))
        return found[0]

    def _train(self, holdout: int, receive: Receive) -> None:
        group = whole(holdout, "holdout group")
        self._before_train()
        Training(self._instances, self._parameters, group, self._tell).run(receive)

    def _before_train(self) -> None:
        pass

    def _tell(self, event: Event) -> None:
        self.message(event.text)


class Trainer(BaseTrainer):
    """A trainer with a structured log, ``logparser``, and methods that are called as training goes on if it is ``verbose``.

    Override ``on_iteration(log, info)`` and its like to follow it: ``log`` is a text, ``info`` what is known of an iteration.
    """

    logparser: TrainingLog | None = None
    _event: Event | None = None

    def message(self, message: str) -> None:
        """Receives what training says, and calls the method for it if the trainer is ``verbose``."""
        event = self._event
        if not self.verbose or event is None:
            return
        hook = getattr(self, f"on_{event.name}")
        if event.name == "featgen_progress":
            hook(event.text, event.found["featgen_percent"])
        elif event.name == "iteration":
            hook(event.text, event.found)
        else:
            hook(event.text)

    def _before_train(self) -> None:
        self.logparser = TrainingLog()

    def _tell(self, event: Event) -> None:
        if self.logparser is None:  # a class may have its own _before_train
            self.logparser = TrainingLog()
        self.logparser.take(event)
        self._event = event
        super()._tell(event)

    def on_start(self, log: str) -> None:
        """Training begins."""
        sys.stdout.write(log)

    def on_featgen_progress(self, log: str, percent: int) -> None:
        """Attributes and labels are being laid out."""
        sys.stdout.write(log)

    def on_featgen_end(self, log: str) -> None:
        """It is known which attributes and labels have weights."""
        sys.stdout.write(log)

    def on_prepared(self, log: str) -> None:
        """The first iteration is about to begin."""
        sys.stdout.write(log)

    def on_prepare_error(self, log: str) -> None:
        """Never called here: what cannot be trained raises an error."""
        sys.stdout.write(log)

    def on_iteration(self, log: str, info: dict[str, Any]) -> None:
        """An iteration has ended."""
        sys.stdout.write(log)

    def on_optimization_end(self, log: str) -> None:
        """The weights are found."""
        sys.stdout.write(log)

    def on_end(self, log: str) -> None:
        """The model is made."""
        sys.stdout.write(log)
