"""``tagpool suggest``."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import Annotated, Literal

import typer

from tagpool.auditing.labellers import labeller_of
from tagpool.auditing.suggestion_files import suggestion_records
from tagpool.auditing.suggestions import suggest as suggest_sentences
from tagpool.cli.auditing.texts import TextReader
from tagpool.cli.console import notes, print_json, print_text
from tagpool.cli.inputs import read_files, with_expanded
from tagpool.cli.options import ColumnsOption, EncodingOption, FormatOption, JsonOption, OutputOption
from tagpool.cli.outputs import refuse_inputs, refuse_mixed_output
from tagpool.cli.progress import follow_steps
from tagpool.cli.records import write_records
from tagpool.corpus.files import STANDARD_STREAM, write_text
from tagpool.corpus.whole_file import WholeFile
from tagpool.tagging.models import load_model
from tagpool.wording import counted

Form = Literal["tokens", "prodigy", "label-studio", "doccano"]


def suggest(
    model: Annotated[Path, typer.Argument(help="Model file.")],
    files: Annotated[list[str], typer.Argument(metavar="TEXTS...", help="Texts to choose from: files, folders or patterns.")],
    target: OutputOption = Path(STANDARD_STREAM),
    to: Annotated[Form, typer.Option(help="Form of the records: that of the annotation tool.")] = "tokens",
    top: Annotated[int, typer.Option(min=1, help="Number of sentences.")] = 100,
    labelled: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Sentences to leave out, since they have labels (repeatable)."),
    ] = None,
    threads: Annotated[int, typer.Option(min=1, help="Number of threads.")] = 1,
    columns: ColumnsOption = None,
    format: FormatOption = None,  # noqa: A002 - the option's name
    encoding: EncodingOption = "utf-8",
    json: JsonOption = False,
) -> None:
    """Choose the sentences to label next, with proposed labels.

    The first sentences have frequent words whose labels the model doubts, and that no sentence before them has. Correct the
    proposed labels in the annotation tool, train again with the result, and repeat. label-studio writes one JSON array, the other
    forms write JSONL.

    \b
    Examples:
      tagpool suggest ner.tagpool texts.txt --format text --top 200 -o batch.jsonl --to prodigy
      tagpool suggest ner.tagpool texts.jsonl --labelled train.conll -o tasks.json --to label-studio
    """
    refuse_inputs("--output", target, with_expanded([model, *files, *(labelled or ())]))
    refuse_mixed_output(target, json)
    if str(target) != STANDARD_STREAM:
        WholeFile.check(target)
    tagger = load_model(model, templates=True)
    tagger.threads = threads
    reader = TextReader(labeller_of(tagger), columns, format, encoding)
    corpus = read_files(files, reader.read)
    known = read_files(labelled, reader.read) if labelled else None
    with follow_steps(f"ranking {counted(len(corpus), 'sentence')}"):
        chosen = suggest_sentences(tagger, corpus, count=top, labelled=known)
    records = suggestion_records(to, corpus, chosen, model.stem)
    if to == "label-studio":
        text = json_module.dumps(records, ensure_ascii=False, indent=1) + "\n"
        print_text(text) if str(target) == STANDARD_STREAM else write_text(target, text)
    else:
        write_records(target, records)
    tokens, wrong = sum(len(one.labels) for one in chosen), sum(one.expected_errors for one in chosen)
    if json:
        print_json({"sentences": len(chosen), "tokens": tokens, "expected_errors": round(wrong, 2)})
    else:
        about = counted(round(wrong), "wrong label")
        notes.print_line(f"{counted(len(chosen), 'sentence')}, {counted(tokens, 'token')}, about {about} to correct")
