"""The ``tagpool`` command: puts the sub-commands together."""

from __future__ import annotations

import typer

import tagpool
from tagpool.cli.convert import convert
from tagpool.cli.demo import demo
from tagpool.cli.features import features
from tagpool.cli.guard import guarded
from tagpool.cli.presets import presets
from tagpool.cli.score import score

app = typer.Typer(
    name="tagpool",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for command in (score, features, presets, convert, demo):
    app.command()(guarded(command))


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tagpool {tagpool.__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(False, "--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
) -> None:
    """Robust sequence labelling on a CPU: corpora, features and scores; training and pools are to come."""
