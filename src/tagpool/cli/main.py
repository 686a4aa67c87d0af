"""The ``tagpool`` command: puts the sub-commands together.

Each is imported when it is asked for: what one of them needs (NumPy, the trainers) shall not slow down another.
"""

from __future__ import annotations

import importlib
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

import tagpool
from tagpool.cli.guard import guarded

COMMANDS = (
    "train",
    "tag",
    "score",
    "inspect",
    "explain",
    "pool",
    "features",
    "presets",
    "clusters",
    "ambiguity",
    "convert",
    "convert-model",
    "demo",
    "reproduce",
)


class Commands(TyperGroup):
    """The sub-commands; the module of each has its name, with an underscore for a hyphen.

    Contexts and commands are click's, which some versions of typer bring along under another name: hence Any.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        """Their names, in the order of --help."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """One of them."""
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        module = importlib.import_module(f"tagpool.cli.{name}")
        if hasattr(module, "app"):  # it has sub-commands of its own
            return get_command(module.app)
        one = typer.Typer(add_completion=False, rich_markup_mode=None)
        one.command(cmd_name)(guarded(getattr(module, name)))
        return get_command(one)


app = typer.Typer(
    cls=Commands,
    name="tagpool",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tagpool {tagpool.__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(False, "--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
) -> None:
    """Robust sequence labelling on a CPU: train taggers, tag, look inside, score; corpora, features, formats."""
