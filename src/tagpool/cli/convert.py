"""``tagpool convert``."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from tagpool.cli.console import ColumnsOption, EncodingOption, LabelOption, errors
from tagpool.corpus.conll import lost_in_conllu
from tagpool.corpus.corpus import WORD, Corpus
from tagpool.corpus.files import STANDARD_STREAM
from tagpool.corpus.formats import Format, format_of, read_corpus, write_corpus
from tagpool.corpus.jsonl import Misaligned
from tagpool.corpus.schemes import Scheme, convert_many, detect
from tagpool.corpus.text import SPACE
from tagpool.errors import InputError


class SpanScheme(str, Enum):
    """The schemes labels can be converted between."""

    IOB1 = "iob1"
    BIO2 = "bio2"
    BILOU = "bilou"
    BIOES = "bioes"


class Separator(str, Enum):
    """What stands between the columns of a CoNLL file."""

    SPACE = "space"
    TAB = "tab"


def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="The file to read; - is standard input.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write; - is standard output.")],
    from_: Annotated[Format | None, typer.Option("--from", help="IN's format; guessed from its name when not given.")] = None,
    to: Annotated[Format | None, typer.Option(help="OUT's format; guessed from its name when not given.")] = None,
    columns: ColumnsOption = None,
    keep: Annotated[str | None, typer.Option(help="Only these columns, in this order, such as word,label.")] = None,
    label: LabelOption = None,
    scheme: Annotated[SpanScheme | None, typer.Option(help="Convert the labels to this tag scheme.")] = None,
    from_scheme: Annotated[SpanScheme | None, typer.Option(help="The scheme the labels are in; detected when not given.")] = None,
    repair: Annotated[bool, typer.Option("--repair", help="Repair invalid label sequences as conlleval reads them.")] = False,
    misaligned: Annotated[Misaligned, typer.Option(help="Spans that cut a token.")] = "error",
    separator: Annotated[Separator, typer.Option(help="Between the columns of a CoNLL file.")] = Separator.SPACE,
    encoding: EncodingOption = "utf-8",
) -> None:
    """Convert between file formats and between tag schemes; what a format cannot hold is named.

    \b
    Examples:
      tagpool convert eng.train train.conll --columns word,pos,chunk,label --scheme bioes --repair
      tagpool convert doccano.jsonl train.conll
      tagpool convert en.conllu en.tsv --keep word,upos --separator tab
    """
    corpus = read_corpus(source, columns=columns, label=label, format=from_, misaligned=misaligned, encoding=encoding)
    if scheme is not None or repair:
        corpus = _convert_labels(corpus, from_scheme, scheme, repair)
    _name_losses(corpus if keep is None else corpus.with_columns(keep.split(",")), to or format_of(target))
    write_corpus(corpus, target, columns=keep, format=to, separator="\t" if separator is Separator.TAB else " ")
    if str(target) != STANDARD_STREAM:
        errors.print(
            f"{len(corpus):,} sentences, {corpus.token_count:,} tokens written to {target}", highlight=False, markup=False
        )


def _name_losses(corpus: Corpus, target: Format) -> None:
    """Says which columns, and that comments, will not be in the new file."""
    lost: list[str] = []
    if target is Format.CONLLU:
        lost = lost_in_conllu(corpus)
    elif target in (Format.SPANS, Format.TEXT):
        kept = {WORD, SPACE, corpus.label_column if target is Format.SPANS else SPACE}
        lost = [name for name in corpus.columns if name not in kept]
    if corpus.native.asides and target not in (Format.CONLL, Format.CONLLU):
        lost.append("comments")
    if lost:
        errors.print(f"not kept, since {target.value} has no place for it: {', '.join(lost)}", highlight=False, markup=False)


def _convert_labels(corpus: Corpus, source: SpanScheme | None, target: SpanScheme | None, repair: bool) -> Corpus:
    found = detect(corpus.labels)
    origin = Scheme.of(source.value) if source else found.scheme
    wanted = Scheme.of(target.value) if target else origin
    if (origin is Scheme.PLAIN) != (wanted is Scheme.PLAIN):
        raise InputError(
            f"the labels are {found.description}: only IOB1, BIO2, BILOU and BIOES can be converted into each other",
            source=corpus.source,
        )
    try:
        labels, changed = convert_many(corpus.labels, origin, wanted, repair=repair)
    except InputError as error:
        raise InputError(f"labels are {found.description}; {error}", source=corpus.source) from None
    note = f", {changed:,} labels repaired" if repair else ""
    read_as = found.description if source is None else f"{found.description}, read as {origin.label}"
    errors.print(f"labels: {read_as} → {wanted.label}{note}", highlight=False, markup=False)
    return corpus.with_labels(labels)
