"""Running the commands as a user does."""

from __future__ import annotations

import array
import atexit
import functools
import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from tagpool.tagging.folders.manifest import MANIFEST

BAGS = "word[-1..1]\n[shapes]\nshape(word)[-1..1]\n[endings]\nsuffix(word, 1..3)[0]\n"
CONLLU = (
    "# sent_id = 1\n1-2\tIn Oslo\t_\t_\t_\t_\t_\t_\t_\t_\n1\tIn\tin\tADP\tIN\t_\t0\troot\t_\t_\n"
    "2\tOslo\tOslo\tPROPN\tNNP\t_\t1\tobl\t_\tSpaceAfter=No\n2.1\tx\tx\t_\t_\t_\t_\t_\t_\t_\n\n"
)
SERVER = Path(__file__).with_name("command_server.py")
PIPE_SIZE = 1 << 16  # input that fits a pipe can be written before the command reads it


def environment_of_commands() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"} | {"COLUMNS": "160"}


class CommandServer:
    """The process of ``command_server.py``: one command at a time, in a fork."""

    def __init__(self) -> None:
        self.environment = environment_of_commands()
        self.connection, theirs = socket.socketpair()
        command = [sys.executable, str(SERVER), str(theirs.fileno())]
        self.process = subprocess.Popen(command, pass_fds=[theirs.fileno()], env=self.environment)
        theirs.close()
        atexit.register(self.close)

    def run(self, arguments: list[str], stdin: bytes) -> subprocess.CompletedProcess[str]:
        reading, writing = os.pipe()
        os.write(writing, stdin)
        os.close(writing)
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            request = {"arguments": arguments, "folder": str(Path.cwd())}
            socket.send_fds(self.connection, [json.dumps(request).encode()], [reading, out.fileno(), err.fileno()])
            os.close(reading)
            (code,) = array.array("i", self.connection.recv(4))
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read())
        return subprocess.CompletedProcess(arguments, code, *texts)

    def close(self) -> None:
        self.connection.close()
        self.process.wait()


start_server = functools.cache(CommandServer)


def run(
    *arguments: object, stdin: str | None = None, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; in a fork of the command server if it starts under the same conditions there."""
    command = [*map(str, arguments)]
    text = (stdin or "").encode()
    if environment is None and len(text) < PIPE_SIZE and start_server().environment == environment_of_commands():
        try:
            done = start_server().run(command, text)
        except BaseException:  # such as the time limit of a test: no answer may be left over for the next command
            start_server().process.kill()
            start_server.cache_clear()
            raise
    else:
        done = run_process(*command, stdin=stdin, environment=environment)
    assert "nanobind: leaked" not in done.stderr, done.stderr
    return done


def run_process(
    *arguments: object, stdin: str | None = None, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command in a new interpreter, which has its own hash seed."""
    done = subprocess.run(
        [sys.executable, "-m", "tagpool", *map(str, arguments)],
        capture_output=True,
        text=True,
        input=stdin,
        check=False,
        env=environment_of_commands() | (environment or {}),
    )
    assert "nanobind: leaked" not in done.stderr, done.stderr
    return done


def succeed(*arguments: object, stdin: str | None = None, new_process: bool = False) -> str:
    """Run a command that ends well; in a new process if the result must not depend on the hash seed."""
    done = (run_process if new_process else run)(*arguments, stdin=stdin)
    assert done.returncode == 0, done.stderr
    return done.stdout


def outputs(folder: str | Path) -> dict[str, bytes]:
    """Return the labelled files of a folder by relative path, also hidden ones; without the manifest."""
    files = [path for path in Path(folder).rglob("*") if path.is_file() and path.name != MANIFEST]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


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
