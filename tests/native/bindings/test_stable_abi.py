"""The bindings compile for Python's stable ABI, which the wheels use."""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

nanobind = pytest.importorskip("nanobind")
NATIVE = Path(__file__).parents[3] / "native"
# The other files use nanobind only, whose own headers know the stable ABI.
FILES = [path for path in sorted((NATIVE / "bindings").glob("*.cpp")) if re.search(r"\bPy[A-Z]", path.read_text())]


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a compiler")
def test_bindings_use_the_stable_abi_only():
    includes = [f"-I{folder}" for folder in (NATIVE, nanobind.include_dir(), sysconfig.get_path("include"))]
    defines = ["-DPy_LIMITED_API=0x030A0000", "-DNB_BACKEND_MODULE=nanobind_backend"]
    assert {"crfsuite.cpp", "helpers.cpp"} <= {path.name for path in FILES}
    done = subprocess.run(
        ["g++", "-std=gnu++20", "-fsyntax-only", *includes, *defines, *FILES], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
