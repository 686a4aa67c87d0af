"""The documentation is true: its Python and its commands run, the outputs shown are right, its links exist.

Blocks are run by their language: ``python`` (a script, or a session with ``>>>`` whose outputs are compared), ``console`` (lines
after ``$`` are run in one folder per page, the lines below are compared, ``...`` stands for any lines) and ``sh`` (commands that
set up a machine: only checked to exist). Blocks without a language are not run.
"""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = runpy.run_path(str(ROOT / "tools" / "packaging" / "examples.py"))
blocks = EXAMPLES["blocks"]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def name_of(page: Path) -> str:
    """Name of a page in the reports of pytest."""
    return page.relative_to(ROOT).as_posix()


def pages_with(language: str) -> list[Path]:
    return [page for page in PAGES if blocks(page, language)]


SCRIPTS = [(name_of(page), code) for page in PAGES for code in blocks(page, "python") if ">>> " not in code]


@pytest.mark.parametrize(("page", "code"), SCRIPTS, ids=[f"{page}-{i}" for i, (page, _) in enumerate(SCRIPTS)])
def test_scripts_run(page: str, code: str, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{page}\n{code}\n{done.stderr}"


@pytest.mark.parametrize("page", pages_with("python"), ids=name_of)
def test_sessions_print_what_they_show(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert not EXAMPLES["run_session"](page)


@pytest.mark.parametrize("page", pages_with("console"), ids=name_of)
def test_commands_print_what_they_show(page: Path, tmp_path: Path) -> None:
    assert not EXAMPLES["run_commands"](page, tmp_path)


@pytest.mark.parametrize("page", pages_with("sh"), ids=name_of)
def test_commands_that_set_up_a_machine_exist(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
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
