"""``tagpool tag``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from tagpool.cli.console import ColumnsOption, EncodingOption, FormatOption, OutputOption, UseOption, parse_uses, report_error
from tagpool.cli.inputs import expect_one_file
from tagpool.cli.outputs import refuse_inputs
from tagpool.corpus.conll import CONLLU_COLUMNS
from tagpool.corpus.corpus import LABEL
from tagpool.corpus.files import STANDARD_STREAM, open_output, source_name
from tagpool.corpus.formats import Format, format_of
from tagpool.corpus.schemes import is_plain
from tagpool.errors import InputError, TagpoolError
from tagpool.tagging.blocks import Blocks
from tagpool.tagging.conll import ConllTagger, ConlluTagger
from tagpool.tagging.jsonl import JsonlTagger
from tagpool.tagging.labeller import Labeller, StreamTagger
from tagpool.tagging.models import fastest, load_model
from tagpool.tagging.text import TextTagger
from tagpool.wording import counted

_FORMATS = (Format.CONLL, Format.CONLLU, Format.JSONL, Format.SPANS, Format.TEXT)  # with a class in tagpool.tagging


def tag(
    model: Annotated[Path, typer.Argument(help="Model file.")],
    file: Annotated[Path, typer.Argument(help="File to label; - is standard input.")] = Path(STANDARD_STREAM),
    output: OutputOption = Path(STANDARD_STREAM),
    nbest: Annotated[int, typer.Option(min=0, max=100_000, help="Write the N best sequences of each sentence.")] = 0,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Write the probability of each label in a column before it.")
    ] = False,
    scheme: Annotated[str | None, typer.Option(help="Only valid sequences of this scheme: iob1, bio2, bioes, bilou.")] = None,
    columns: ColumnsOption = None,
    format: FormatOption = None,  # noqa: A002 - the option's name
    encoding: EncodingOption = "utf-8",
    threads: Annotated[int, typer.Option(min=1, help="Number of threads; does not change the labels.")] = 1,
    keep_going: Annotated[bool, typer.Option("--keep-going", help="Skip bad records, report them, and exit with 1.")] = False,
    use: UseOption = None,
) -> None:
    """Label a file or a stream.

    CoNLL lines get the label as a last column, so that tagpool score can read the result. JSONL objects get labels. Text
    (--format text) becomes lines of word and label. The default columns of a CoNLL file are those of the training file, with or
    without its labels. Pools that merge into one model tag at its speed; others are about 20 times slower.

    A bad record ends the command after the labels of all earlier records are written to standard output. A file (-o) is complete
    or not written at all. With --keep-going a bad record is replaced in the output by an object {"line": 3, "error": "..."}
    (JSONL) or a comment "# skipped = ..." (other formats).

    \b
    Examples:
      tagpool tag ner.tagpool test.conll -o tagged.conll && tagpool score tagged.conll
      echo "Ann Smith moved to Oslo." | tagpool tag ner.tagpool - --format text
      tagpool tag ner.tagpool test.conll --nbest 3 --probabilities
      tagpool tag small.tagpool test.conll --use cities=cities.txt
    """
    file = Path(expect_one_file(file, _one_by_one(model, file)))
    refuse_inputs("--output", output, (model, file))
    tagger = fastest(load_model(model, templates=True, resources=parse_uses(use)), threads)
    labeller = Labeller(tagger, nbest=nbest, probabilities=probabilities, scheme=scheme)
    kind = format or format_of(file)
    by_line = kind not in (Format.CONLL, Format.CONLLU)
    by_document = labeller.by_document and not by_line
    blocks = Blocks(file, encoding=encoding, by_line=by_line, by_document=by_document, keep_going=keep_going)
    pieces = _tagger(labeller, blocks, file, kind, columns)
    pieces.on_error = lambda error: report_error(str(error))
    try:
        with open_output(output) as write:
            for piece in pieces:
                write(piece)
    except KeyboardInterrupt:
        if str(output) == STANDARD_STREAM:
            raise KeyboardInterrupt("the labels so far are written") from None
        raise
    except InputError as error:
        if error.line is None or keep_going:
            raise
        remark = " (the old file is kept)" if output.exists() else ""
        state = "" if str(output) == STANDARD_STREAM else f"; {output} is not written, since it would be incomplete{remark}"
        message = f"{error.message}{state}; skip such records with --keep-going"
        raise InputError(message, source=error.source, line=error.line) from None
    if pieces.skipped:
        raise TagpoolError(f"{source_name(file)}: skipped {counted(pieces.skipped, 'bad record')}")


def _one_by_one(model: Path, file: Path) -> str:
    pattern = f"{shlex.quote(str(file))}/*" if file.is_dir() else file
    command = f'tagpool tag {shlex.quote(str(model))} "$file" -o "$file.tagged"'
    return f"label them one by one: for file in {pattern}; do {command}; done"


def _tagger(labeller: Labeller, blocks: Blocks, file: Path, kind: Format, columns: str | None) -> StreamTagger:
    if kind not in _FORMATS:
        advice = f"convert the file first: tagpool convert {file} -o FILE.conll"
        raise InputError(f"tagpool tag does not write the format {kind.value}; {advice}", source=source_name(file))
    if columns is not None and kind is not Format.CONLL:
        raise InputError(f"--columns is for CoNLL, not for {kind.value}; use --format conll", source=file)
    if kind is Format.CONLL:
        return ConllTagger(labeller, blocks, columns)
    if kind is Format.CONLLU:
        return ConlluTagger(labeller, blocks, _conllu_column(labeller))
    return TextTagger(labeller, blocks) if kind is Format.TEXT else JsonlTagger(labeller, blocks)


def _conllu_column(labeller: Labeller) -> str | None:
    """The CoNLL-U column of the labels: the one of training, or UPOS for plain labels of other files; else None."""
    learned_from = labeller.summary.get("label")
    if learned_from in CONLLU_COLUMNS:
        return str(learned_from)
    return "upos" if learned_from == LABEL and is_plain(dict.fromkeys(labeller.names, 1)) else None
