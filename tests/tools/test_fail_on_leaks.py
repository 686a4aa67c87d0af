"""A leak report fails the test run, and objects that tests keep until the end are not leaks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tagpool

ROOT = Path(__file__).parents[2]
TOOL = [sys.executable, str(ROOT / "tools" / "fail_on_leaks.py")]
# Each test keeps a native object; the last one keeps it forever.
TESTS = """
import ctypes, functools, pytest, tagpool, threading

CORPUS = tagpool.builtin_corpus(2)
CRF = tagpool.CRF("word[0]")

@functools.cache
def fitted():
    return CRF.fit(CORPUS)

@pytest.fixture(scope="session")
def tagger():
    return fitted()

@pytest.mark.parametrize("corpus", [tagpool.builtin_corpus(3)])
def test_objects_that_stay(corpus, tagger, request):
    # A thread that refers to the session until the end, as threads of a worker do.
    threading.Thread(target=lambda session: threading.Event().wait(), args=(request.session,), daemon=True).start()
    CRF.extra = [corpus, tagger, fitted().predict(corpus)]
    CRF.extra.append(CRF.extra)

@pytest.mark.skipif(LEAK, reason="the other test leaks")
def test_nothing():
    pass

@pytest.mark.skipif(not LEAK, reason="no leak")
def test_leak():
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(tagpool.builtin_corpus(2).native))
"""


def run(*command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(tagpool.__file__).parents[1])}
    return subprocess.run([*TOOL, *command], cwd=folder, capture_output=True, text=True, check=False, env=environment)


@pytest.mark.parametrize("leak", [False, True])
def test_a_leak_fails_the_test_run(tmp_path: Path, leak: bool) -> None:
    (tmp_path / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    (tmp_path / "test_it.py").write_text(TESTS.replace("LEAK", str(leak)))
    done = run(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--numprocesses", "1", folder=tmp_path)
    assert "2 passed, 1 skipped" in done.stdout, done.stdout + done.stderr
    assert done.returncode == (3 if leak else 0), done.stderr
    assert ("error: native objects were alive" in done.stderr) == leak


def test_the_exit_code_of_the_command_comes_first(tmp_path: Path) -> None:
    code = "import sys; sys.stderr.write('nanobind: leaked 1 instances!'); sys.exit(7)"
    assert run(sys.executable, "-c", code, folder=tmp_path).returncode == 7


def test_make_test_uses_the_tool() -> None:
    rules = (ROOT / "Makefile").read_text()
    assert "tools/fail_on_leaks.py $(BIN)/python -m pytest" in rules
