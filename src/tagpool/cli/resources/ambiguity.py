"""``tagpool resources ambiguity``."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from tagpool.cli.console import notes, print_json
from tagpool.cli.inputs import expand_files, read_files
from tagpool.cli.options import (
    ColumnsOption,
    EncodingOption,
    FormatOption,
    JsonOption,
    LabelOption,
    OutputOption,
    UseOption,
    parse_uses,
)
from tagpool.cli.progress import follow_steps
from tagpool.cli.resources.raw_text import SimplifyOption, TextArgument, check_output
from tagpool.corpus.corpus import WORD
from tagpool.corpus.files import STANDARD_STREAM, read_utf8, source_name
from tagpool.corpus.formats import read_corpus
from tagpool.errors import InputError
from tagpool.experts.sequence_tagger import SequenceTagger
from tagpool.features.tag_counts import SHARE, TRAINING_MINIMUM, TagCounts
from tagpool.tagging.models import fastest, load_model
from tagpool.wording import counted

_BLOCK = 2000  # sentences tagged at once


def ambiguity(
    text: TextArgument,
    model: Annotated[Path, typer.Option(help="Model that tags the text; it may read words only.")],
    output: OutputOption = Path(STANDARD_STREAM),
    train: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help=f"Labelled file, folder or pattern to count, too: words that occur {TRAINING_MINIMUM} times or more.",
        ),
    ] = None,
    share: Annotated[
        float, typer.Option(min=0, max=1, help="Drop tags with a smaller share of the occurrences of a word.")
    ] = SHARE,
    min_count: Annotated[int, typer.Option(min=1, help="Ignore words that occur fewer times.")] = 1,
    simplify: SimplifyOption = False,
    columns: ColumnsOption = None,
    label: LabelOption = None,
    format: FormatOption = None,  # noqa: A002 - the option's name
    encoding: EncodingOption = "utf-8",
    threads: Annotated[int, typer.Option(min=1, help="Number of threads; does not change the result.")] = 1,
    use: UseOption = None,
    json: JsonOption = False,
) -> None:
    """List the tags of each word in text that a model tags.

    Writes lines of a word and its tags, most frequent first. Templates read them: ambiguity(classes) with the resource
    classes=FILE. The presets look up words with runs of digits as one 0; use --simplify for them. --columns, --label and
    --format belong to --train.

    \b
    Examples:
      tagpool resources ambiguity news.txt.gz --model pos.tagpool -o classes.tsv
      tagpool resources ambiguity news.txt.gz --model pos.tagpool --train train.tsv --columns word,label -o classes.tsv
    """
    check_output(output, [*text, model, train], json)
    begun = time.perf_counter()
    tagger = fastest(load_model(model, templates=True, resources=parse_uses(use)), threads)
    if more := [column for column in tagger.columns if column != WORD]:
        raise InputError(f"the model reads the columns {', '.join(more)}; raw text only has words", source=model)
    counts = TagCounts(simplify=simplify)
    if train is not None:
        corpus = read_files(train, partial(read_corpus, columns=columns, label=label, format=format, encoding=encoding))
        counts.add_training(corpus.require_labels())
    tokens = sum(_count_tags(path, tagger, counts, encoding) for path in expand_files(text))
    words = counts.write(output, share=share, min_count=min_count)
    summary = {"output": str(output), "tokens": tokens, "words": words, "seconds": round(time.perf_counter() - begun, 3)}
    if json:
        print_json(summary)
    else:
        notes.print_line(f"{counted(tokens, 'token')}: tags of {counted(words, 'word')}, {summary['seconds']:.1f} s")


def _count_tags(path: str, tagger: SequenceTagger, counts: TagCounts, encoding: str) -> int:
    """Tag the sentences of a file and count the tags; return the number of tokens."""
    tokens = 0
    lines = [line for line in read_utf8(path, encoding=encoding).split(b"\n") if line.strip()]
    if not lines:
        raise InputError("expected sentences, got none: there are no words", source=source_name(path))
    with follow_steps(f"tagging {counted(len(lines), 'sentence')} of {source_name(path)}") as step:
        for begin in range(0, len(lines), _BLOCK):
            # Split bytes at ASCII blanks only, as for clusters: words may contain other blanks.
            block = [[word.decode() for word in line.split()] for line in lines[begin : begin + _BLOCK]]
            counts.add(block, tagger.predict(block))
            tokens += sum(map(len, block))
            step(begin + len(block), len(lines))
    return tokens
