"""``tagpool reproduce``."""

from __future__ import annotations

from typing import Annotated

import typer

from tagpool.cli.console import print_json, print_table
from tagpool.cli.options import JsonOption, expand_options
from tagpool.cli.reproducing.one import reproduce_one
from tagpool.cli.reproducing.options import ResultOptions, RunOptions
from tagpool.cli.reproducing.series import reproduce_all
from tagpool.errors import InputError
from tagpool.experiments.catalogue import ALL, EXPERIMENTS


@expand_options(run=RunOptions, results=ResultOptions)
def reproduce(
    name: Annotated[str | None, typer.Argument(help="The experiment, or all (default: list them).")] = None,
    only: Annotated[str | None, typer.Option(metavar="NAMES", help="With all: the experiments to run, such as a,b.")] = None,
    run: RunOptions = RunOptions(),  # noqa: B008 - not changed
    results: ResultOptions = ResultOptions(),  # noqa: B008 - not changed
    json: JsonOption = False,
) -> None:
    """Run an experiment of the papers on its corpora, or all.

    The table has the figures of the paper and ours. Without a name, the command lists the experiments.

    all runs those without a stored result of the same code, corpora and options, so that an interrupted run continues. It
    writes every page and README.md, which has every figure of the papers.

    \b
    Examples:
      tagpool reproduce undertraining --quick
      tagpool reproduce bagging-ner --threads 2
      tagpool reproduce all --only bagging-ner,bagging-chunk
    """
    if only is not None and name != ALL:
        raise InputError("--only: works with all; run tagpool reproduce all --only NAMES")
    if name is None:
        contents = {key: one.what for key, one in EXPERIMENTS.items()}
        if json:
            print_json(contents)
        else:
            print_table(["experiment", "content"], [list(item) for item in contents.items()], left=2)
    elif name == ALL:
        reproduce_all(run, results, only, json=json)
    else:
        reproduce_one(name, run, results, json=json)
