"""Options and conventions of all commands: --quiet, --json, exit codes in the help, and NO_COLOR."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli.commands import fail, run, succeed, write
from typer.main import get_command

from tagpool.cli.main import app

WITHOUT_JSON = {"completion", "man"}  # their output is for a shell and for man


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if hasattr(command, "list_commands"):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


COMMANDS = dict(commands(get_command(app)))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_the_common_options(name: str) -> None:
    options = {option for parameter in COMMANDS[name].params for option in parameter.opts}
    assert {"--quiet", "-q"} <= options
    assert ("--json" in options) == (name not in WITHOUT_JSON)
    assert "Exit codes: 0 success, 1 failure, 2 wrong usage or bad input." in COMMANDS[name].epilog


@pytest.mark.parametrize("options", [["--quiet"], ["-q", "--tune", "off"]], ids=["without typer", "with typer"])
def test_training_prints_its_result_only(data: Path, tmp_path: Path, options: list[str]) -> None:
    arguments = ["train", "--train", data / "train.conll", "--model", tmp_path / "m", "--set", "learner.trainer.epochs=2"]
    done = run(*arguments, *options)
    assert (done.returncode, done.stderr) == (0, "")
    assert "written to" in done.stdout
    assert "epoch 1/2" in run(*arguments).stderr


def test_notes_are_muted_and_errors_are_not(tmp_path: Path) -> None:
    gold = write(tmp_path, "gold.conll", "Ann B-PER\nleft O\n\n")
    other = write(tmp_path, "other.conll", "Bob B-PER\nleft O\n\n")
    assert "note: sentence 1" in run("score", gold, other).stderr
    done = run("score", gold, other, "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    assert "no such file" in fail("score", gold, tmp_path / "absent", "--quiet").lower()


def test_losses_of_a_conversion_are_printed(tmp_path: Path) -> None:
    source = write(tmp_path, "a.conll", "Ann NNP B-PER\nleft VBD O\n\n")
    done = run("convert", source, "--columns", "word,pos,label", "-o", tmp_path / "a.txt", "--to", "text", "-q")
    assert done.stderr.startswith("not kept")
    assert "written to" not in done.stderr


def test_configurations_are_json_objects(data: Path, tmp_path: Path) -> None:
    table = json.loads(succeed("config", "crf", "--json"))
    assert table["learner"]["trainer"]["kind"] == "sgd"
    few = ["--features", "word[0]", "--set", "learner.trainer.epochs=1", "--set", "learner.l2=0.25"]
    succeed("train", "--train", data / "train.conll", "--model", tmp_path / "m", *few)
    assert json.loads(succeed("config", tmp_path / "m", "--json"))["learner"]["l2"] == 0.25


def coloured(environment: dict[str, str]) -> bool:
    """Whether the message of an error has colour codes on a terminal."""
    parent, child = pty.openpty()
    base = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    done = subprocess.Popen(
        [sys.executable, "-m", "tagpool", "config", "nothing"],
        stdin=subprocess.DEVNULL,
        stdout=child,
        stderr=child,
        env=base | {"TERM": "xterm-256color"} | environment,
    )
    os.close(child)
    text = b""
    try:
        while piece := os.read(parent, 1 << 16):
            text += piece
    except OSError:  # the command has ended
        pass
    os.close(parent)
    assert done.wait() == 2
    assert b"no such model file" in text
    return b"\x1b[3" in text


def test_no_color_is_respected() -> None:
    assert coloured({})
    assert not coloured({"NO_COLOR": "1"})
    assert coloured({"NO_COLOR": ""})  # an empty value counts as unset: https://no-color.org
