"""The test suites of python-crfsuite and sklearn-crfsuite, as published: each test that passes there passes with the drop-ins."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path
from xml.etree import ElementTree

import pytest
from compat.downloads import FILES, download

# Source distributions with their SHA-256.
SUITES = {
    "python_crfsuite-0.9.12": (
        f"{FILES}/b6/bb/946c0f96b4d3f7916f0558e19245d2248caebb3f470bcffae8fbf8d862e9/python_crfsuite-0.9.12.tar.gz",
        "db37fccc3bd8f0c49c28a7697ca79c89d67b3fd5bf119122866169240ac4c480",
    ),
    "sklearn_crfsuite-0.5.0": (
        f"{FILES}/d7/d4/26211eb22127f8476589e92448273c698f4ac39fce2e300cd0a1f748de98/sklearn_crfsuite-0.5.0.tar.gz",
        "136cb941ff5f7ce62a2c378988d1123ac1037241e73999ae404509a2135078e9",
    ),
}


def run_suite(tests: Path, folder: Path, *options: str) -> dict[str, str]:
    """Run a suite in its own process; return the outcome of each test."""
    report = folder / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", f"--junitxml={report}"]
    command += ["-c", os.devnull, f"--rootdir={tests}", *options, str(tests)]
    paths = [str(Path(__file__).parents[1]), *sys.path]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert report.exists(), done.stdout + done.stderr
    outcomes = {}
    for case in ElementTree.parse(report).iter("testcase"):
        problems = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
        outcomes[f"{case.get('classname')}::{case.get('name')}"] = problems[0] if problems else "passed"
    return outcomes


@pytest.mark.parametrize("name", SUITES)
def test_what_passes_with_the_original_passes_with_the_drop_in(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    with tarfile.open(download(*SUITES[name], request.config.cache.mkdir("suites"))) as archive:
        archive.extractall(tmp_path, filter="data")
    results = []
    for options in ((), ("-p", "compat.redirect")):
        folder = tmp_path / f"run{len(results)}"
        folder.mkdir()
        results.append(run_suite(tmp_path / name / "tests", folder, *options))
    theirs, ours = results
    assert sum(outcome == "passed" for outcome in theirs.values()) >= 40
    assert {test: ours.get(test) for test, outcome in theirs.items() if outcome == "passed" and ours.get(test) != "passed"} == {}
