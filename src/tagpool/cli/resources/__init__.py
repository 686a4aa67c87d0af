"""``tagpool resources``: files that templates look words up in, created from raw text."""

from __future__ import annotations

from tagpool.cli.guard import create_app
from tagpool.cli.resources.ambiguity import ambiguity
from tagpool.cli.resources.clusters import clusters

app = create_app(
    {"clusters": clusters, "ambiguity": ambiguity},
    name="resources",
    no_args_is_help=True,
    help="Make word clusters and tag lists from raw text.",
)
