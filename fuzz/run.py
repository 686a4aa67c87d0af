"""Build and run the fuzz targets; print and store a table; fail if there is a finding.

The corpora are kept in ``.fuzz/corpus`` and grow from run to run. ``make fuzz MINUTES=n`` calls this script.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from coverage_report import measure_lines
from targets import TARGETS, Target
from toolchain import build, find_clang

ROOT = Path(__file__).parents[1]
CACHE = ROOT / ".fuzz"
BUILD = ROOT / "build" / "fuzz"
MOST_FINDINGS = 3  # of a target, before it ends
LIMITS = ["-timeout=25", "-rss_limit_mb=1024"]
ENVIRONMENT = {
    "ASAN_OPTIONS": "quarantine_size_mb=8:detect_leaks=0:malloc_context_size=8:allocator_may_return_null=0",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TAGPOOL_MUTATOR": str(BUILD / "libmodel_mutator.so"),
}


@dataclass
class Result:
    """Counts of a target, and the files of its findings."""

    executions: int = 0
    seconds: float = 0.0
    edges: int = 0
    corpus: int = 0
    findings: list[Path] = field(default_factory=list)
    failure: str = ""  # output of a target that did not run
    lines: str = "-"


def command(target: Target) -> list[str]:
    """Return the command of a target without arguments."""
    return [str(BUILD / target.name)] if target.script is None else [sys.executable, str(target.script)]


def largest(expression: str, text: str) -> int:
    """Return the largest number that a regular expression finds; 0 without a match."""
    return max(map(int, re.findall(expression, text)), default=0)


def run_target(target: Target, seconds: float) -> Result:
    """Run a target, and start it again after a finding while time remains."""
    result = Result()
    corpus, findings = CACHE / "corpus" / target.name, CACHE / "findings" / target.name
    for folder in (corpus, findings):
        folder.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 1 and len(result.findings) < MOST_FINDINGS:
        before = set(findings.iterdir())
        arguments = [f"-max_total_time={int(left)}", f"-max_len={target.max_size}", f"-artifact_prefix={findings}/", *LIMITS]
        arguments += ["-print_final_stats=1", *([f"-dict={target.dictionary_path}"] if target.dictionary_path else [])]
        start = time.monotonic()
        log = CACHE / f"{target.name}.log"
        with log.open("wb") as file:
            inputs = [str(corpus), str(CACHE / "seeds" / target.name)]
            process = subprocess.run(
                [*command(target), *arguments, *inputs], stdout=file, stderr=file, check=False, env={**os.environ, **ENVIRONMENT}
            )
        output = log.read_text(errors="replace")
        result.seconds += time.monotonic() - start
        result.executions += largest(r"number_of_executed_units:\s*(\d+)", output)
        result.edges = max(result.edges, largest(r"cov: (\d+)", output))
        new = [path for path in set(findings.iterdir()) - before if not path.name.startswith("slow-unit")]
        result.findings += new
        if process.returncode and not new:
            result.failure = output[-3000:]
            break
    result.corpus = len(list(corpus.iterdir()))
    return result


def format_table(results: dict[str, Result]) -> str:
    """Return the results as a table in Markdown."""
    rows = [("target", "executions", "executions/s", "edges", "line coverage", "corpus", "findings")]
    rows.append(("---", "--:", "--:", "--:", "--:", "--:", "--:"))
    for name, result in results.items():
        speed = result.executions / result.seconds if result.seconds else 0
        counts = (f"{result.executions:,}", f"{speed:,.0f}", f"{result.edges:,}", result.lines, f"{result.corpus:,}")
        rows.append((name, *counts, str(len(result.findings))))
    total = sum(result.executions for result in results.values())
    rows.append(("total", f"{total:,}", "", "", "", "", str(sum(len(result.findings) for result in results.values()))))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "".join("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |\n" for row in rows)


def report_findings(results: dict[str, Result]) -> bool:
    """Print how to repeat each finding; return whether there are any."""
    environment = " ".join(f"{name}={value}" for name, value in ENVIRONMENT.items())
    for target in TARGETS:
        result = results.get(target.name, Result())
        for path in result.findings:
            print(f"\nfinding of {target.name}: {path.relative_to(ROOT)}; run it again:")
            print(f"  {environment} {shlex.join(command(target))} {path.relative_to(ROOT)}")
        if result.failure:
            print(f"\n{target.name} did not run:\n{result.failure}")
    return any(result.findings or result.failure for result in results.values())


def parse_arguments() -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, required=True, help="time of all targets together, on all cores")
    parser.add_argument("--targets", nargs="*", default=[], help="some targets (default: all)")
    parser.add_argument("--coverage", action="store_true", help="also measure line coverage, which takes minutes")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time (default: all cores)")
    return parser.parse_args()


def main() -> int:
    """Build, run and report."""
    options = parse_arguments()
    names = {target.name for target in TARGETS}
    if unknown := set(options.targets) - names:
        print(f"unknown targets {', '.join(sorted(unknown))}; expected some of {', '.join(sorted(names))}")
        return 2
    targets = [target for target in TARGETS if not options.targets or target.name in options.targets]
    compiler = find_clang()
    build(compiler, BUILD)
    shutil.rmtree(CACHE / "seeds", ignore_errors=True)
    subprocess.run([sys.executable, str(ROOT / "fuzz" / "seeds.py"), str(CACHE / "seeds")], check=True)
    jobs = min(options.jobs, len(targets))
    unit = options.seconds * jobs / sum(target.share for target in targets)
    with ThreadPoolExecutor(jobs) as pool:
        running = {target.name: pool.submit(run_target, target, unit * target.share) for target in targets}
        results = {name: future.result() for name, future in running.items()}
    if options.coverage:
        for name, lines in measure_lines(compiler, targets, CACHE, ENVIRONMENT).items():
            results[name].lines = lines
    table = format_table(results)
    (CACHE / "report.md").write_text(table)
    print(table + f"\nwritten to {(CACHE / 'report.md').relative_to(ROOT)}")
    return int(report_findings(results))


if __name__ == "__main__":
    sys.exit(main())
