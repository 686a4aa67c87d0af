"""Run the examples of a documentation page with the tagpool of this Python: `python examples.py README.md`.

Blocks in ``python`` with ``>>>`` are one session, whose outputs are compared. In blocks in ``console``, the lines after ``$`` run
in one folder, and the lines below them are compared; ``...`` stands for any lines. The script needs no other package, so that it
runs in an empty environment.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def blocks(page: Path, language: str) -> list[str]:
    """Return the blocks of a page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)


def run_session(page: Path) -> str:
    """Run the session of a page in the working directory; return what went wrong."""
    session = "\n".join(code for code in blocks(page, "python") if ">>> " in code)
    test = doctest.DocTestParser().get_doctest(session, {}, page.name, str(page), 0)
    messages: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=messages.append)
    return "".join(messages)


def run_commands(page: Path, folder: Path) -> str:
    """Run the commands of a page in a folder; return what went wrong."""
    command_path = folder / "bin" / "tagpool"
    command_path.parent.mkdir()
    command_path.write_text(f'#!/bin/sh\nexec {sys.executable} -m tagpool "$@"\n')
    command_path.chmod(0o755)
    environment = {**os.environ, "COLUMNS": "120", "PATH": f"{command_path.parent}:{os.environ['PATH']}"}
    for command, expected in re.findall(r"^\$ (.*\n)((?:(?!\$ ).*\n)*)", "".join(blocks(page, "console")), re.MULTILINE):
        line = command.split("  #")[0]
        done = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True, check=False, env=environment)
        if done.returncode != 0:
            return f"{page.name}: {command}\n{done.stderr}"
        pattern = re.escape(expected.strip()).replace(r"\.\.\.", ".*")
        if expected.strip() and not re.fullmatch(pattern, done.stdout.strip(), re.DOTALL):
            return f"{page.name}: {command}\n{done.stdout}"
    return ""


def main(page: Path) -> int:
    """Run both kinds of examples in a temporary folder."""
    page = page.resolve()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        problem = run_session(page) or run_commands(page, Path(name))
        os.chdir(page.parent)
    if problem:
        print(problem, file=sys.stderr)
    return bool(problem)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
