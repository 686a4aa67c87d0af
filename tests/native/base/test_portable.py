"""The fallbacks for other compilers compute the same as the extensions of GCC and Clang."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a compiler")
def test_fallbacks(tmp_path):
    program = tmp_path / "fallbacks"
    source = Path(__file__).with_name("fallbacks.cpp")
    subprocess.run(
        ["g++", "-std=gnu++20", "-O1", "-DTAGPOOL_PORTABLE", f"-I{ROOT / 'native'}", source, "-o", program], check=True
    )
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
