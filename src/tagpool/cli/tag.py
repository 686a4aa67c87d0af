"""``tagpool tag``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tagpool.cli.label_file import label_files
from tagpool.cli.options import (
    ColumnsOption,
    EncodingOption,
    FormatOption,
    UseOption,
    expand_options,
    parse_uses,
)
from tagpool.cli.tagging.options import FolderOptions, ReadingOptions
from tagpool.corpus.files import STANDARD_STREAM


@expand_options(readings=ReadingOptions, folder=FolderOptions)
def tag(
    model: Annotated[Path, typer.Argument(help="Model file.")],
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="[FILE]...", help="File, folders or patterns to label; - is standard input.")
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Output file, or folder for several files; - is standard output.")
    ] = Path(STANDARD_STREAM),
    readings: ReadingOptions = ReadingOptions(),  # noqa: B008 - not changed
    columns: ColumnsOption = None,
    format: FormatOption = None,  # noqa: A002 - the option's name
    encoding: EncodingOption = "utf-8",
    threads: Annotated[int, typer.Option(min=1, help="Number of threads; does not change the labels.")] = 1,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Skip bad records and files, report them, and exit with 1.")
    ] = False,
    use: UseOption = None,
    folder: FolderOptions = FolderOptions(),  # noqa: B008 - not changed
) -> None:
    """Label a file, a stream, or the files of folders.

    CoNLL lines get the label as a last column, so that tagpool score can read the result. JSONL objects get labels. Text
    (--format text) becomes lines of word and label. The default columns of a CoNLL file are those of the training file, with or
    without its labels. Pools that merge into one model tag at its speed; others are about 20 times slower.

    A bad record ends the command after the labels of all earlier records are written to standard output. A file (-o) is complete
    or not written at all. With --keep-going a bad record is replaced in the output by an object {"line": 3, "error": "..."}
    (JSONL) or a comment "# skipped = ..." (other text formats).

    A folder is labelled with its subfolders: -o names a folder, which gets a file with the same relative path for each. A second
    run with the same model and options skips files that are done and unchanged (.tagpool-manifest.jsonl records them), so a run
    that was interrupted continues. --workers 2 uses two processes; --engine ray uses a cluster, whose machines share the folders.

    \b
    Examples:
      tagpool tag ner.tagpool test.conll -o tagged.conll && tagpool score tagged.conll
      echo "Ann Smith moved to Oslo." | tagpool tag ner.tagpool - --format text
      tagpool tag ner.tagpool test.conll --nbest 3 --probabilities
      tagpool tag small.tagpool test.conll --use cities=cities.txt
      tagpool tag ner.tagpool chat.txt --format text --truecase
      tagpool tag ner.tagpool news/ -o labelled --workers 2
      tagpool tag ner.tagpool 'news/*.jsonl.gz' -o labelled --engine ray --workers 8 --address auto --keep-going
    """
    label_files(
        model,
        files or [Path(STANDARD_STREAM)],
        output,
        folder,
        columns=columns,
        kind=format,
        encoding=encoding,
        threads=threads,
        keep_going=keep_going,
        resources=parse_uses(use),
        **vars(readings),
    )
