"""Injector: all faults of one operation."""

from __future__ import annotations

import gc
import itertools
import json
import os
import random
import runpy
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from checks import Checker, restore
from events import FAULTS, KINDS, Events, Fault
from operation import Call, Command
from runs import SECONDS, Runner

REPEAT_EVERY = 8  # allocations: how often the operation is repeated without a fault

# Sends a JSON object to the process that supervises.
Send = Callable[..., None]
Method = Callable[[Sequence[Fault], "tuple[int, int]", Send], None]


class Injector:
    """The faults of one operation, in forks of this process. A JSON object for each of them goes to ``results``.

    ``most`` limits the numbers of each fault (None: all), which ``seed`` chooses.
    """

    def __init__(self, folder: Path, name: str, operation: Call | Command, results: TextIO) -> None:
        self.folder, self.name, self.operation, self.results = folder, name, operation, results
        self.events = Events(folder)
        self.checker = Checker(folder, operation, self.events)
        self.runner = Runner(folder, operation, self.events)
        self.most: int | None = None
        self.seed = 1

    def run(self, faults: Iterable[Fault]) -> None:
        """Try all faults for which the operation has events."""
        restore(self.folder, self.operation)
        outcome = self.runner.run_process(FAULTS[0], 0)
        if outcome.error:
            self.report(FAULTS[0], number=0, problems=[f"without a fault: {outcome.error}\n{outcome.messages}"])
            return
        self.counts = {kind: self.events.count(kind) for kind in KINDS}
        possible = [fault for fault in faults if self.counts[fault.kind]]
        in_process = [fault for fault in possible if self._needs_process(fault)]
        self._supervise(self._loop, [fault for fault in possible if fault not in in_process])
        self._supervise(self._processes, in_process)

    def _needs_process(self, fault: Fault) -> bool:
        """Standard output is flushed when a process ends, and the warning about threads is given once per process."""
        prints = isinstance(self.operation, Command) and self.operation.output is None
        return fault.kind == "thread" or (prints and fault.kind == "write")

    def report(self, fault: Fault, **fields: Any) -> None:
        """Print the result of one number."""
        fields["problems"] = list(dict.fromkeys(fields["problems"]))
        print(json.dumps({"operation": self.name, "fault": fault.name, **fields}), file=self.results, flush=True)

    # The process that supervises --------------------------------------------------------------------------------------------

    def _supervise(self, method: Method, faults: Sequence[Fault]) -> None:
        """Run a method in a fork. After a crash continue behind it: the fork is told the last fault and its number."""
        last, code = (0, 0), 1
        while faults and code != 0:
            last, code = self._collect(method, faults, last)
            text = self.runner.messages.read_text(errors="replace")
            place, number = last
            if code != 0:
                kind = "hang" if code == -signal.SIGALRM else "crash"
                self.report(faults[place], number=number, fired=1, problems=[f"{kind}, exit code {code}: {_shorten(text)}"])
            elif "nanobind: leaked" in text:
                self.report(faults[place], number=number, problems=[f"at the end of the process: {text[-1500:]}"])

    def _collect(self, method: Method, faults: Sequence[Fault], after: tuple[int, int]) -> tuple[tuple[int, int], int]:
        """Run a method in a fork and pass on its reports; return the last fault that it began, and the exit code."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            with os.fdopen(writing, "w") as pipe:
                method(faults, after, lambda **fields: print(json.dumps(fields), file=pipe, flush=True))
            sys.exit(0)  # with nanobind's report of leaks
        os.close(writing)
        last = after
        with os.fdopen(reading) as pipe:
            for line in pipe:
                fields = json.loads(line)
                place = fields.pop("place")
                last = place, fields["number"]
                if "problems" in fields:
                    self.report(faults[place], **fields)
        _, status = os.waitpid(child, 0)
        return last, os.waitstatus_to_exitcode(status)

    # The processes that fail ------------------------------------------------------------------------------------------------

    def _loop(self, faults: Sequence[Fault], after: tuple[int, int], send: Send) -> None:
        """Let each number of each fault fail in this process, and check its state after each."""
        run = self.runner.begin()
        for _ in range(2):  # the first run fills caches
            restore(self.folder, self.operation)
            expected = self.runner.attempt(run, faults[0], 0)
        self.checker.expect(expected)
        gc.freeze()  # garbage collection after each number skips everything that exists now
        for place, fault in _from(faults, after[0]):
            for count, number in enumerate(self._numbers(fault, run)):
                if (place, number) <= after:
                    continue
                signal.alarm(SECONDS)
                send(place=place, number=number)
                if not self._try_number(run, fault, number, lambda **fields: send(place=place, **fields), count):  # noqa: B023
                    break
        gc.unfreeze()

    def _try_number(self, run: Callable[[], Any], fault: Fault, number: int, send: Send, count: int) -> bool:
        """Let one number fail; return whether it was reached."""
        restore(self.folder, self.operation)
        self.checker.remember()
        outcome = self.runner.attempt(run, fault, number)
        problems = self.checker.problems(outcome, fault)
        # Objects stay the same for all numbers, so that a later repetition also finds damage.
        if fault.kind != "allocation" or count % REPEAT_EVERY == 0 or problems or not outcome.fired:
            if not outcome.error or self.operation.folder is None:
                restore(self.folder, self.operation)
            again = self.runner.attempt(self.runner.continued(run), fault, 0)
            problems += [f"repeated: {problem}" for problem in self.checker.problems(again, fault)]
        leaks = self.checker.leaks()
        if leaks:  # an object may keep what it computed; a leak grows each time
            restore(self.folder, self.operation)
            self.checker.remember()
            self.runner.attempt(run, fault, number)
            leaks = self.checker.leaks()
        problems += leaks
        send(number=number, events=outcome.events, fired=outcome.fired, error=outcome.error, problems=problems)
        return outcome.fired > 0

    def _processes(self, faults: Sequence[Fault], after: tuple[int, int], send: Send) -> None:
        """Let each number of each fault fail in a process of its own."""
        restore(self.folder, self.operation)
        self.checker.expect(self.runner.run_process(faults[0], 0))
        for place, fault in _from(faults, after[0]):
            for number in self._numbers(fault, None):
                if (place, number) <= after:
                    continue
                restore(self.folder, self.operation)
                outcome = self.runner.run_process(fault, number)
                problems = self.checker.problems(outcome, fault)
                if fault.kind == "thread" and outcome.fired:
                    problems += self.checker.count_warnings(outcome)
                if outcome.error and self.operation.folder:
                    again = self.runner.run_process(fault, 0, resume=True)
                    problems += [f"repeated: {problem}" for problem in self.checker.problems(again, fault)]
                fields = {"events": outcome.events, "fired": outcome.fired, "error": outcome.error, "problems": problems}
                send(place=place, number=number, **fields)
                if not outcome.fired:
                    break

    # The numbers of events --------------------------------------------------------------------------------------------------

    def _numbers(self, fault: Fault, run: Callable[[], Any] | None) -> Iterable[int]:
        """Return the numbers that fail: all, or a choice. For allocations a choice has one of every call stack."""
        forever = (fault.kind, fault.mode) == ("allocation", "forever")
        if self.most is None and not forever:
            return itertools.count(1)
        generator = random.Random(f"{self.seed} {self.name} {fault.name}")
        if run is not None and fault.kind == "allocation":
            places: dict[int, list[int]] = {}
            for number, stack in enumerate(self._stacks(run, fault), 1):
                places.setdefault(stack, []).append(number)
            numbers = [generator.choice(choices) for choices in places.values()]
        else:
            numbers = [*range(1, self.counts[fault.kind] + 1)]
        return sorted(generator.sample(numbers, len(numbers) if self.most is None else min(self.most, len(numbers))))

    def _stacks(self, run: Callable[[], Any], fault: Fault) -> list[int]:
        """Return hashes of the call stacks of all events."""
        restore(self.folder, self.operation)
        hashes = self.events.record_stacks()
        outcome = self.runner.attempt(run, fault, 0)
        self.events.end_record()
        return hashes[: outcome.events]


def _from(faults: Sequence[Fault], first: int) -> Iterator[tuple[int, Fault]]:
    """Yield the faults with their places, beginning at a place."""
    return itertools.islice(enumerate(faults), first, None)


def _shorten(text: str) -> str:
    """Return the error of the C++ runtime, and the innermost calls of Python."""
    lines = [line.strip() for line in text.splitlines()]
    calls = [line for line in lines if line.startswith("File ")][:3]
    return "\n".join([*[line for line in lines if line and not line.startswith("File ")][:4], *calls])


def inject(folder: Path, names: Iterable[str], settings: dict[str, Any], results: TextIO) -> None:
    """Run the faults of some operations that the settings select."""
    operations, selected = runpy.run_path(settings["operations"])["OPERATIONS"], settings["faults"]
    for name in names:
        injector = Injector(folder, name, operations[name], results)
        injector.most, injector.seed = settings["most"], settings["seed"]
        injector.run(fault for fault in FAULTS if not selected or any(fault.name.startswith(one) for one in selected))
