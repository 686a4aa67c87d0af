"""Line coverage of the corpora: of native targets with a second build and llvm-cov, of Python targets with coverage.py."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import tagpool
from targets import Target
from toolchain import build, llvm_tool

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "fuzz-coverage"


def measure_lines(compiler: str, targets: list[Target], cache: Path, environment: dict[str, str]) -> dict[str, str]:
    """Return for each target the percentage of lines in its sources that its corpus executes; - if it could not be measured."""
    profdata, cov = llvm_tool(compiler, "llvm-profdata"), llvm_tool(compiler, "llvm-cov")
    if profdata and cov:
        build(compiler, BUILD, "-DTAGPOOL_COVERAGE=ON")
    result = {}
    for target in targets:
        folders = [str(cache / kind / target.name) for kind in ("corpus", "seeds")]
        if target.script is not None:
            lines = _python_lines(target, folders, cache, environment)
        else:
            lines = _native_lines(target, folders, cache, environment, profdata, cov) if profdata and cov else None
        counts = [values for path, values in (lines or {}).items() if path.startswith(target.sources)]
        total = sum(count for count, _ in counts)
        result[target.name] = f"{100 * sum(covered for _, covered in counts) / total:.0f}%" if total else "-"
    return result


Lines = dict[str, tuple[int, int]]
"""Number of lines and number of executed lines of each file, by its path below the root."""


def _native_lines(
    target: Target, folders: list[str], cache: Path, environment: dict[str, str], profdata: str, cov: str
) -> Lines | None:
    raw, merged, program = cache / f"{target.name}.profraw", cache / f"{target.name}.profdata", str(BUILD / target.name)
    variables = {**os.environ, **environment, "LLVM_PROFILE_FILE": str(raw)}
    subprocess.run([program, "-runs=0", *folders], env=variables, capture_output=True, check=False)
    subprocess.run([profdata, "merge", "-sparse", str(raw), "-o", str(merged)], capture_output=True, check=False)
    command = [cov, "export", "-summary-only", program, f"-instr-profile={merged}"]
    exported = subprocess.run(command, capture_output=True, text=True, check=False)
    if exported.returncode:
        return None
    files = json.loads(exported.stdout)["data"][0]["files"]
    summaries = {os.path.relpath(os.path.realpath(file["filename"]), ROOT): file["summary"]["lines"] for file in files}
    return {path: (lines["count"], lines["covered"]) for path, lines in summaries.items()}


def _python_lines(target: Target, folders: list[str], cache: Path, environment: dict[str, str]) -> Lines | None:
    data, report = cache / f"{target.name}.coverage", cache / f"{target.name}.coverage.json"
    variables = {**os.environ, **environment, "COVERAGE_FILE": str(data), "TAGPOOL_REPLAY": "1"}
    run = [sys.executable, "-m", "coverage", "run", "--source=tagpool", str(target.script), *folders]
    subprocess.run(run, env=variables, capture_output=True, check=False)
    export = [sys.executable, "-m", "coverage", "json", "-o", str(report)]
    if subprocess.run(export, env=variables, capture_output=True, check=False).returncode:
        return None
    package = Path(tagpool.__file__).parent  # installed anywhere
    return {
        f"src/tagpool/{Path(path).absolute().relative_to(package)}": (lines["num_statements"], lines["covered_lines"])
        for path, lines in ((path, file["summary"]) for path, file in json.loads(report.read_text())["files"].items())
    }
