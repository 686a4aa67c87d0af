"""Toolchain of the fuzz targets: Clang with libFuzzer, installed with apt if it is missing, and the build."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent
_NAMES = ("clang++", *(f"clang++-{version}" for version in range(22, 13, -1)))
_PROGRAM = '#include <cstddef>\nextern "C" int LLVMFuzzerTestOneInput(const unsigned char*, size_t) { return 0; }\n'
_ADVICE = "fuzzing needs Clang 14 or later with its runtime (Debian, Ubuntu: apt-get install clang llvm)"


def _working_compiler() -> str | None:
    """Return a Clang that links libFuzzer."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "program.cpp")
        source.write_text(_PROGRAM)
        for name in filter(shutil.which, _NAMES):
            links = [name, "-std=c++20", "-fsanitize=fuzzer,address,undefined", str(source), "-o", str(source.with_suffix(""))]
            if subprocess.run(links, capture_output=True, check=False).returncode == 0:
                return name
    return None


def find_clang() -> str:
    """Return the name of a Clang with libFuzzer; install it if that needs no password."""
    compiler = _working_compiler()
    if compiler is None and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "update", "-qq"], check=False)
        subprocess.run(["apt-get", "install", "-y", "-qq", "clang", "llvm"], check=False)
        compiler = _working_compiler()
    if compiler is None:
        sys.exit(_ADVICE)
    return compiler


def llvm_tool(compiler: str, name: str) -> str | None:
    """Return the LLVM tool of the compiler's version."""
    return shutil.which(name + compiler.removeprefix("clang++")) or shutil.which(name)


def build(compiler: str, folder: Path, *options: str) -> None:
    """Build the native targets."""
    tools = Path(sys.executable).parent  # CMake and Ninja of the environment
    path = os.pathsep.join([str(tools), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": path}
    configure = ["cmake", "-S", str(FOLDER), "-B", str(folder), "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={compiler}"]
    for command in ([*configure, "-DCMAKE_BUILD_TYPE=None", *options], ["cmake", "--build", str(folder)]):
        process = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
        if process.returncode:
            sys.exit(f"{' '.join(command)}\n{process.stdout[-6000:]}{process.stderr[-3000:]}")
