"""Running the commands as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

BAGS = "word[-1..1]\n[shapes]\nshape(word)[-1..1]\n[endings]\nsuffix(word, 1..3)[0]\n"


def run(
    *arguments: object, stdin: str | None = None, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tagpool", *map(str, arguments)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        input=stdin,
        check=False,
        env={**os.environ, "COLUMNS": "160", **(environment or {})},
    )
    assert "nanobind: leaked" not in done.stderr, done.stderr
    return done


def succeed(*arguments: object, stdin: str | None = None) -> str:
    done = run(*arguments, stdin=stdin)
    assert done.returncode == 0, done.stderr
    return done.stdout


def fail(*arguments: object, code: int = 2, stdin: str | None = None) -> str:
    done = run(*arguments, stdin=stdin)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    return done.stderr


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path
