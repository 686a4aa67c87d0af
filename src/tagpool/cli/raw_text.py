"""What the commands have in common that make resources of raw text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tagpool.corpus.files import STANDARD_STREAM
from tagpool.corpus.whole_file import WholeFile
from tagpool.errors import InputError

TextArgument = Annotated[list[Path], typer.Argument(help="Tokenised text, one sentence a line; gzip too; - is standard input.")]
OutputOption = Annotated[
    Path, typer.Option("--output", "-o", help="Write to this file, whole or not at all, instead of standard output.")
]
SimplifyOption = Annotated[bool, typer.Option("--simplify", help="Runs of digits as one 0: simplify(word) in templates.")]


def check_output(output: Path, json: bool) -> None:
    """Raises an error if what is found could not be written: before long work, rather than after it."""
    if str(output) != STANDARD_STREAM:
        WholeFile.check(output)
    elif json:
        raise InputError("--json prints a summary where the result goes: name a file for the result with --output")
