"""Manual pages: the pages of all commands, from their help, in valid man(7)."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from cli.commands import fail, run, succeed
from cli.test_quiet import COMMANDS


def test_every_command_has_a_page(tmp_path: Path) -> None:
    done = run("man", "--output", tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    pages = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert pages.keys() >= {f"tagpool-{name.replace(' ', '-')}.1" for name in COMMANDS} | {"tagpool.1", "tagpool-pool.1"}
    for name, command in COMMANDS.items():
        text = pages[f"tagpool-{name.replace(' ', '-')}.1"].replace("\\-", "-")
        for parameter in command.params:
            is_shown = parameter.param_type_name == "option" and not parameter.hidden
            assert not is_shown or parameter.opts[0] in text
    assert succeed("man", "pool", "fit") == pages["tagpool-pool-fit.1"]
    assert "tagpool\\-train" in succeed("man")


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="there is no mandoc")
def test_pages_are_valid(tmp_path: Path) -> None:
    succeed("man", "-o", tmp_path)
    done = subprocess.run(
        ["mandoc", "-T", "lint", "-W", "warning", *tmp_path.iterdir()], capture_output=True, text=True, check=False
    )
    problems = [line for line in done.stdout.splitlines() if "missing date" not in line]  # the same bytes on every day
    assert problems == []


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="there is no mandoc")
def test_text_is_displayed_as_it_is(tmp_path: Path) -> None:
    page = tmp_path / "page.1"
    page.write_text(succeed("man", "tag"))
    done = subprocess.run(["mandoc", "-T", "utf8", "-O", "width=200", str(page)], capture_output=True, text=True, check=True)
    shown = re.sub(".\b", "", done.stdout)  # bold letters are written twice
    assert """by an object {"line": 3, "error": "..."} (JSONL)""" in shown
    assert "tagpool tag ner.tagpool test.conll -o tagged.conll && tagpool score tagged.conll\n" in shown
    assert "--keep-going\n" in shown


def test_wrong_use(tmp_path: Path) -> None:
    assert "there is no such command" in fail("man", "nothing")
    assert "expected a folder that exists" in fail("man", "-o", tmp_path / "absent")
    assert "drop train" in fail("man", "train", "-o", tmp_path)
