"""``tagpool resources``: files that templates look words up in, made from raw text."""

from __future__ import annotations

import typer

from tagpool.cli.guard import guarded
from tagpool.cli.resources.ambiguity import ambiguity
from tagpool.cli.resources.clusters import clusters

app = typer.Typer(
    name="resources",
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Make word clusters and tag lists from raw text.",
)
app.command("clusters")(guarded(clusters))
app.command("ambiguity")(guarded(ambiguity))
