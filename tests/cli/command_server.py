"""A process that has imported the commands and forks for each of them, which saves half a second of imports per command."""

from __future__ import annotations

import array
import contextlib
import gc
import importlib
import io
import json
import os
import runpy
import socket
import sys

OTHER_LIBRARIES = ("numpy", "typer", "rich.table", "rich.progress", "pydantic.type_adapter", "optuna")
MODULES = (
    "tagpool.cli.training.run",
    "tagpool.cli.pooling.compare",
    "tagpool.cli.pooling.fit",
    "tagpool.compat.conversion",
    "tagpool.experts.linear.training",
    "tagpool.pools.loading",
    "tagpool.tagging.conll",
    "tagpool.tagging.jsonl",
    "tagpool.tagging.models",
    "tagpool.tagging.text",
)
MAX_REQUEST = 1 << 20


def serve(connection: socket.socket) -> None:
    """Answer requests with exit codes until the other side closes the connection."""
    import_commands()
    while True:
        data, files, _, _ = socket.recv_fds(connection, MAX_REQUEST, 3)
        if not data:
            return
        child = os.fork()
        if child == 0:
            connection.close()
            become_command(json.loads(data), files)
            return
        for file in files:
            os.close(file)
        _, status = os.waitpid(child, 0)
        connection.sendall(array.array("i", [os.waitstatus_to_exitcode(status)]).tobytes())


def import_commands() -> None:
    """Import the modules of all commands, and those that typer imports for their options."""
    for name in OTHER_LIBRARIES:
        with contextlib.suppress(ImportError):  # some versions of typer use pydantic; Optuna is optional
            importlib.import_module(name)
    gc.collect()
    gc.freeze()  # a fork ends faster: garbage collection skips these objects and their pages are not copied
    for name in MODULES:
        importlib.import_module(name)
    main = importlib.import_module("tagpool.cli.main")
    group = importlib.import_module("typer.main").get_command(main.app)
    for name in main.COMMANDS:
        group.get_command(None, name)
    # A command that fails at once imports the rest.
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()), contextlib.suppress(SystemExit):
        main.app(["score", "/nowhere", "--label", "label"])


def become_command(request: dict[str, object], files: list[int]) -> None:
    """Run ``python -m tagpool`` in this process, which then ends as that one would, with nanobind's report of leaks."""
    for target, file in enumerate(files):
        os.dup2(file, target)
        os.close(file)
    os.chdir(str(request["folder"]))
    sys.argv = ["tagpool", *request["arguments"]]  # type: ignore[misc]
    runpy.run_module("tagpool", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
