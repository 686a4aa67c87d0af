"""``tagpool convert``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from tagpool.cli.console import errors, notes, print_json
from tagpool.cli.inputs import expand_files, read_files, with_expanded
from tagpool.cli.model_conversion import MODEL_FORMATS, convert_model, model_origin
from tagpool.cli.options import ColumnsOption, EncodingOption, LabelOption, OutputOption, UseOption, expand_options, parse_uses
from tagpool.cli.outputs import refuse_inputs, refuse_mixed_output
from tagpool.corpus.annotations.losses import Losses, count_lines
from tagpool.corpus.conll import lost_in_conll, lost_in_conllu, lost_lines_of_conllu
from tagpool.corpus.corpus import WORD, Corpus
from tagpool.corpus.files import STANDARD_STREAM
from tagpool.corpus.formats import Format, format_of, read_corpus, write_corpus
from tagpool.corpus.jsonl import Misaligned
from tagpool.corpus.schemes import Scheme, convert_many, detect
from tagpool.corpus.spacy.files import lost_in_docbin
from tagpool.corpus.text import SPACE
from tagpool.errors import InputError
from tagpool.wording import counted

_SEPARATORS = {"space": " ", "tab": "\t"}
_FORMATS = ", ".join(one.value for one in Format)


SpanScheme = Literal["iob1", "bio2", "bilou", "bioes"]


@dataclass(frozen=True)
class LabelOptions:
    """The options of ``tagpool convert`` about labels."""

    scheme: Annotated[SpanScheme | None, typer.Option(help="Convert the labels to this tag scheme.")] = None
    from_scheme: Annotated[SpanScheme | None, typer.Option(help="Tag scheme of FILE (default: detected).")] = None
    repair: Annotated[bool, typer.Option("--repair", help="Repair invalid label sequences as conlleval does.")] = False


@expand_options(labels=LabelOptions)
def convert(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE", help="Corpus or model; files, folders and patterns become one corpus; - is standard input."
        ),
    ],
    target: OutputOption = Path(STANDARD_STREAM),
    from_: Annotated[Format | None, typer.Option("--from", help="Format of FILE (default: from its name).")] = None,
    to: Annotated[
        str | None,
        typer.Option(help=f"Output format (default: from the name): {_FORMATS}; for models crfsuite, wapiti, tagpool."),
    ] = None,
    columns: ColumnsOption = None,
    keep: Annotated[str | None, typer.Option(help="Only these columns, in this order: word,label.")] = None,
    label: LabelOption = None,
    labels: LabelOptions = LabelOptions(),
    misaligned: Annotated[
        Misaligned | None,
        typer.Option(help="Treatment of spans that cut a token (default: error for JSONL, expand for annotation tools)."),
    ] = None,
    separator: Annotated[Literal["space", "tab"], typer.Option(help="Column separator of CoNLL output.")] = "space",
    encoding: EncodingOption = "utf-8",
    use: UseOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print a summary as JSON.")] = False,
) -> None:
    """Convert corpora, tag schemes and model files.

    Models of tagpool, CRFsuite, Wapiti (text) and CRF++ (text) are recognised by their first bytes. A message names everything
    that the new format cannot hold.

    \b
    Examples:
      tagpool convert eng.train -o train.conll --columns word,pos,chunk,label --scheme bioes --repair
      tagpool convert doccano.jsonl -o train.conll
      tagpool convert train.conll -o tasks.json --to label-studio
      tagpool convert en.conllu -o en.tsv --keep word,upos --separator tab
      tagpool convert parts/ -o all.conll
      tagpool convert names.crfsuite -o names.tagpool
    """
    refuse_inputs("--output", target, with_expanded(sources))
    refuse_mixed_output(target, json)
    files = expand_files(sources)
    origin = _origin(files, use)
    if origin is not None:
        convert_model(Path(files[0]), origin, target, to, resources=parse_uses(use), json=json)
        return
    written_as = _target_format(to, target, files[0], sources)
    options: dict[str, Any] = {"columns": columns, "label": label, "misaligned": misaligned, "encoding": encoding}
    unread, unwritten = Losses(), Losses()
    corpus = read_files(files, partial(read_corpus, format=from_, losses=unread, **options))
    if labels.scheme is not None or labels.repair:
        corpus = _convert_labels(corpus, labels)
    unwritten.update(_count_losses(corpus if keep is None else corpus.with_columns(keep.split(",")), written_as))
    write_corpus(corpus, target, columns=keep, format=written_as, separator=_SEPARATORS[separator], losses=unwritten)
    _print_losses(unread, unwritten, written_as)
    if json:
        _print_json(corpus, unread, unwritten, written_as)
    elif str(target) != STANDARD_STREAM:
        notes.print_line(f"{counted(len(corpus), 'sentence')}, {counted(corpus.token_count, 'token')} written to {target}")


def _target_format(to: str | None, target: Path, source: str, inputs: list[str]) -> Format:
    """Return the format of the output; raise an error if that is one of models, or would replace the text of an input."""
    if (to or target.suffix.removeprefix(".")) in MODEL_FORMATS:
        raise InputError("expected a model of tagpool, CRFsuite, Wapiti or CRF++, since the output is a model", source=source)
    if to is not None and to not in list(Format):
        raise InputError(f"--to {to}: expected one of {_FORMATS}, or for models crfsuite, wapiti, tagpool")
    kind = format_of(target) if to is None else Format(to)
    if kind is Format.BRAT and os.path.exists(target):  # noqa: PTH110 - Path.exists raises errors for bad names
        refuse_inputs("--output", target.with_suffix(".txt"), with_expanded(inputs))  # replaced with its annotations
    return kind


def _print_json(corpus: Corpus, unread: Losses, unwritten: Losses, target: Format) -> None:
    losses = {"not_read": unread.counts(), "not_written": unwritten.counts()}
    print_json({"to": target.value, "sentences": len(corpus), "tokens": corpus.token_count, **losses})


def _print_losses(unread: Losses, unwritten: Losses, target: Format) -> None:
    for lost, reason in ((unread, "not read, since a corpus"), (unwritten, f"not kept, since {target.value}")):
        if lost.counts():
            errors.print_line(f"{reason} has no place for it: {lost.describe()}")


def _origin(files: list[str], use: list[str] | None) -> str | None:
    """Return the tool of a model; None for corpora, which have no resources."""
    for file in files:
        origin = model_origin(Path(file))
        if origin is not None and len(files) > 1:
            raise InputError("expected a corpus, got a model; convert models one by one", source=file)
    if origin is None and use:
        raise InputError("--use is for models, and this is a corpus; drop it", source=files[0])
    return origin


def _count_losses(corpus: Corpus, target: Format) -> Losses:
    """Return the tokens of columns, and the other lines, that the new file does not have; writers of other formats count them."""
    lost: list[str] = []
    lines: list[str] = []
    if target is Format.CONLL:
        lines = lost_in_conll(corpus)
    elif target is Format.CONLLU:
        lost, lines = lost_in_conllu(corpus), lost_lines_of_conllu(corpus)
    elif target is Format.SPACY:
        lost = lost_in_docbin(corpus)
    elif target in (Format.SPANS, Format.TEXT):
        columns = {WORD, SPACE, corpus.label_column if target is Format.SPANS else SPACE}
        lost = [name for name in corpus.columns if name not in columns]
    losses = Losses({f"column {name}": corpus.token_count for name in lost})
    if target in (Format.JSONL, Format.SPANS, Format.TEXT, Format.PARQUET, Format.SPACY):
        lines = [line for _, _, line in corpus.native.asides]
    losses.update(count_lines(lines))
    return losses


def _convert_labels(corpus: Corpus, options: LabelOptions) -> Corpus:
    detected = detect(corpus.labels)
    origin = Scheme.of(options.from_scheme) if options.from_scheme else detected.scheme
    wanted = Scheme.of(options.scheme) if options.scheme else origin
    if (origin is Scheme.PLAIN) != (wanted is Scheme.PLAIN):
        raise InputError(
            f"the labels are {detected.description}: only IOB1, BIO2, BILOU and BIOES can be converted into each other",
            source=corpus.source,
        )
    try:
        labels, changed = convert_many(corpus.labels, origin, wanted, repair=options.repair)
    except InputError as error:
        raise InputError(f"labels are {detected.description}; {error}", source=corpus.source) from None
    note = f", {counted(changed, 'label')} repaired" if options.repair else ""
    read_as = detected.description if options.from_scheme is None else f"{detected.description}, read as {origin.label}"
    notes.print_line(f"labels: {read_as} → {wanted.label}{note}")
    return corpus.with_labels(labels)
