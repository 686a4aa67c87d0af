"""TrainingLog: a file with one line of JSON for every epoch."""

from __future__ import annotations

import json
from pathlib import Path

from tagpool.corpus.whole_file import WholeFile
from tagpool.errors import OutputError
from tagpool.optim.watch import Epoch


class TrainingLog:
    """Written as training goes on, whole lines only, from the first epoch on: a training that never begins leaves no log.

    A disk that is full must not cost the training: what went wrong is kept for :meth:`close`.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._begun = False
        self._failure: OSError | None = None
        if path is not None:
            WholeFile.check(path)

    def add(self, epoch: Epoch, member: str | None = None) -> None:
        """Writes a line, with the name of the member of a pool that the epoch is of."""
        if self.path is None or self._failure is not None:
            return
        try:
            with self.path.open("a" if self._begun else "w", encoding="utf-8") as file:
                of = {} if member is None else {"member": member}
                file.write(json.dumps(of | epoch.to_dict(), ensure_ascii=False) + "\n")
        except OSError as error:
            self._failure = error
        self._begun = True

    def close(self) -> None:
        """Raises the error that writing met."""
        if self._failure is not None:
            raise OutputError(f"{self.path}: the log could not be written: {self._failure.strerror}") from None
