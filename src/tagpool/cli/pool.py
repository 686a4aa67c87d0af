"""``tagpool pool``: pool the labels of taggers that are black boxes."""

from __future__ import annotations

from tagpool.cli.guard import create_app
from tagpool.cli.pooling.compare import compare_methods
from tagpool.cli.pooling.fit import apply, estimate, fit

app = create_app(
    {"fit": fit, "apply": apply, "compare": compare_methods, "estimate": estimate},
    name="pool",
    no_args_is_help=True,
    help="Combine the labels of several taggers.",
)
