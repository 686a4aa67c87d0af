"""``tagpool resources clusters``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from tagpool.cli.console import notes, print_json
from tagpool.cli.inputs import expand_files
from tagpool.cli.options import EncodingOption, JsonOption, OutputOption
from tagpool.cli.progress import follow_steps
from tagpool.cli.resources.raw_text import SimplifyOption, TextArgument, check_output
from tagpool.corpus.files import STANDARD_STREAM
from tagpool.features.resources import Clusters
from tagpool.wording import counted


def clusters(
    text: TextArgument,
    output: OutputOption = Path(STANDARD_STREAM),
    k: Annotated[int, typer.Option(help="Number of clusters.")] = 1000,
    min_count: Annotated[int, typer.Option(help="Ignore words that occur fewer times.")] = 1,
    simplify: SimplifyOption = False,
    lower: Annotated[bool, typer.Option("--lower", help="Use words in lower case.")] = False,
    encoding: EncodingOption = "utf-8",
    json: JsonOption = False,
) -> None:
    """Make Brown clusters of words.

    Writes lines of bits, word and count. Templates read them: cluster(brown, 4, 6, 10, 20) with the resource brown=FILE. The
    presets look up words with runs of digits as one 0; use --simplify for them.

    \b
    Examples:
      tagpool resources clusters news.txt.gz --k 1000 -o brown.txt
      tagpool resources clusters a.txt b.txt --min-count 5 --simplify -o brown.txt.gz
    """
    check_output(output, text, json)
    begun = time.perf_counter()
    with follow_steps(f"merging words into {counted(k, 'cluster')}") as step:
        result = Clusters.brown(
            expand_files(text), k=k, min_count=min_count, simplify=simplify, lower=lower, encoding=encoding, on_step=step
        )
    result.write(output)
    summary = {
        "output": str(output),
        "tokens": sum(result.counts.values()),
        "words": len(result),
        "clusters": result.cluster_count,
        "seconds": round(time.perf_counter() - begun, 3),
    }
    if json:
        print_json(summary)
    else:
        words = f"{counted(len(result), 'word')} in {counted(result.cluster_count, 'cluster')}"
        notes.print_line(f"{counted(sum(result.counts.values()), 'token')}: {words}, {summary['seconds']:.1f} s")
