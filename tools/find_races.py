"""Run the scenarios of race_scenarios.py with ThreadSanitizer, and list the races in tagpool.

    python tools/find_races.py PACKAGE [--short] [--only NAME ...]

PACKAGE is a folder with tagpool built for ThreadSanitizer (make tsan). Each scenario runs in a process of its own, with 2 and
with 4 threads, or with 3 threads if --short. First two planted races must be found; else the check itself is broken. The exit
code is 1 after a race in tagpool or a scenario that fails.

Python and NumPy are not built for ThreadSanitizer, which sees only their locks and calls of the C library. A report without a
function of tagpool in either access is theirs. So are reports of the loader, which frees the thread-local memory of threads
that have ended, after a wait that ThreadSanitizer does not see. Both are counted, and shown with --others.
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

SCENARIOS = Path(__file__).with_name("race_scenarios.py")
PLANTED = "planted_"
SECONDS = 900  # limit of one scenario


@dataclass(frozen=True)
class Outcome:
    """The reports of one run of a scenario: races in tagpool, and others; the output of a failure."""

    races: list[str]
    others: list[str]
    failure: str


def reports_in(log: str) -> list[str]:
    """Split the text of ThreadSanitizer into its reports."""
    parts = re.split(r"^=+$", log, flags=re.MULTILINE)
    return [part.strip() for part in parts if "WARNING: ThreadSanitizer" in part]


def is_in_tagpool(report: str) -> bool:
    """Whether a function of tagpool takes part in a report, except in memory that the loader frees."""
    if "data race" not in report.splitlines()[0]:
        return "_native" in report
    accesses = re.findall(r"^  (?:Previous )?(?:atomic )?(?:read|write) of size .*\n((?:    #.*\n?)*)", report, re.M | re.I)
    is_freed = any(re.search(r"_dl_deallocate_tls|\(ld-linux", stack) for stack in accesses)
    return not is_freed and any("_native" in stack for stack in accesses)


def environment(package: Path, log: Path) -> dict[str, str]:
    """The environment of a scenario: the runtime of ThreadSanitizer comes first, as Python is not linked to it."""
    compiler = os.environ.get("CC", "gcc")
    runtime = subprocess.run([compiler, "-print-file-name=libtsan.so"], capture_output=True, text=True, check=True).stdout.strip()
    return os.environ | {
        "LD_PRELOAD": runtime,
        "PYTHONPATH": str(package),
        "PYTHONMALLOC": "malloc",  # else memory that Python uses again looks like one object
        "OPENBLAS_NUM_THREADS": "1",
        "TSAN_OPTIONS": f"log_path={log} exitcode=0 history_size=4",
    }


def without_random_addresses() -> list[str]:
    """Return a prefix for commands: older runtimes do not start where the system places memory too randomly."""
    prefix = ["setarch", "--addr-no-randomize"]
    if shutil.which("setarch") and subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode == 0:
        return prefix
    return []


def run(name: str, threads: int, package: Path) -> Outcome:
    """Run one scenario and read its reports."""
    with tempfile.TemporaryDirectory() as folder:
        command = [*without_random_addresses(), sys.executable, str(SCENARIOS), name, str(threads)]
        variables = environment(package.resolve(), Path(folder) / "log")
        done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=SECONDS, check=False)
        log = "".join(path.read_text(errors="replace") for path in sorted(Path(folder).glob("log.*")))
    reports = reports_in(log)
    failure = f"{done.stdout}{done.stderr}" if done.returncode else ""
    return Outcome(list(filter(is_in_tagpool, reports)), list(itertools.filterfalse(is_in_tagpool, reports)), failure)


def scenario_names() -> list[str]:
    """Return the names in race_scenarios.py, planted races first."""
    return re.findall(r"^@scenario\ndef (\w+)", SCENARIOS.read_text(), re.MULTILINE)


def check(name: str, threads: int, package: Path, show_others: bool) -> bool:
    """Run a scenario and print its result; return whether it is as it must be."""
    begin = time.monotonic()
    outcome = run(name, threads, package)
    planted = name.startswith(PLANTED)
    races, others = len(outcome.races), f", {len(outcome.others)} reports outside tagpool" if outcome.others else ""
    print(f"{name}, {threads} threads: {races} races{others} ({time.monotonic() - begin:.0f} s)", flush=True)
    if outcome.failure:
        print(f"the scenario failed:\n{outcome.failure}")
    elif planted and not races:
        print("the planted race was not found: ThreadSanitizer does not work here")
    for report in (*(() if planted else outcome.races), *(outcome.others if show_others else ())):
        print(f"{report}\n")
    return not outcome.failure and bool(races) == planted


def main() -> int:
    """Run all scenarios, or some."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", type=Path)
    parser.add_argument("--short", action="store_true", help="each scenario once, with 3 threads")
    parser.add_argument("--others", action="store_true", help="show reports outside tagpool")
    parser.add_argument("--only", nargs="*", default=[], help="names of scenarios")
    arguments = parser.parse_args()
    names = scenario_names()
    if unknown := set(arguments.only) - set(names):
        parser.error(f"unknown scenario {', '.join(sorted(unknown))}; the scenarios are {', '.join(names)}")
    chosen = [name for name in names if not arguments.only or name in arguments.only or name.startswith(PLANTED)]
    runs = [(name, threads) for name in chosen for threads in ((3,) if arguments.short else (2, 4))]
    failed = [
        f"{name} ({threads} threads)" for name, threads in runs if not check(name, threads, arguments.package, arguments.others)
    ]
    print(f"failed: {', '.join(failed)}" if failed else f"{len(chosen)} scenarios: no race in tagpool; planted races were found")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
