"""``tagpool pool``: combine the labels of taggers that are black boxes."""

from __future__ import annotations

from tagpool.cli.guard import create_app
from tagpool.cli.pooling.apply import apply, explain
from tagpool.cli.pooling.compare import compare_methods
from tagpool.cli.pooling.demo import demo
from tagpool.cli.pooling.distill import distill
from tagpool.cli.pooling.estimate import estimate, suggest
from tagpool.cli.pooling.fit import fit

app = create_app(
    {
        "fit": fit,
        "apply": apply,
        "estimate": estimate,
        "suggest": suggest,
        "distill": distill,
        "explain": explain,
        "compare": compare_methods,
        "demo": demo,
    },
    name="pool",
    no_args_is_help=True,
    help="Combine labels of language models, rules and taggers.",
)
