"""``tagpool pool``: pool the labels of taggers that are black boxes."""

from __future__ import annotations

import typer

from tagpool.cli.guard import guarded
from tagpool.cli.pooling.compare import compare_methods
from tagpool.cli.pooling.fit import apply, estimate, fit

app = typer.Typer(
    name="pool",
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Combine the labels of several taggers.",
)
app.command("fit")(guarded(fit))
app.command("apply")(guarded(apply))
app.command("compare")(guarded(compare_methods))
app.command("estimate")(guarded(estimate))
