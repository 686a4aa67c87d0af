"""Let every event of every operation fail; print a table, and fail if there is a finding. ``make faults`` calls this script.

``--most 3`` limits the faults of each operation and kind; they are chosen by seed. See docs/project/fault-injection.md.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import runpy
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from library import build

HERE = Path(__file__).parent
ENVIRONMENT = {"PYTHONHASHSEED": "0", "PYTHONUNBUFFERED": "", "PYTHONFAULTHANDLER": "1"}
MOST_SHOWN = 3  # places of a finding that are printed


def run_operations(names: Sequence[str], inputs: Path, library: Path, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """Run the faults of some operations in one process; return its reports."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "w"
        shutil.copytree(inputs, folder)
        command = [sys.executable, str(HERE / "worker.py"), str(folder), json.dumps(settings), *names]
        environment = os.environ | ENVIRONMENT | {"LD_PRELOAD": str(library)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode or {report["operation"] for report in reports} != {*names}:
        problem = f"the process ended with {done.returncode}, or it tried nothing: {done.stderr[-3000:]}"
        reports.append({"operation": ", ".join(names), "fault": "-", "number": 0, "problems": [problem]})
    faults = sum(bool(report.get("fired")) for report in reports)
    findings = sum(bool(report["problems"]) for report in reports)
    seconds = time.monotonic() - start
    print(f"{'; '.join(names)}: {faults} faults, {findings} findings, {seconds:.0f} s", file=sys.stderr, flush=True)
    return reports


def print_table(reports: list[dict[str, Any]]) -> None:
    """Print the number of faults by operation."""
    faults, errors, findings = Counter[str](), Counter[str](), Counter[str]()
    kinds: dict[str, Counter[str]] = {}
    for report in reports:
        name = report["operation"]
        if report.get("fired"):
            faults[name] += 1
            errors[name] += bool(report.get("error"))
            kinds.setdefault(name, Counter())[report["fault"].split()[0]] += 1
        findings[name] += bool(report["problems"])
    print("| operation | faults | failed | survived | findings | by kind |\n|---|---|---|---|---|---|")
    for name in sorted({report["operation"] for report in reports}, key=str.casefold):
        by_kind = ", ".join(f"{kind} {count}" for kind, count in kinds.get(name, Counter()).items())
        print(f"| {name} | {faults[name]} | {errors[name]} | {faults[name] - errors[name]} | {findings[name]} | {by_kind} |")
    print(f"| all | {faults.total()} | {errors.total()} | {(faults - errors).total()} | {findings.total()} | |")


def print_findings(reports: list[dict[str, Any]]) -> None:
    """Print the findings; equal ones together, with their first places."""
    places: dict[str, list[str]] = {}
    for report in reports:
        for problem in report["problems"]:
            places.setdefault(problem, []).append(f"{report['operation']}, {report['fault']}, number {report['number']}")
    for problem, where in places.items():
        print(f"\n{len(where)} x " + problem.replace("\n", "\n    "))
        print("".join(f"  at {place}\n" for place in where[:MOST_SHOWN]), end="")


def select(names: Iterable[str], only: Sequence[str]) -> list[str]:
    """Return the operations that match one of the patterns; all without patterns."""
    return [name for name in names if not only or any(fnmatchcase(name, pattern) for pattern in only)]


def main() -> int:
    """Run the operations; return 1 if there is a finding."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--most", type=int, help="faults of each operation and kind (default: all)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the choice")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--only", nargs="*", default=[], help="names of operations, or patterns such as fit*")
    parser.add_argument("--faults", nargs="*", default=[], help="names of faults, or their beginnings")
    parser.add_argument("--operations", type=Path, default=HERE / "operations.py", help="file with other operations")
    parser.add_argument("--reports", type=Path, help="file for all results, as JSONL")
    options = parser.parse_args()
    module = runpy.run_path(str(options.operations))
    names = select(module["OPERATIONS"], options.only)
    settings = {"most": options.most, "seed": options.seed, "faults": options.faults, "operations": str(options.operations)}
    start = time.monotonic()
    library = build()
    with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor(options.jobs) as executor:
        inputs = Path(temporary) / "inputs"
        inputs.mkdir()
        module["prepare"](inputs)
        reports: list[dict[str, Any]] = []
        # A short run imports everything once per processor; in a long one each operation is a job.
        parts = [[name] for name in names] if options.most is None else [names[i :: options.jobs] for i in range(options.jobs)]
        for results in executor.map(lambda part: run_operations(part, inputs, library, settings), filter(None, parts)):
            reports += results
            if options.reports:
                options.reports.write_text("".join(json.dumps(report) + "\n" for report in reports))
    print_table(reports)
    print_findings(reports)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"\n{time.monotonic() - start:.0f} s, {seconds.ru_utime + seconds.ru_stime:.0f} s of processor time")
    return 1 if any(report["problems"] for report in reports) else 0


if __name__ == "__main__":
    sys.exit(main())
