"""Options of the commands that make resources from raw text."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from tagpool.cli.inputs import with_expanded
from tagpool.cli.outputs import refuse_inputs
from tagpool.corpus.files import STANDARD_STREAM
from tagpool.corpus.whole_file import WholeFile
from tagpool.errors import InputError

TextArgument = Annotated[
    list[str],
    typer.Argument(help="Tokenised text, one sentence per line: files (also gzip), folders or patterns; - is standard input."),
]
SimplifyOption = Annotated[bool, typer.Option("--simplify", help="Replace runs of digits by one 0, as simplify(word) does.")]


def check_output(output: Path, inputs: Iterable[str | Path | None], json: bool) -> None:
    """Raise an error before long work if the result could not be written after it, or would replace an input."""
    refuse_inputs("--output", output, with_expanded(inputs))
    if str(output) != STANDARD_STREAM:
        WholeFile.check(output)
    elif json:
        raise InputError("--json prints a summary where the result goes; name a file for the result with --output")
