"""Tagger: labels sequences with a model file of CRFsuite."""

from __future__ import annotations

import os

from tagpool import _native
from tagpool.compat.pycrfsuite.errors import ClosedError, FeatureError, LabelError
from tagpool.compat.pycrfsuite.items import as_int, unwrap
from tagpool.errors import InputError, ModelError, OutOfMemoryError
from tagpool.lazy import TYPE_CHECKING
from tagpool.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from tagpool.compat.pycrfsuite.dump import ParsedDump

_TAGGING = "not enough memory to tag the sequence"


class Tagger:
    """Predict labels and their probabilities with a model that CRFsuite, python-crfsuite or tagpool has trained.

    ``with tagger.open(path):`` closes it at the end. Use one tagger per thread: it stores the current sequence.
    """

    # Defaults of the class, since a subclass may replace __init__.
    _model: _native.CrfsuiteTagger | None = None
    _source: str | None = None
    _numbers: dict[str, int] = {}  # noqa: RUF012 - replaced, never changed

    def open(self, name: str | bytes | os.PathLike[str], *, mmap: bool = False) -> Opened:
        """Open a model file, which is copied into memory.

        With ``mmap`` (not in python-crfsuite) it is mapped instead, so that processes share the memory. It must then stay
        unchanged: a modified file changes the labels, and a truncated one ends the process (SIGBUS).
        """
        path = os.fsdecode(name)
        with open(path, "rb"):  # noqa: PTH123 - raises the system's errors; importing pathlib is slow
            pass
        return self._open(lambda file: _native.CrfsuiteTagger.open(file, mmap), path, path)

    def open_inmemory(self, value: bytes) -> Opened:
        """Open a model from the bytes of a file."""
        if not isinstance(value, bytes):
            raise FeatureError(f"expected a model as bytes, got {type(value).__name__}")
        return self._open(_native.CrfsuiteTagger.read, value, None)

    def _open(self, read: Any, content: str | bytes, source: str | None) -> Opened:
        try:
            self._model = read(content)
        except _native.InputFault as fault:
            raise ModelError(str(fault.args[0]), source=source) from None
        except MemoryError:
            raise OutOfMemoryError(f"not enough memory to open {source or 'the model'}") from None
        self._source, self._numbers = source, {}
        return Opened(self)

    def close(self) -> None:
        """Close the model."""
        self._model = None

    def labels(self) -> list[str]:
        """Return the labels of the model, by number."""
        return self._opened().labels()

    def set(self, xseq: Any) -> None:
        """Set the sequence for ``tag``, ``probability`` and ``marginal``."""
        model = self._opened()
        try:
            model.set(unwrap(xseq))
        except _native.InputFault as fault:
            raise self._error(fault) from None
        except MemoryError:
            raise OutOfMemoryError(_TAGGING) from None

    def tag(self, xseq: Any = None) -> list[str]:
        """Return the best labels of a sequence (default: the one that was set)."""
        model = self._opened()
        try:
            return model.best() if xseq is None else model.tag(unwrap(xseq))
        except _native.InputFault as fault:
            raise self._error(fault) from None
        except MemoryError:
            raise OutOfMemoryError(_TAGGING) from None

    def viterbi(self) -> list[str]:
        """Return the best labels of the sequence that was set."""
        return self.tag()

    def probability(self, yseq: Iterable[str | bytes]) -> float:
        """Return the probability of labels for the sequence that was set; 0 without a sequence."""
        model = self._opened()
        if model.token_count == 0:
            return 0.0
        labels = list(yseq)
        if len(labels) != model.token_count:
            raise InputError(
                f"the numbers of items and labels differ: {counted(model.token_count, 'item')}, {counted(len(labels), 'label')}"
            )
        return model.probability([self._number(label) for label in labels])

    def marginal(self, y: str | bytes, pos: int) -> float:
        """Return the probability of a label at a position (from 0 on) of the sequence that was set; 0 without a sequence."""
        model = self._opened()
        position = as_int(pos, "position")
        if model.token_count == 0:
            return 0.0
        number = self._number(y)
        if not 0 <= position < model.token_count:
            raise InputError(
                f"the position {position} is out of range: the sequence has {counted(model.token_count, 'item')}, from 0 on"
            )
        return model.marginal(number, position)

    def marginals(self) -> list[dict[str, float]]:
        """Return the probability of each label for every item of the sequence that was set. (Not in python-crfsuite.)"""
        return self._opened().marginals()

    def info(self) -> ParsedDump:
        """Return labels, attributes and weights of the model (python-crfsuite rounds the weights)."""
        from tagpool.compat.pycrfsuite.dump import parse_model

        dump: ParsedDump = self._read(parse_model)
        return dump

    def dump(self, filename: str | bytes | os.PathLike[str] | None = None) -> None:
        """Write the contents of the model to a text file (default: standard output)."""
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
        text = text.partition("\0")[0]  # C strings end at a zero byte
        if text not in self._numbers:
            raise LabelError(f"the model has no label {text!r}; it has {', '.join(map(repr, self._numbers))}")
        return self._numbers[text]

    def _error(self, fault: _native.InputFault) -> InputError:
        """Convert a native error. Model files are parsed lazily, so any call may find damage."""
        text = str(fault.args[0])
        return ModelError(text, source=self._source) if text.startswith("damaged") else FeatureError(text)


class Opened:
    """Context manager that closes a tagger."""

    def __init__(self, tagger: Tagger) -> None:
        self._tagger = tagger

    def __enter__(self) -> Tagger:
        return self._tagger

    def __exit__(self, *_: object) -> None:
        self._tagger.close()

    def close(self) -> None:
        """Close the tagger."""
        self._tagger.close()
