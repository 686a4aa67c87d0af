"""Completion in real shells: the line after the tabulator key."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from cli.commands import succeed
from cli.completing.shells import Shell

import tagpool

ODD = "a'$(touch x)` b.tagpool"
LINES = {
    "tagpool sc": "tagpool score ",
    "tagpool score --js": "tagpool score --json ",
    "tagpool tag mod": "tagpool tag models/",
    "tagpool tag models/n": "tagpool tag models/ner.tagpool ",
    "tagpool inspect a": "tagpool inspect a\\'\\$\\(touch\\ x\\)\\`\\ b.tagpool ",
    "tagpool train --set learner.trainer.kind=lb": "tagpool train --set learner.trainer.kind=lbfgs ",
    "tagpool train --robust case,typ": "tagpool train --robust case,typos ",
    "tagpool train --train tra": "tagpool train --train train.conll ",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "models").mkdir()
    tagpool.CRF("word[0]").fit(tagpool.Corpus.from_lists(word=[["Ann", "left"]], label=[["A", "O"]])).save(
        tmp_path / "models" / "ner.tagpool"
    )
    shutil.copy(tmp_path / "models" / "ner.tagpool", tmp_path / ODD)
    (tmp_path / "models" / "notes.txt").write_text("Ann left.\n")
    (tmp_path / "train.conll").write_text("Ann A\n")
    return tmp_path


@pytest.mark.parametrize("name", ["bash", "zsh"])
def test_lines_are_completed(folder: Path, name: str) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"there is no {name}")
    completed = Shell(name, folder).complete(succeed("completion", name), LINES)
    assert dict(zip(LINES, completed, strict=True)) == LINES
    assert not (folder / "x").exists()  # names of files are not executed


FISH_LINES = {
    "tagpool sc": ["score\tScore predicted labels as conlleval does."],
    "tagpool score --js": ["--json\tPrint JSON."],
    "tagpool tag models/": ["models/ner.tagpool"],
    "tagpool inspect a": [ODD],
    "tagpool train --set learner.trainer.kind=lb": ["learner.trainer.kind=lbfgs"],
    "tagpool train --robust case,typ": ["case,typos"],
    "tagpool train --train tra": ["train.conll"],
    "tagpool tag --use cities=tra": ["cities=train.conll"],
}


@pytest.mark.skipif(shutil.which("fish") is None, reason="there is no fish")
@pytest.mark.parametrize("line", FISH_LINES)
def test_candidates_of_fish(folder: Path, line: str) -> None:
    shell = Shell("fish", folder)
    (folder / "script").write_text(succeed("completion", "fish"))
    command = ["fish", "--no-config", "-c", f"source script; complete -C '{line}'"]
    done = subprocess.run(command, cwd=folder, env=shell.environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == FISH_LINES[line]
