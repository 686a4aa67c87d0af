"""Runner: one run of an operation with a fault, in this process or in a fork."""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import importlib
import io
import json
import os
import runpy
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from checks import Outcome
from events import Events, Fault
from operation import Call, Command

SECONDS = 120  # a fault that takes longer counts as a hang


class Runner:
    """Runs an operation. Its standard error and output go to files that are not watched."""

    def __init__(self, folder: Path, operation: Call | Command, events: Events) -> None:
        self.folder, self.operation, self.events = folder, operation, events
        self.messages, self.printed = folder.parent / "messages", folder.parent / "printed"

    def begin(self) -> Callable[[], Any]:
        """Return the function that runs the operation in this process."""
        if isinstance(self.operation, Call):
            return self.operation.prepare(self.folder)
        arguments = self.expand(self.operation.arguments)
        return lambda: call_command(arguments)

    def continued(self, run: Callable[[], Any]) -> Callable[[], Any]:
        """Return the function that repeats the operation, or that continues it if it left its state."""
        arguments = self.resume_arguments()
        return run if arguments is None else lambda: call_command(arguments)

    def resume_arguments(self) -> list[str] | None:
        """Return the command that continues a training, if it left its state."""
        if not isinstance(self.operation, Command) or self.operation.resume is None:
            return None
        has_state = any((self.folder / "out" / str(self.operation.folder)).glob("*command*"))
        return self.expand(self.operation.resume) if has_state else None

    def expand(self, text: str) -> list[str]:
        """Return arguments with the folders in them."""
        return [part.replace("{in}", f"{self.folder}/in").replace("{out}", f"{self.folder}/out") for part in text.split()]

    @contextlib.contextmanager
    def streams(self) -> Iterator[None]:
        """Redirect the standard streams to files."""
        for target, path in ((1, self.printed), (2, self.messages)):
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
            os.dup2(file, target)
            os.close(file)
        if isinstance(self.operation, Command) and self.operation.stdin:
            file = os.open(self.folder / "in" / self.operation.stdin, os.O_RDONLY)
            os.dup2(file, 0)  # watched as the input file is
            os.close(file)
            sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False))
        yield
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError):
                stream.flush()

    def attempt(self, run: Callable[[], Any], fault: Fault, number: int) -> Outcome:
        """Run the operation in this process; the event with this number fails (0: none)."""
        error = result = None
        with self.streams(), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.events.arm(fault, number)
            try:
                result = run()
            except BaseException as raised:
                error = raised
            finally:
                self.events.disarm()
        texts = [str(one.message) for one in caught]
        outcome = Outcome(self.events.count(fault.kind), self.events.fired, result, warnings=texts)
        if error is not None:
            outcome.describe_error(error)
            traceback.clear_frames(error.__traceback__)
        self.read_streams(outcome)
        del error
        gc.collect()
        return outcome

    def read_streams(self, outcome: Outcome) -> None:
        """Add what the operation printed."""
        outcome.messages, outcome.printed = self.messages.read_text(errors="replace"), self.printed.read_bytes()

    def run_process(self, fault: Fault, number: int, *, resume: bool = False) -> Outcome:
        """Run the operation in a fork, which ends as the process of a user would."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            signal.alarm(SECONDS)
            if isinstance(self.operation, Call):
                self._call(fault, number, writing)
            else:
                self._become_command(self.operation, fault, number, resume=resume)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            data = pipe.read()
        _, status = os.waitpid(child, 0)
        outcome = Outcome(**json.loads(data)) if data else Outcome(self.events.count(fault.kind), self.events.fired)
        self.read_streams(outcome)
        outcome.code = os.waitstatus_to_exitcode(status)
        if outcome.code and not outcome.error:
            outcome.error = f"exit code {outcome.code}"
        return outcome

    def _call(self, fault: Fault, number: int, writing: int) -> None:
        """Run a call in this fork, send the outcome, and end the process."""
        outcome = self.attempt(self.begin(), fault, number)
        outcome.result, outcome.printed = repr(outcome.result), ""
        os.write(writing, json.dumps(dataclasses.asdict(outcome)).encode())
        os._exit(0)

    def _become_command(self, command: Command, fault: Fault, number: int, *, resume: bool) -> None:
        """Run ``python -m tagpool`` in this fork; the fault is armed until the process has ended."""
        arguments = self.resume_arguments() if resume else None
        with self.streams():
            sys.argv = ["tagpool", *(arguments or self.expand(command.arguments))]
        if command.output is None:
            self.events.watch(1)
        if command.unbuffered:
            sys.stdout = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), write_through=True)
        self.events.arm(fault, number)
        runpy.run_module("tagpool", run_name="__main__", alter_sys=True)
        sys.exit(0)


def call_command(arguments: list[str]) -> None:
    """Run a command in this process; a failure raises SystemExit."""
    warnings.resetwarnings()
    try:
        importlib.import_module("tagpool.cli.main").app(arguments)
    except SystemExit as ending:
        if ending.code:
            raise
