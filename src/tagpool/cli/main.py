"""The ``tagpool`` command and its sub-commands.

Each sub-command is imported when it is called, so that the imports of one (NumPy, the trainers) do not slow down another.
"""

from __future__ import annotations

import importlib
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

import tagpool
from tagpool.cli.guard import create_app

COMMANDS = [
    "train",
    "tune",
    "tag",
    "score",
    "agreement",
    "audit",
    "mistakes",
    "suggest",
    "report",
    "explain",
    "inspect",
    "features",
    "convert",
    "config",
    "pool",
    "resources",
    "serve",
    "demo",
    "reproduce",
    "completion",
    "man",
]


class Commands(TyperGroup):
    """The sub-commands; each is a function in the module of its name, or the module has an ``app`` with commands of its own.

    Some versions of typer bundle click under another name, so contexts and commands have the type Any.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names in the order of --help."""
        return COMMANDS

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of a name."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"tagpool.cli.{cmd_name}")
        return get_command(module.app if hasattr(module, "app") else create_app({cmd_name: getattr(module, cmd_name)}))


app = create_app({}, cls=Commands, name="tagpool", no_args_is_help=True, pretty_exceptions_enable=False)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tagpool {tagpool.__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(False, "--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
) -> None:
    """Robust sequence labelling on a CPU.

    Every command has a page of its own: tagpool COMMAND --help

    \b
    Exit codes: 0 success, 1 failure, 2 wrong usage or bad input,
    130 interrupted (143 by SIGTERM, 129 by SIGHUP).
    """
