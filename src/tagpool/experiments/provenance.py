"""The commit of the code and of pages, from git; the version of the package without git."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import tagpool
from tagpool.experiments.used_code import PACKAGE

_SECONDS = 30
_SOURCES = ("src", "native")  # what the figures depend on; pages change with every run


def code_version() -> str:
    """Return the commit and the date of the code that runs, in Markdown; or the version, if it is not in a repository.

    The package may lie inside the repository of another project: it must be one of the files that git tracks.
    """
    version = f"tagpool {tagpool.__version__}"
    top = _git(PACKAGE, "rev-parse", "--show-toplevel")
    if not top or not _git(PACKAGE, "ls-files", "__init__.py"):
        return version
    commit = _git(PACKAGE, "log", "-1", "--format=commit `%h` of %cs")
    if not commit:
        return version
    changes = _git(Path(top), "status", "--porcelain", "--", *_SOURCES)
    return f"{version}, {commit}{', with uncommitted changes' if changes else ''}"


def page_version(page: Path) -> str:
    """Return the commit that wrote a page last, in Markdown; empty if git does not know this state of the page."""
    if _git(page.parent, "status", "--porcelain", "--", page.name) != "":
        return ""
    return _git(page.parent, "log", "-1", "--format=commit `%h` of %cs", "--", page.name) or ""


def _git(folder: Path, *arguments: str) -> str | None:
    """Return what git prints; None if it fails or is not installed."""
    command = ["git", "-C", str(folder), *arguments]
    variables = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}  # set inside of hooks
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_SECONDS, env=variables)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
