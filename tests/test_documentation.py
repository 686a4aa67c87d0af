"""The documentation is true: its Python and its commands run, the outputs shown are right, its links exist.

Blocks are run by their language: ``python`` (a script, or a session with ``>>>`` whose outputs are compared), ``console`` (lines
after ``$`` are run in one folder per page, the lines below are compared, ``...`` stands for any lines) and ``sh`` (commands that
set up a machine: only checked to exist). Blocks without a language are not run.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def name_of(page: Path) -> str:
    """Name of a page in the reports of pytest."""
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


def pages_with(language: str) -> list[Path]:
    return [page for page in PAGES if blocks(page, language)]


SCRIPTS = [(name_of(page), code) for page in PAGES for code in blocks(page, "python") if ">>> " not in code]


@pytest.mark.parametrize(("page", "code"), SCRIPTS, ids=[f"{page}-{i}" for i, (page, _) in enumerate(SCRIPTS)])
def test_scripts_run(page: str, code: str, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{page}\n{code}\n{done.stderr}"


@pytest.mark.parametrize("page", pages_with("python"), ids=name_of)
def test_sessions_print_what_they_show(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = "\n".join(code for code in blocks(page, "python") if ">>> " in code)
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest(session, {}, page.name, str(page), 0)
    messages: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=messages.append)
    assert not messages, "".join(messages)


@pytest.mark.parametrize("page", pages_with("console"), ids=name_of)
def test_commands_print_what_they_show(page: Path, tmp_path: Path) -> None:
    command_path = tmp_path / "bin" / "tagpool"
    command_path.parent.mkdir()
    command_path.write_text(f'#!/bin/sh\nexec {sys.executable} -m tagpool "$@"\n')
    command_path.chmod(0o755)
    environment = {**os.environ, "COLUMNS": "120", "PATH": f"{command_path.parent}:{os.environ['PATH']}"}
    for command, expected in re.findall(r"^\$ (.*\n)((?:(?!\$ ).*\n)*)", "".join(blocks(page, "console")), re.MULTILINE):
        line = command.split("  #")[0]
        done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 0, f"{name_of(page)}: {command}\n{done.stderr}"
        if expected.strip():
            pattern = re.escape(expected.strip()).replace(r"\.\.\.", ".*")
            assert re.fullmatch(pattern, done.stdout.strip(), re.DOTALL), f"{name_of(page)}: {command}\n{done.stdout}"


@pytest.mark.parametrize("page", pages_with("sh"), ids=name_of)
def test_commands_that_set_up_a_machine_exist(page: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for line in "".join(blocks(page, "sh")).splitlines():
        command = line.split("#")[0].split()
        if command:
            assert command[0] in {"make", "pip", "pre-commit", "git"}, line
            assert command[0] != "make" or command[1] in targets, line


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if not target.startswith("https://"):
            assert (page.parent / target).exists(), target


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 100


def test_files_named_in_the_architecture_exist() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    for name in re.findall(r"`((?:native|src|tests|tools|benchmarks)/[\w./]*)`", text):
        assert (ROOT / name).exists(), name
