"""Checkpoint: a folder with the state of a training, from which a killed training continues and gives the same model.

Every single training has one file. It is a safetensors file with a checksum and holds facts about the training (its data,
parameters and version), the state of the trainer, the log and the best weights; after the training, the result. A file is
replaced only by a complete new one. Reading checks everything: a checkpoint is untrusted input, as a model file is.
"""

from __future__ import annotations

import contextlib
import copy
import json
import os
import time
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tagpool import _native
from tagpool.corpus.files import name_read_errors
from tagpool.corpus.whole_file import WholeFile
from tagpool.errors import InputError, OutputError, check_type
from tagpool.lazy import TYPE_CHECKING, LazyModule

if TYPE_CHECKING:
    import numpy as np
else:
    np = LazyModule("numpy")

try:
    import fcntl
except ImportError:  # not on Windows: there two processes can use one folder
    fcntl = None  # type: ignore[assignment]

FORMAT = "1"
SUFFIX = ".checkpoint"
_LOCK = "lock"


class Checkpoint:
    """Folder with the state of a training, for ``fit(..., checkpoint=...)``.

    The state is written after the first epoch (or iteration) that ends ``every`` seconds or more after the last time. If the
    folder has the state of the same training, ``fit`` continues from it: same sentences, parameters and version of tagpool. The
    result has the same bytes as that of a training without interruption, on processors with the same instruction set. The state
    of another training is an InputError. Only one process can use a folder at a time.

    ``fit`` leaves the files in the folder. Call :meth:`remove` after the model was saved.

    >>> import tempfile
    >>> from tagpool import CRF, builtin_corpus
    >>> checkpoint = Checkpoint(tempfile.mkdtemp(), every=5)
    >>> crf = CRF("word[-1..1]").fit(builtin_corpus(50), checkpoint=checkpoint)
    >>> checkpoint.remove()
    """

    def __init__(self, folder: str | Path, *, every: float = 60.0) -> None:
        check_type(folder, (str, os.PathLike), "the path of a folder")
        self.folder = Path(folder)
        if not isinstance(every, (int, float)) or isinstance(every, bool) or not 0 <= every < float("inf"):
            raise InputError(f"every={every!r}: expected a number of seconds from 0 on")
        self.every = float(every)
        self._name = "training"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
        except (OSError, ValueError) as error:
            message = f"{folder}: the folder is not writable: {getattr(error, 'strerror', None) or error}"
            raise OutputError(message) from None
        self.close: Callable[[], object] = weakref.finalize(self, _close, lock)
        if fcntl is not None:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self.close()
                raise InputError(
                    "another training uses this folder; wait for its end, or choose another", source=folder
                ) from None
            except OSError as error:  # for example, a file system without locks
                self.close()
                raise OutputError(f"{folder}: locking failed: {error.strerror}; choose a folder on another disk") from None
        for path in self.folder.glob(f".*{SUFFIX}.*"):  # temporary files of a killed process
            path.unlink(missing_ok=True)

    @classmethod
    def of(cls, checkpoint: Checkpoint | str | Path | None) -> Checkpoint | None:
        """Return a checkpoint from the argument of ``fit``."""
        return checkpoint if checkpoint is None or isinstance(checkpoint, Checkpoint) else cls(checkpoint)

    def part(self, name: str) -> Checkpoint:
        """Return the checkpoint of one of several trainings, such as that of a member of a pool."""
        part = copy.copy(self)
        part._name = f"{self._name}.{name}"
        return part

    def read_files(self) -> dict[str, bytes]:
        """Return the files of this training and of its parts, by their name after that of the training."""
        with name_read_errors(str(self.folder)):
            paths = [path for path in self.folder.glob(f"*{SUFFIX}") if path.name.startswith(f"{self._name}.")]
            return {path.name.removeprefix(self._name): path.read_bytes() for path in paths}

    def write_files(self, files: Mapping[str, bytes]) -> None:
        """Write files that :meth:`read_files` returned, perhaps in another process."""
        for name, data in files.items():
            with WholeFile(self.folder / f"{self._name}{name}", durable=True) as file:
                file.write(data)

    @property
    def path(self) -> Path:
        """File of this training."""
        return self.folder / f"{self._name}{SUFFIX}"

    def write(self, texts: Mapping[str, str], arrays: Mapping[str, bytes]) -> None:
        """Replace the file by a new one."""
        data = _native.Container.write({"checkpoint": FORMAT, **texts}, dict(arrays))
        with WholeFile(self.path, durable=True) as file:
            file.write(data)

    def read(self) -> _native.Container | None:
        """Return the content of the file; None if it does not exist."""
        if not self.path.exists():
            return None
        with name_read_errors(str(self.path)):
            data = self.path.read_bytes()
        try:
            container = _native.Container.read(data)
        except _native.InputFault as fault:
            raise self.damaged(fault) from None
        if container.text("checkpoint") != FORMAT:
            raise InputError("expected a checkpoint of this version of tagpool; start the training again", source=self.path)
        return container

    def damaged(self, problem: object) -> InputError:
        """Return the error for a file whose content is wrong."""
        text = str(problem.args[0] if isinstance(problem, _native.InputFault) else problem).removeprefix("damaged model: ")
        return InputError(f"damaged checkpoint: {text}; remove this file to repeat this part of the training", source=self.path)

    def remove(self) -> None:
        """Remove the files of the checkpoint, and the folder if it is then empty."""
        try:
            for path in [*self.folder.glob(f"*{SUFFIX}"), self.folder / _LOCK]:
                path.unlink(missing_ok=True)
        except OSError as error:
            message = f"{self.folder}: the checkpoint could not be removed: {error.strerror}; remove this folder"
            raise OutputError(message) from None
        finally:
            self.close()
        with contextlib.suppress(OSError):  # the folder has other files
            self.folder.rmdir()


