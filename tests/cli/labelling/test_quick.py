"""``tagpool tag`` without typer: the same results, messages and exit codes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from cli.commands import run, write

from tagpool.cli.labelling.quick import parse_arguments

BY_TYPER = ("--threads", "1")  # an option that changes nothing, and that only typer parses


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["train", "a"],
        ["tag"],
        ["tag", "--help"],
        ["tag", "a", "b", "c"],
        ["tag", "a", "-o"],
        ["tag", "a", "-o", "b", "--output", "c"],
        ["tag", "a", "-o", "--nbest"],
        ["tag", "a", "-ob"],
        ["tag", "a", "--output=b"],
        ["tag", "a", "--", "b"],
        ["tag", "a", ""],
        ["tag", "a", "--nbest", "3"],
    ],
)
def test_other_arguments_are_left_to_typer(arguments: list[str]) -> None:
    assert parse_arguments(arguments) is None


def test_the_file_is_standard_input_by_default() -> None:
    expected = {"model": "m", "file": "-", "output": "o", "kind": "text"}
    assert parse_arguments(["tag", "--format", "text", "m", "-o", "o"]) == expected


def test_results_and_errors_are_those_of_typer(data: Path, tmp_path: Path) -> None:
    model, test = data / "ner.tagpool", data / "test.conll"
    bad = write(tmp_path, "bad.conll", "Ann B-PER\nleft\n\n")
    for arguments, stdin in [
        ((model, test), None),
        ((model,), "Ann left\nOslo O\n\n"),
        ((model, "-", "--format", "text"), "Ann Smith moved to Oslo."),
        ((model, "--format", "nothing"), "Ann"),
        ((model, bad), None),
        ((model, tmp_path / "absent"), None),
        ((tmp_path / "absent", test), None),
        ((model, model), None),
        ((test, test), None),
        ((model, tmp_path), None),
        ((model, test, "-o", test), None),
        ((model, test, "-o", tmp_path / "absent" / "out"), None),
    ]:
        quick, slow = run("tag", *arguments, stdin=stdin), run("tag", *arguments, *BY_TYPER, stdin=stdin)
        assert (quick.returncode, quick.stdout, quick.stderr) == (slow.returncode, slow.stdout, slow.stderr), arguments


def test_neither_typer_nor_numpy_is_imported(data: Path, tmp_path: Path) -> None:
    command = "import sys; from tagpool.cli.entry import run; run(); print({'typer', 'numpy', 'rich'} & set(sys.modules))"
    arguments = ["tag", str(data / "ner.tagpool"), str(data / "test.conll"), "-o", str(tmp_path / "out")]
    done = subprocess.run([sys.executable, "-c", command, *arguments], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
    assert (tmp_path / "out").read_text().count("\n") == (data / "test.conll").read_text().count("\n")
