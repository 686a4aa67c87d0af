"""Labelling of a file or a stream. A start-up file: it imports no typer, which takes longer than a small file."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tagpool.cli.inputs import expect_one_file
from tagpool.cli.outputs import refuse_inputs
from tagpool.corpus.blocks import Blocks
from tagpool.corpus.files import STANDARD_STREAM, open_output, source_name
from tagpool.corpus.formats import Format, format_of
from tagpool.errors import InputError, TagpoolError
from tagpool.tagging.conll import ConllTagger, ConlluTagger, conllu_column
from tagpool.tagging.jsonl import JsonlTagger
from tagpool.tagging.labeller import Labeller, StreamTagger
from tagpool.tagging.models import fastest, load_model
from tagpool.tagging.text import TextTagger
from tagpool.wording import counted

_FORMATS = (Format.CONLL, Format.CONLLU, Format.JSONL, Format.SPANS, Format.TEXT)  # with a class in tagpool.tagging


def label_file(
    model: Path,
    file: Path,
    output: Path,
    *,
    nbest: int = 0,
    probabilities: bool = False,
    scheme: str | None = None,
    columns: str | None = None,
    kind: Format | None = None,
    encoding: str = "utf-8",
    threads: int = 1,
    keep_going: bool = False,
    resources: Mapping[str, Any] | None = None,
    truecase: bool = False,
) -> None:
    """Label a file; the parameters are the options of ``tagpool tag``."""
    file = Path(expect_one_file(file, _one_by_one(model, file)))
    refuse_inputs("--output", output, (model, file))
    tagger = fastest(load_model(model, templates=True, resources=resources), threads)
    labeller = Labeller(tagger, nbest=nbest, probabilities=probabilities, scheme=scheme, truecase=truecase)
    kind = kind or format_of(file)
    by_line = kind not in (Format.CONLL, Format.CONLLU)
    by_document = labeller.by_document and not by_line
    blocks = Blocks(file, encoding=encoding, by_line=by_line, by_document=by_document, keep_going=keep_going)
    pieces = _tagger(labeller, blocks, file, kind, columns)
    pieces.on_error = _report
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


def _report(error: InputError) -> None:
    from tagpool.cli.console import report_error

    report_error(str(error))


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
        return ConlluTagger(labeller, blocks, conllu_column(labeller))
    return TextTagger(labeller, blocks) if kind is Format.TEXT else JsonlTagger(labeller, blocks)
