"""``tagpool clusters``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from tagpool.cli.console import EncodingOption, JsonOption, errors, print_json
from tagpool.cli.raw_text import OutputOption, SimplifyOption, TextArgument, check_output
from tagpool.cli.steps import followed
from tagpool.corpus.files import STANDARD_STREAM
from tagpool.features.resources import Clusters


def clusters(
    text: TextArgument,
    output: OutputOption = Path(STANDARD_STREAM),
    k: Annotated[int, typer.Option(help="How many clusters.")] = 1000,
    min_count: Annotated[int, typer.Option(help="Words that occur fewer times get no cluster.")] = 1,
    simplify: SimplifyOption = False,
    lower: Annotated[bool, typer.Option("--lower", help="Words in small letters.")] = False,
    encoding: EncodingOption = "utf-8",
    json: JsonOption = False,
) -> None:
    """Make Brown clusters of the words of raw text.

    The text is tokenised, one sentence a line, with blanks between words. Written are lines of bits, word and count, as
    templates read them: cluster(brown, 4, 6, 10, 20) with --use brown=FILE. The presets look up words whose runs of digits are
    one 0: for them give --simplify.

    \b
    Examples:
      tagpool clusters news.txt.gz --k 1000 -o brown.txt
      tagpool clusters a.txt b.txt --min-count 5 --simplify -o brown.txt.gz
      tagpool train --train train.conll --model m.tagpool --features mine.txt --use brown=brown.txt
    """
    check_output(output, json)
    begun = time.perf_counter()
    with followed(f"joining words to {k:,} clusters") as step:
        found = Clusters.brown(
            list(text), k=k, min_count=min_count, simplify=simplify, lower=lower, encoding=encoding, on_step=step
        )
    found.write(output)
    told = {
        "output": str(output),
        "tokens": sum(found.counts.values()),
        "words": len(found),
        "clusters": found.cluster_count,
        "seconds": round(time.perf_counter() - begun, 3),
    }
    if json:
        print_json(told)
    else:
        numbers = f"{told['tokens']:,} tokens: {told['words']:,} words in {told['clusters']:,} clusters"
        errors.print(f"{numbers}, {told['seconds']:.1f} s", highlight=False, markup=False)
