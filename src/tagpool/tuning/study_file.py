"""StudyFile: the trials of a search in a file, so that another process continues it.

The file has the format of Optuna's ``JournalFileBackend``: one line of JSON for every change. In addition, a line that was not
completely written is dropped, and the system releases the lock of a process that was killed.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tagpool.errors import InputError, OutputError

_BEGINNING = b'{"'  # of every line


class StudyFile:
    """An open study file, which no other process may use at the same time."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._logs: list[dict[str, Any]] = []
        self._end = 0  # of the last complete line
        try:
            self._handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except (OSError, ValueError) as error:
            raise OutputError(f"{path}: opening the study failed: {getattr(error, 'strerror', None) or error}") from None
        try:
            self._read()
        except BaseException:
            self.close()
            raise

    def _read(self) -> None:
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(
                "another process uses this study; wait for its end, or choose another file", source=self.path
            ) from None
        try:
            content = self.path.read_bytes()
        except OSError as error:
            raise InputError(f"unreadable: {error.strerror}", source=self.path) from None
        complete, _, rest = content.rpartition(b"\n")
        lines = complete.split(b"\n") if complete else []
        try:
            self._logs = [json.loads(line) for line in lines]
            if not all(isinstance(log, dict) and "op_code" in log for log in self._logs):
                raise ValueError("a line is no change of a study")
            if not rest.startswith(_BEGINNING[: len(rest)]):
                raise ValueError("the last line is no change of a study")
        except (ValueError, RecursionError):
            message = "expected a study that tagpool tune wrote, or a new file; choose another file"
            raise InputError(message, source=self.path) from None
        self._end = len(content) - len(rest)  # a process that was killed while it wrote left a part of a line

    @property
    def is_new(self) -> bool:
        """Whether the file has no study yet."""
        return not self._logs

    def read_logs(self, log_number_from: int) -> Iterable[dict[str, Any]]:
        """Return the changes from a number on; Optuna calls it."""
        return self._logs[log_number_from:]

    def append_logs(self, logs: list[dict[str, Any]]) -> None:
        """Write changes to the disk; Optuna calls it."""
        block = b"".join(json.dumps(log, separators=(",", ":")).encode() + b"\n" for log in logs)
        try:
            os.ftruncate(self._handle, self._end)
            if os.pwrite(self._handle, block, self._end) != len(block):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._handle)
        except OSError as error:
            raise OutputError(f"{self.path}: writing failed: {error.strerror}") from None
        self._end += len(block)
        self._logs += logs

    def close(self) -> None:
        """Close the file, which releases its lock."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
