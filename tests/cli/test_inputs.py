"""Input files: folders, patterns and repeated options use all files; an option is never silently ignored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cli.commands import fail, succeed, write
from typer.main import get_command

from tagpool.cli.inputs import expand_files
from tagpool.cli.main import COMMANDS, app
from tagpool.errors import InputError

PARTS = ["Ann B-PER\nleft O\n\n", "Oslo B-LOC\nwins O\n\n", "Rain O\n\nBo B-PER\n\n"]
OPTIONS = ["--features", "word[0]", "--set", "learner.trainer.epochs=2"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "parts").mkdir()
    for number, part in enumerate(PARTS):
        write(tmp_path / "parts", f"{number}.conll", part)
    write(tmp_path / "parts", ".hidden", "bad\n")
    write(tmp_path, "all.conll", "".join(PARTS))
    return tmp_path


def test_training_reads_all_files(folder: Path) -> None:
    parts = folder / "parts"
    repeated = [item for number in range(3) for item in ("--train", parts / f"{number}.conll")]
    shown = {}
    for name, options in {
        "one": ["--train", folder / "all.conll", "--dev", folder / "all.conll"],
        "repeated": [*repeated, *("--dev" if item == "--train" else item for item in repeated)],
        "folder": ["--train", parts, "--dev", parts],
        "pattern": ["--train", f"{parts}/*.conll", "--dev", f"{folder}/**/[0-9].conll"],
    }.items():
        model = folder / f"{name}.tagpool"
        succeed("train", *options, *OPTIONS, "--model", model)
        shown[name] = succeed("tag", model, folder / "all.conll", "--probabilities", "--columns", "word,label")
    assert len(set(shown.values())) == 1


def test_no_files(folder: Path) -> None:
    (folder / "empty").mkdir()
    for path, message in ((folder / "empty", "the folder has no files"), (folder / "*.jsonl", "no file matches this pattern")):
        assert f"{path}: {message}" in fail("train", "--train", path, "--model", folder / "m")
        assert f"{path}: {message}" in fail("train", "--train", folder / "all.conll", "--dev", path, "--model", folder / "m")
    with pytest.raises(InputError, match="no file matches"):
        expand_files([f"{folder}/x[12]"])
    strange = write(folder, "x[12]", PARTS[0])
    assert expand_files(str(strange)) == [str(strange)]


def test_outputs_do_not_replace_expanded_inputs(folder: Path) -> None:
    for option in (folder / "parts", f"{folder}/parts/*.conll"):
        log = ["--set", f"output.log={folder}/parts/1.conll"]
        for output in (["--model", folder / "parts" / "1.conll"], ["--model", folder / "m", *log]):
            assert "this is an input file" in fail("train", "--train", option, *OPTIONS, *output)
    assert (folder / "parts" / "1.conll").read_text() == PARTS[1]


def all_commands() -> list[tuple[list[str], Any]]:
    root: Any = get_command(app)
    commands = []
    for name in COMMANDS:
        command = root.get_command(None, name)
        inner = getattr(command, "commands", None)
        commands += [([name, key], value) for key, value in inner.items()] if inner else [([name], command)]
    return commands


def test_a_repeated_option_is_used_or_an_error() -> None:
    count = 0
    for words, command in all_commands():
        for parameter in command.params:
            if parameter.param_type_name != "option" or parameter.is_flag or parameter.multiple or parameter.name == "help":
                continue
            option = parameter.opts[0]
            assert f"Option {option} is given 2 times; give it once." in fail(*words, option, "1", option, "2")
            count += 1
    assert count > 50
