"""Checks after a fault: the error is an ordinary one, files are whole, and nothing is left behind."""

from __future__ import annotations

import gc
import os
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from events import Events, Fault
from operation import OLD, Call, Command
from tagpool import TagpoolError

ALLOWED = (MemoryError, OSError, TagpoolError)
WRONG = ("Traceback", "internal error", "Exception ignored", "nanobind", "terminate called")
KEPT = "the model was kept: mv "
NOT_REMOVED = "the checkpoint could not be removed"


@dataclass
class Outcome:
    """The result of a run: events, error and messages."""

    events: int
    fired: int
    result: Any = None
    error: str = ""
    is_allowed: bool = True
    code: int = 0
    messages: str = ""
    printed: Any = b""
    warnings: list[str] = field(default_factory=list)

    def describe_error(self, error: BaseException) -> None:
        """Store an exception as text."""
        self.error = f"{type(error).__name__}: {error}"
        self.is_allowed = isinstance(error, ALLOWED)
        if isinstance(error, SystemExit):
            self.code = error.code if isinstance(error.code, int) else 1
            self.error = f"exit code {self.code}"
            self.is_allowed = self.code in (1, 2)


def files_of(folder: Path) -> dict[str, bytes]:
    """Return the content of all files that an operation may have written, by name."""
    names = [path for part in ("out", "tmp", "home", "here") for path in sorted((folder / part).rglob("*")) if not path.is_dir()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in names}


def restore(folder: Path, operation: Call | Command) -> None:
    """Remove everything that an operation wrote, and write its old output file."""
    for part in ("out", "tmp", "home", "here"):
        for path in (folder / part).iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    if operation.output:
        (folder / "out" / operation.output).write_bytes(OLD)


class Checker:
    """Compares the state after a fault with that after a success."""

    def __init__(self, folder: Path, operation: Call | Command, events: Events) -> None:
        self.folder, self.operation, self.events = folder, operation, events
        self.output = f"out/{operation.output}" if operation.output else None

    def expect(self, success: Outcome) -> Outcome:
        """Store the result of a run without a fault."""
        self.success = success
        self.files = files_of(self.folder)
        if self.output:
            assert self.files[self.output] != OLD
        assert set(self.files) <= {self.output}, sorted(self.files)
        self.remember()
        return success

    def remember(self) -> None:
        """Store what the process has: memory, open files and threads."""
        self.left_files: set[str] = set()  # files that the last run was allowed to leave
        self.blocks, self.last_block = self.events.live_blocks, self.events.last_block
        self.open_files, self.threads = _names("fd"), _names("task")

    def problems(self, outcome: Outcome, fault: Fault) -> list[str]:
        """Return what is wrong after a run."""
        problems = [f"{word!r} in the messages: {outcome.messages[-1500:]}" for word in WRONG if word in outcome.messages]
        if outcome.error:
            problems += self._problems_of_failure(outcome, fault)
        else:
            problems += self._problems_of_success(outcome)
        return problems + self._problems_of_files(outcome, fault)

    def _problems_of_failure(self, outcome: Outcome, fault: Fault) -> list[str]:
        problems = []
        if not outcome.fired or fault.harmless:
            reason = "the fault is harmless" if outcome.fired else "there was no fault"
            problems.append(f"failed although {reason}: {self._text(outcome)}")
        if not outcome.is_allowed or outcome.code not in (0, 1, 2):
            problems.append(f"unexpected error: {self._text(outcome)}")
        if isinstance(self.operation, Command) and "error: " not in outcome.messages:
            problems.append(f"no message: {self._text(outcome)}")
        if isinstance(self.operation, Command) and self.output and "standard output: " in outcome.messages:
            problems.append(f"the message names the wrong file: {self._text(outcome)}")
        return problems

    def _text(self, outcome: Outcome) -> str:
        return f"{outcome.error}\n{outcome.messages[-1500:]}".strip()

    def _problems_of_success(self, outcome: Outcome) -> list[str]:
        problems = []
        if outcome.result != self.success.result:
            problems.append("another result")
        if self.output is None and outcome.printed != self.success.printed:
            problems.append("another output")
        if self.output and self._output() != self.files[self.output]:
            problems.append("another output file")
        return problems

    def _output(self) -> bytes | None:
        path = self.folder / str(self.output)
        return path.read_bytes() if path.exists() else None

    def _problems_of_files(self, outcome: Outcome, fault: Fault) -> list[str]:
        problems = []
        if outcome.error and self.output and self._output() != OLD:
            is_new = self._output() == self.files[self.output]
            problems.append(f"the old file was replaced by {'the result' if is_new else 'something else'}: {self._text(outcome)}")
        if outcome.error and not self.output and not self.success.printed.startswith(outcome.printed):
            problems.append("the output is not the beginning of the right one")
        for name in files_of(self.folder).keys() - {self.output} - self.left_files:
            if self._may_stay(name, outcome, fault):
                self.left_files.add(name)
            else:
                problems.append(f"a file was left: {name}")
        return problems

    def _may_stay(self, name: str, outcome: Outcome, fault: Fault) -> bool:
        """Return whether a failure may leave this file: a result that the message names, or the state of a training."""
        *_, folder, base = Path(name).parts
        is_named = KEPT in outcome.messages and f"/{name} " in outcome.messages
        is_state = folder == self.operation.folder and not base.startswith(".")
        was_not_removable = outcome.fired > 0 and (fault.kind == "unlink" or NOT_REMOVED in outcome.messages)
        return is_named or (is_state and bool(outcome.error)) or was_not_removable

    def leaks(self) -> list[str]:
        """Return what the process has now and did not have at the last call of ``remember``."""
        problems = []
        end = time.monotonic() + 20
        while (more := _names("task") - self.threads) and time.monotonic() < end:
            time.sleep(0.001)  # a thread that was joined in Python ends a moment later
        if more:
            problems.append(f"threads kept running: {sorted(more)}")
        gc.collect()
        if (count := self.events.live_blocks - self.blocks) > 0:
            sizes = [*self.events.blocks_after(self.last_block)]
            problems.append(f"{count} blocks of memory leaked; new blocks have {sizes[:20]} bytes")
        if more := _names("fd") - self.open_files:
            problems.append(f"files stayed open: {sorted(more)}")
        return problems

    def count_warnings(self, outcome: Outcome) -> list[str]:
        """Return a problem unless there was one warning about threads."""
        lines = [*outcome.warnings, *outcome.messages.splitlines()]
        count = sum("threads: " in line and "more could not be started" in line for line in lines)
        return [] if count == 1 else [f"{count} warnings about threads: {lines}"]


def _names(kind: str) -> set[str]:
    return set(os.listdir(f"/proc/self/{kind}"))  # noqa: PTH208 - without the file that pathlib opens
