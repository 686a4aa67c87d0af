from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGING = Path(__file__).parents[2] / "tools" / "packaging"


@pytest.fixture
def tools(monkeypatch):
    monkeypatch.syspath_prepend(PACKAGING)
    yield {
        "check_changelog": importlib.import_module("check_release").check_changelog,
        "find_pythons": importlib.import_module("pythons").find_pythons,
        "StepError": importlib.import_module("steps").StepError,
    }
    for name in ("check_release", "make_wheel", "pythons", "steps"):
        sys.modules.pop(name, None)


RELEASED = "## [Unreleased]\n\n## [1.2.0] - 2026-01-31\n\n- New.\n"
UNRELEASED = "## [Unreleased]\n\n- Newer.\n\n" + RELEASED.partition("\n\n")[2]


def test_a_complete_changelog(tools):
    assert tools["check_changelog"]("1.2.0", RELEASED, release=True) == []


@pytest.mark.parametrize(
    ("version", "text", "problem"),
    [
        ("1.3.0", RELEASED, r"no section \[1.3.0\]"),
        ("1.2.0", UNRELEASED, "unreleased changes after 1.2.0"),
        ("1.2.0", "## [1.2.0] - 2026-01-31\n\n## [1.1.0]\n", r"\[1.2.0\] is empty"),
        ("1.2.0", "## [1.2.0]\n\n- New.\n", r"\[1.2.0\] has no date"),
    ],
)
def test_open_points_stop_a_release_only(tools, version, text, problem):
    assert len(tools["check_changelog"](version, text, release=False)) == 1
    with pytest.raises(tools["StepError"], match=problem):
        tools["check_changelog"](version, text, release=True)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("# Changelog\n", "no version"),
        ("## [1.2.0] - 2026-31-01\n\n- New.\n", "2026-31-01"),
        ("## [1.2.0] - 9999-01-01\n\n- New.\n", "9999-01-01"),
        ("## [1.2.0] - 2026-01-31\n\n- New.\n\n## [Unreleased]\n", "not the first"),
    ],
)
def test_wrong_changelogs(tools, text, problem):
    with pytest.raises(tools["StepError"], match=problem):
        tools["check_changelog"]("1.2.0", text, release=False)


def test_pythons_are_found_once_per_version(tools):
    pythons = tools["find_pythons"]()
    assert len({version.rpartition(".")[0] for version in pythons}) == len(pythons)
    assert all(path.exists() for path in pythons.values())


@pytest.mark.parametrize(
    ("page", "problem"),
    [
        ("```python\n>>> 1 + 1\n2\n```\n", None),
        ("```python\n>>> 1 + 1\n3\n```\n", "Expected:\n    3\nGot:\n    2"),
        ("```console\n$ tagpool --version\n9.9\n```\n", "tagpool --version"),
        ("```console\n$ tagpool no-such-command\n```\n", "no-such-command"),
    ],
)
def test_examples_that_print_something_else_fail(tmp_path, page, problem):
    path = tmp_path / "page.md"
    path.write_text(page)
    done = subprocess.run([sys.executable, PACKAGING / "examples.py", path], capture_output=True, text=True, check=False)
    assert done.returncode == (problem is not None)
    assert (problem or "") in done.stderr


@pytest.mark.parametrize(("variable", "packages"), [("1", ["backend"]), ("0", []), ("", [])])
def test_only_the_stable_abi_needs_the_backend(monkeypatch, variable, packages):
    pytest.importorskip("scikit_build_core")
    monkeypatch.syspath_prepend(PACKAGING)
    monkeypatch.setenv("TAGPOOL_STABLE_ABI", variable)
    stable_abi = importlib.import_module("stable_abi")
    assert stable_abi.dynamic_metadata({"requires": ["backend"]}, {}) == {"dependencies": packages}
