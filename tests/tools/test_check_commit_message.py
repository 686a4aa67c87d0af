from __future__ import annotations

import runpy
from pathlib import Path

import pytest

PROBLEMS = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "check_commit_message.py"))["problems"]


@pytest.mark.parametrize("message", ["Add a test\n\nIt was missing.", "Pass options as structs", "Use LBFGS\n# comment"])
def test_good_messages(message):
    assert PROBLEMS(message) == []


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ("", "empty"),
        ("Add " + "x" * 70, "74 characters"),
        ("Added a test", "imperative"),
        ("Adds a test", "imperative"),
        ("Adding a test", "imperative"),
        ("The test is new", "imperative"),
        ("add a test", "imperative"),
        ("Add a test.", "period"),
        ("Add a test\nand more", "not blank"),
    ],
)
def test_bad_messages(message, problem):
    assert any(problem in text for text in PROBLEMS(message))
