"""Plain ``tagpool tag`` and ``tagpool train`` without typer: the same results, messages and exit codes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from cli.commands import run, write

from tagpool.cli.quick import parse_arguments

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
        ["train", "--train"],
        ["train", "--help"],
        ["train", "--train", "a", "--model", "m", "--model", "n"],
        ["train", "--train", "a", "--model", "m", "--seed", "one"],
        ["train", "--train", "a", "--model", "m", "--seed", "-1"],
        ["train", "--train", "a", "--model", "m", "--json"],
        ["train", "--train=a", "--model", "m"],
    ],
)
def test_other_arguments_are_left_to_typer(arguments: list[str]) -> None:
    assert parse_arguments(arguments) is None


def test_the_file_is_standard_input_by_default() -> None:
    expected = {"model": "m", "file": "-", "output": "o", "kind": "text"}
    assert parse_arguments(["tag", "--format", "text", "m", "-o", "o"]) == expected


def test_options_of_train_are_repeatable_as_in_typer() -> None:
    arguments = ["train", "--train", "a", "--train", "b", "--dev", "c", "--model", "m", "--set", "learner.l2=2", "--seed", "3"]
    expected = {"train": ["a", "b"], "dev": ["c"], "model": "m", "set_": ["learner.l2=2"], "seed": 3}
    assert parse_arguments(arguments) == expected


def test_trainings_are_those_of_typer(data: Path, tmp_path: Path) -> None:
    train, test = data / "train.conll", data / "test.conll"
    bad = write(tmp_path, "bad.conll", "Ann B-PER\nleft\n\n")
    few = ("--set", "learner.trainer.epochs=2")
    for number, arguments in enumerate(
        [
            ("--train", train, *few),
            ("--train", train, "--train", test, "--dev", test, "--seed", "3", "--threads", "2", *few),
            ("--train", train, "--features", "word[-1..1]", "--learner", "maxent", *few),
            ("--train", bad),
            ("--train", tmp_path / "absent"),
            ("--dev", test),
            ("--train", train, "--learner", "nothing"),
            ("--train", train, "--set", "learner.nothing=1"),
            ("--train", train, "--columns", "a,b,c,d,e,f"),
            ("--train", train, "--threads", "0"),
        ]
    ):
        models = [tmp_path / f"{number}.{name}" for name in ("quick", "typer")]
        quick, slow = (
            run("train", *arguments, "--model", model, *options)
            for model, options in zip(models, [(), ("--tune", "auto")], strict=True)
        )
        assert (quick.returncode, _lines(quick.stderr)) == (slow.returncode, _lines(slow.stderr)), arguments
        assert [model.exists() for model in models] == [quick.returncode == 0] * 2
        if quick.returncode == 0:
            assert models[0].read_bytes() == models[1].read_bytes()


def _lines(text: str) -> list[str]:
    """Return the messages without times and the names of models."""
    return [line.split("  ")[0] for line in text.splitlines()]


def test_training_does_not_import_typer(data: Path, tmp_path: Path) -> None:
    command = "import sys; from tagpool.cli.entry import run; run(); print({'typer', 'rich'} & set(sys.modules))"
    arguments = ["train", "--train", str(data / "test.conll"), "--model", str(tmp_path / "m")]
    done = subprocess.run([sys.executable, "-c", command, *arguments], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"


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


@pytest.mark.parametrize("options", [(), ("--dev", "test.conll")], ids=["without dev", "with dev"])
def test_training_imports_no_numpy(data: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
    command = "import sys; from tagpool.cli.entry import run; run(); print({'typer', 'numpy', 'rich'} & set(sys.modules))"
    arguments = ["train", "--train", "train.conll", *options, "--model", str(tmp_path / "model"), "--set", "learner.l2=1"]
    done = subprocess.run([sys.executable, "-c", command, *arguments], capture_output=True, text=True, check=True, cwd=data)
    assert done.stdout.endswith("set()\n")
    assert (tmp_path / "model").exists()
