"""The commit of code and of pages."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import tagpool
from tagpool.experiments import provenance
from tagpool.experiments.provenance import code_version, page_version

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
COMMIT = r"commit `[0-9a-f]{7,}` of 2020-01-02"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2020-01-02T12:00:00+0000")
    package = tmp_path / "repository" / "src" / "tagpool"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (tmp_path / "repository" / "page.md").write_text("one")
    git(tmp_path / "repository", "init", "-q")
    git(tmp_path / "repository", "add", ".")
    git(tmp_path / "repository", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "First")
    return tmp_path / "repository"


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)


def test_the_code_has_a_commit_and_its_date(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provenance, "PACKAGE", repository / "src" / "tagpool")
    assert re.fullmatch(rf"tagpool [\d.]+\w*, {COMMIT}", code_version())
    (repository / "page.md").write_text("two")
    assert "uncommitted" not in code_version(), "pages change with every run"
    (repository / "src" / "tagpool" / "__init__.py").write_text("x = 1\n")
    assert re.fullmatch(rf"tagpool [\d.]+\w*, {COMMIT}, with uncommitted changes", code_version())


def test_without_a_repository_the_code_has_its_version(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    version = f"tagpool {tagpool.__version__}"
    installed = repository / "venv" / "tagpool"  # inside the repository of another project
    for package in (repository.parent / "tagpool", installed):
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("")
        monkeypatch.setattr(provenance, "PACKAGE", package)
        assert code_version() == version


def test_a_page_has_the_commit_of_its_state(repository: Path) -> None:
    assert re.fullmatch(COMMIT, page_version(repository / "page.md"))
    (repository / "page.md").write_text("two")
    assert page_version(repository / "page.md") == ""
    (repository.parent / "page.md").write_text("one")
    assert page_version(repository.parent / "page.md") == ""
