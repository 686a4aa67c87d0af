"""``tagpool ambiguity``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from tagpool.cli.console import ColumnsOption, EncodingOption, FormatOption, JsonOption, LabelOption, errors, print_json
from tagpool.cli.raw_text import OutputOption, SimplifyOption, TextArgument, check_output
from tagpool.cli.steps import followed
from tagpool.cli.training.reader import Reader
from tagpool.corpus.corpus import WORD
from tagpool.corpus.files import STANDARD_STREAM, read_utf8, source_name
from tagpool.errors import InputError
from tagpool.features.tag_counts import SHARE, TRAINING_MINIMUM, TagCounts
from tagpool.tagging.models import columns_of, experts_in, fastest, load_model

_BLOCK = 2000  # sentences tagged at once


def ambiguity(
    text: TextArgument,
    model: Annotated[Path, typer.Option(help="The model that tags the text; it must need nothing but words.")],
    output: OutputOption = Path(STANDARD_STREAM),
    train: Annotated[
        Path | None,
        typer.Option(help=f"Labelled text to count as well: its words that occur {TRAINING_MINIMUM} times or more."),
    ] = None,
    share: Annotated[
        float, typer.Option(min=0, max=1, help="Tags with a smaller share of a word's occurrences are dropped.")
    ] = SHARE,
    min_count: Annotated[int, typer.Option(min=1, help="Words that occur fewer times get no class.")] = 1,
    simplify: SimplifyOption = False,
    columns: ColumnsOption = None,
    label: LabelOption = None,
    format: FormatOption = None,  # noqa: A002 - the option's name
    encoding: EncodingOption = "utf-8",
    threads: Annotated[int, typer.Option(min=1, help="How many threads; the classes are the same.")] = 1,
    json: JsonOption = False,
) -> None:
    """Find out which tags words may have: tag raw text with a model, and count.

    The text is tokenised, one sentence a line, with blanks between words. Written are lines of a word and its tags, most
    frequent first, as templates read them: ambiguity(classes) with --use classes=FILE. The presets look up words whose runs of
    digits are one 0: for them give --simplify. --columns, --label and --format are those of --train.

    \b
    Examples:
      tagpool ambiguity news.txt.gz --model pos.tagpool -o classes.tsv
      tagpool ambiguity news.txt.gz --model pos.tagpool --train train.tsv --columns word,label --simplify -o classes.tsv
    """
    check_output(output, json)
    begun = time.perf_counter()
    tagger = fastest(load_model(model, templates=True)).set_params(threads=threads)
    for expert in experts_in(tagger):
        expert.threads = threads
    if more := [column for column in columns_of(tagger) if column != WORD]:
        raise InputError(
            f"the model also looks at {', '.join(more)}, which raw text has not; expected one of words alone", source=model
        )
    counts = TagCounts(simplify=simplify)
    if train is not None:
        counts.add_training(Reader(columns, label, format, encoding).corpus(train))
    tokens = 0
    for path in text:
        lines = [line for line in read_utf8(path, encoding=encoding).split(b"\n") if line.strip()]
        if not lines:
            raise InputError("expected sentences, got none: there are no words", source=source_name(path))
        with followed(f"tagging {len(lines):,} sentences of {source_name(path)}") as step:
            for begin in range(0, len(lines), _BLOCK):
                # Bytes are cut at ASCII's blanks only, as clusters are; other ones may stand inside words.
                block = [[word.decode() for word in line.split()] for line in lines[begin : begin + _BLOCK]]
                counts.add(block, tagger.predict(block))
                tokens += sum(map(len, block))
                step(begin + len(block), len(lines))
    found = counts.write(output, share=share, min_count=min_count)
    told = {"output": str(output), "tokens": tokens, "words": found, "seconds": round(time.perf_counter() - begun, 3)}
    if json:
        print_json(told)
    else:
        errors.print(f"{tokens:,} tokens: classes of {found:,} words, {told['seconds']:.1f} s", highlight=False, markup=False)