class TrainingState:
    """The file of one training: reads the state, and writes it when it is due.

    ``facts`` identify the training; a file with other facts is an error. ``pack`` and ``unpack`` convert learned weights.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        facts: Mapping[str, Any],
        pack: Callable[[Any], bytes] | None = None,
        unpack: Callable[[bytes], Any] | None = None,
    ) -> None:
        self.checkpoint = checkpoint
        self.facts = facts
        self.pack = pack or pack_weights
        self.unpack = unpack or unpack_weights
        self._written_at = time.monotonic()
        self._stored = checkpoint.read()
        if self._stored is None:
            self.write({}, {}, {})  # the facts alone: other data is an error from the beginning
        else:
            self._compare(self.json("facts"))

    def part(self, name: str) -> TrainingState:
        """Return the state of a training that precedes this one, with the same data."""
        return TrainingState(self.checkpoint.part(name), self.facts, self.pack, self.unpack)

    def json(self, key: str) -> dict[str, Any]:
        """Return the JSON object of the file with this key."""
        try:
            value = json.loads((self._stored.text(key) if self._stored is not None else None) or "{}")
        except ValueError as error:
            raise self.checkpoint.damaged(error) from None
        if not isinstance(value, dict):
            raise self.checkpoint.damaged(f"{key} is not a JSON object")
        return value

    def block(self, name: str) -> bytes | None:
        """Return an array of bytes of the file; None if it is missing."""
        return None if self._stored is None else self._stored.array(name)

    def is_due(self) -> bool:
        """Return whether it is time to write the state."""
        return time.monotonic() - self._written_at >= self.checkpoint.every

    def write(self, progress: Mapping[str, Any], trainer: Mapping[str, Any], arrays: Mapping[str, bytes]) -> None:
        """Replace the file."""
        values = {"facts": self.facts, "progress": progress, "trainer": trainer}
        self.checkpoint.write({key: json.dumps(value) for key, value in values.items()}, arrays)
        self._written_at = time.monotonic()

    def forget(self) -> None:
        """Free the memory of what was read."""
        self._stored = None

    def _compare(self, stored: Mapping[str, Any]) -> None:
        """Raise an error that names the facts which differ."""
        facts = json.loads(json.dumps(self.facts))
        changes = [_describe_change(key, stored.get(key), facts.get(key)) for key in facts if stored.get(key) != facts[key]]
        if changes:
            advice = "repeat the original training, or start again with another folder"
            message = f"the checkpoint belongs to another training: {'; '.join(changes)}; {advice}"
            raise InputError(message, source=self.checkpoint.path)


def _close(lock: int) -> None:
    with contextlib.suppress(OSError):  # nothing was written to this file
        os.close(lock)


def _describe_change(key: str, before: Any, now: Any) -> str:
    if isinstance(before, dict) and isinstance(now, dict):
        names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
        return ", ".join(f"{name} was {before.get(name)}, is {now.get(name)}" for name in names)
    if key.startswith("content"):
        return f"the {key} differs"
    return f"{key}: was {before}, is {now}"


def pack_weights(weights: Any) -> bytes:
    """Return weights as bytes."""
    return np.ascontiguousarray(weights, np.float32).tobytes()


def unpack_weights(block: bytes) -> Any:
    """Return weights from bytes."""
    return np.frombuffer(block, np.float32).copy()
