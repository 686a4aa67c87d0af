"""TrainingLog: a file with one line of JSON for every epoch."""

from __future__ import annotations

import json
from pathlib import Path

from tagpool.errors import OutputError
from tagpool.optim.watch import Epoch


class TrainingLog:
    """A log that is written during training, from the first epoch on.

    A full disk does not end the training: :meth:`close` raises the error.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._mode = "w"
        self._failure: OSError | None = None

    def add(self, epoch: Epoch, member: str | None = None) -> None:
        """Write a line, with the name of the pool member that is trained."""
        if self.path is None or self._failure is not None:
            return
        fields = ({} if member is None else {"member": member}) | epoch.to_dict()
        try:
            with self.path.open(self._mode, encoding="utf-8") as file:
                file.write(json.dumps(fields, ensure_ascii=False) + "\n")
        except OSError as error:
            self._failure = error
        self._mode = "a"

    def close(self) -> None:
        """Raise the error of writing, if there was one."""
        if self._failure is not None:
            raise OutputError(f"{self.path}: the log could not be written: {self._failure.strerror}") from None
