"""``tagpool pool``: taggers that are black boxes, pooled by their labels alone."""

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
    help="Pool what any taggers say of the same sentences: fit on gold labels, apply, compare the methods.",
)
app.command("fit")(guarded(fit))
app.command("apply")(guarded(apply))
app.command("compare")(guarded(compare_methods))
app.command("estimate")(guarded(estimate))
