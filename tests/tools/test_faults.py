"""Fault injection finds planted mistakes, and none where there were some."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from injection import run_injector

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs LD_PRELOAD")

BAD_OPERATIONS = Path(__file__).with_name("bad_operations.py")


@pytest.mark.parametrize(
    ("operation", "fault", "finding"),
    [
        ("in place", "write", "the old file was replaced by something else"),
        ("temporary", "rename", "a file was left: out/.new"),
        ("ignored", "read EIO", "another result"),
        ("crash", "allocation once", "crash, exit code -6"),
        ("leak", "allocation once", "blocks of memory leaked"),
        ("error", "allocation once", "unexpected error: KeyError"),
        ("open", "write EIO", "files stayed open"),
    ],
)
def test_planted_mistakes_are_found(operation: str, fault: str, finding: str) -> None:
    done = run_injector("--operations", BAD_OPERATIONS, "--only", operation, "--faults", fault)
    assert finding in done.stdout, done.stdout + done.stderr
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("operation", "faults"),
    [
        # After the model was written, the command prints its size.
        ("$ train", ["open", "chmod", "stat"]),
        # The checkpoint is removed after the model was written.
        ("$ train, checkpoint", ["close", "unlink", "lock", "rename"]),
        ("$ convert crfsuite", ["open", "read"]),
        ("$ tag, stdout", ["write"]),
        ("$ tag, stdout, unbuffered", ["write"]),
        ("fit: sgd, two threads", ["thread"]),
        ("save", []),
    ],
)
def test_operations_survive(operation: str, faults: list[str]) -> None:
    done = run_injector("--only", operation, "--faults", *faults)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"| {operation} | 0 |" not in done.stdout
