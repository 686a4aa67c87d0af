"""The documentation tells the truth: its Python runs, its commands exist, its links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCKS = [
    (page.name, number, block)
    for page in PAGES
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL))
]


@pytest.mark.parametrize(("page", "number", "code"), BLOCKS, ids=[f"{page}-{number}" for page, number, _ in BLOCKS])
def test_python_examples_run(page: str, number: int, code: str) -> None:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize(
    ("page", "begin", "end"),
    [("README.md", "## A first look", "The same from Python"), ("docs/pools.md", "## On the command line", "| option")],
)
def test_commands_work(tmp_path: Path, page: str, begin: str, end: str) -> None:
    text = (ROOT / page).read_text().split(begin)[1].split(end)[0]
    commands = [line.split("  #")[0].strip() for line in text.splitlines() if line.startswith(("    tagpool ", "    printf "))]
    assert len(commands) >= 5
    for command in commands:
        line = command.replace("tagpool ", f"{sys.executable} -m tagpool ", 1)
        done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}\n{done.stderr}"
