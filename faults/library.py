"""Building of ``preload.cpp``."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

SOURCE = Path(__file__).with_name("preload.cpp")
BUILD = SOURCE.parents[1] / "build" / "faults"


def build() -> Path:
    """Compile the library for LD_PRELOAD if it is not up to date; return its file."""
    BUILD.mkdir(parents=True, exist_ok=True)
    library = BUILD / "libfaults.so"
    if not library.exists() or library.stat().st_mtime < SOURCE.stat().st_mtime:
        new = BUILD / f"new-{os.getpid()}.so"
        options = ["-std=c++20", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "-fno-builtin"]
        subprocess.run([os.environ.get("CXX", "c++"), *options, str(SOURCE), "-o", str(new), "-ldl"], check=True)
        new.replace(library)
    return library
