"""Tagger: labels sequences with a model file of CRFsuite's."""

from __future__ import annotations

import os

from tagpool import _native
from tagpool.compat.pycrfsuite.errors import ClosedError, FeatureError, LabelError
from tagpool.compat.pycrfsuite.items import given, whole
from tagpool.errors import InputError, ModelError
from tagpool.lazy import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from tagpool.compat.pycrfsuite.dump import ParsedDump


class Tagger:
    """Predicts labels, and how probable they are, by a model that CRFsuite, python-crfsuite or tagpool has trained.

    ``with tagger.open(path):`` closes it at the end. Threads need a tagger each: it remembers the sequence it was given last.
    """

    def __init__(self) -> None:
        self._model: _native.CrfsuiteTagger | None = None
        self._source: str | None = None
        self._numbers: dict[str, int] = {}

    def open(self, name: str | bytes | os.PathLike[str]) -> Opened:
        """Opens a model file."""
        path = os.fsdecode(name)
        with open(path, "rb"):  # noqa: PTH123 - the system's own errors; importing pathlib takes longer than the rest of opening
            pass
        try:
            self._model = _native.CrfsuiteTagger.open(path)
        except _native.InputFault as fault:
            raise ModelError(str(fault.args[0]), source=path) from None
        self._source = path
        self._numbers = {}
        return Opened(self)

    def open_inmemory(self, value: bytes) -> Opened:
        """Opens a model that is the content of a file."""
        if not isinstance(value, bytes):
            raise FeatureError(f"expected a model as bytes, got {type(value).__name__}")
        try:
            self._model = _native.CrfsuiteTagger.read(value)
        except _native.InputFault as fault:
            raise ModelError(str(fault.args[0])) from None
        self._source = None
        self._numbers = {}
        return Opened(self)

    def close(self) -> None:
        """Closes the model."""
        self._model = None

    def labels(self) -> list[str]:
        """The labels of the model, by number."""
        return self._opened().labels()

    def set(self, xseq: Any) -> None:
        """Takes a sequence, for ``tag``, ``probability`` and ``marginal``."""
        model = self._opened()
        try:
            model.set(given(xseq))
        except _native.InputFault as fault:
            raise self._error(fault) from None

    def tag(self, xseq: Any = None) -> list[str]:
        """The best labels of a sequence, or of the one that was set."""
        model = self._opened()
        try:
            return model.best() if xseq is None else model.tag(given(xseq))
        except _native.InputFault as fault:
            raise self._error(fault) from None

    def viterbi(self) -> list[str]:
        """The best labels of the sequence that was set."""
        return self.tag()

    def probability(self, yseq: Iterable[str | bytes]) -> float:
        """How probable these labels are for the sequence that was set; 0 where none was."""
        model = self._opened()
        if model.token_count == 0:
            return 0.0
        labels = list(yseq)
        if len(labels) != model.token_count:
            raise InputError(f"the numbers of items and labels differ: {model.token_count} items, {len(labels)} labels")
        return model.probability([self._number(label) for label in labels])

    def marginal(self, y: str | bytes, pos: int) -> float:
        """How probable the label is at a position (from 0 on) of the sequence that was set; 0 where none was."""
        model = self._opened()
        place = whole(pos, "position")
        if model.token_count == 0:
            return 0.0
        number = self._number(y)
        if not 0 <= place < model.token_count:
            raise InputError(f"the position {place} is out of range: the sequence has {model.token_count} items, from 0 on")
        return model.marginal(number, place)

    def marginals(self) -> list[dict[str, float]]:
        """How probable each label is, for every item of the sequence that was set: all at once. (Not in python-crfsuite.)"""
        return self._opened().marginals()

    def info(self) -> ParsedDump:
        """What is inside the model: labels, attributes and weights (not rounded, as python-crfsuite's are)."""
        from tagpool.compat.pycrfsuite.dump import parsed

        found: ParsedDump = self._read(parsed)
        return found

    def dump(self, filename: str | bytes | os.PathLike[str] | None = None) -> None:
        """Writes what is inside the model to a text file, or to standard output."""
        from tagpool.compat.pycrfsuite.dump import write_dump

        self._read(write_dump, None if filename is None else os.fsdecode(filename))

    def _read(self, read: Any, *arguments: Any) -> Any:
        model = self._opened()
        try:
            return read(model, *arguments)
        except _native.InputFault as fault:
            raise self._error(fault) from None

    def _opened(self) -> _native.CrfsuiteTagger:
        if self._model is None:
            raise ClosedError("the tagger has no model: call open(path) first")
        return self._model

    def _number(self, label: str | bytes) -> int:
        if not self._numbers:
            self._numbers = {text: number for number, text in enumerate(self._opened().labels())}
        text = label.decode("utf-8", "surrogateescape") if isinstance(label, bytes) else label
        if not isinstance(text, str):
            raise FeatureError(f"expected a label as text, got {label!r}")
        text = text.partition("\0")[0]  # where texts end
        if text not in self._numbers:
            raise LabelError(f"the model has no label {text!r}; it has {', '.join(map(repr, self._numbers))}")
        return self._numbers[text]

    def _error(self, fault: _native.InputFault) -> InputError:
        """Files are read where they are needed, so that damage may be found late."""
        text = str(fault.args[0])
        return ModelError(text, source=self._source) if text.startswith("damaged") else FeatureError(text)


class Opened:
    """Closes a tagger at the end of a ``with`` block."""

    def __init__(self, tagger: Tagger) -> None:
        self._tagger = tagger

    def __enter__(self) -> Tagger:
        return self._tagger

    def __exit__(self, *_: object) -> None:
        self._tagger.close()

    def close(self) -> None:
        """Closes the tagger."""
        self._tagger.close()
