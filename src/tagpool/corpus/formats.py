"""Reading and writing corpora in any file format.

To add a format, write a module with a reader and a writer, name the format in ``Format`` and register both in ``FORMATS``.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tagpool.corpus.annotations.losses import Losses
from tagpool.corpus.conll import format_conll, format_conllu, last_columns, read_conll, read_conllu
from tagpool.corpus.corpus import LABEL, Corpus
from tagpool.corpus.files import check_path, plain_suffix, source_name, write_text
from tagpool.corpus.jsonl import Misaligned, format_jsonl, read_jsonl
from tagpool.corpus.text import format_text, read_text
from tagpool.errors import InputError, MemoryFor, check_type


class Format(str, Enum):
    """File formats; ``spans`` is JSONL with character offsets, and read like any JSONL."""

    CONLL = "conll"
    CONLLU = "conllu"
    JSONL = "jsonl"
    SPANS = "spans"
    TEXT = "text"
    PARQUET = "parquet"
    SPACY = "spacy"
    PRODIGY = "prodigy"
    DOCCANO = "doccano"
    LABEL_STUDIO = "label-studio"
    BRAT = "brat"
    WEBANNO = "webanno"
    INCEPTION = "inception"
    CONLLUP = "conllup"


@dataclass(frozen=True)
class ReadOptions:
    """Options of :func:`read_corpus` that readers may use."""

    columns: Sequence[str] | None = None
    misaligned: Misaligned | None = None
    encoding: str = "utf-8"
    losses: Losses = field(default_factory=Losses)


class FileFormat(NamedTuple):
    """Reader of a format, function of (corpus, columns, separator) that returns the text of a file, and file suffixes.

    A format that is binary, without tokens, or of an annotation tool has a function that writes a file instead, and counts what
    is lost.
    """

    read: Callable[[str | Path, ReadOptions], Corpus]
    format: Callable[[Corpus, Sequence[str] | None, str], str] | None = None
    suffixes: tuple[str, ...] = ()
    write: Callable[[Corpus, str | Path, Losses], None] | None = None


def _read_jsonl(path: str | Path, options: ReadOptions) -> Corpus:
    def read_other() -> Corpus | None:
        from tagpool.corpus.annotations.detection import is_tool_file

        return _read_tool(path, options) if is_tool_file(path, encoding=options.encoding) else None

    return read_jsonl(path, misaligned=options.misaligned or "error", encoding=options.encoding, read_other=read_other)


def _read_tool(path: str | Path, options: ReadOptions, kind: str | None = None) -> Corpus:
    from tagpool.corpus.annotations.corpora import read_tool_corpus

    misaligned, losses = options.misaligned, options.losses
    return read_tool_corpus(path, kind=kind, misaligned=misaligned, encoding=options.encoding, losses=losses)


def _tool(kind: Format, suffixes: tuple[str, ...] = ()) -> FileFormat:
    """Return the format of an annotation tool."""

    def write(corpus: Corpus, path: str | Path, losses: Losses) -> None:
        from tagpool.corpus.annotations.writing import write_tool_corpus

        write_tool_corpus(corpus, path, kind.value, losses)

    return FileFormat(lambda path, options: _read_tool(path, options, kind.value), suffixes=suffixes, write=write)


def _read_conllu_plus(path: str | Path, options: ReadOptions) -> Corpus:
    from tagpool.corpus.annotations.conllu_plus import read_conllu_plus

    return read_conllu_plus(path, encoding=options.encoding)


def _read_parquet(path: str | Path, options: ReadOptions) -> Corpus:
    from tagpool.corpus.parquet import read_parquet

    return read_parquet(path, columns=options.columns)


def _write_spans(corpus: Corpus, path: str | Path, losses: Losses) -> None:
    from tagpool.corpus.annotations.text_documents import TOKENS, UNKNOWN_LABELS, count_other_tokens, span_type
    from tagpool.corpus.unknown_labels import UNKNOWN

    text = format_jsonl(corpus, as_spans=True, type_name=partial(span_type, losses=losses))
    losses[TOKENS] += count_other_tokens(corpus)
    losses[UNKNOWN_LABELS] += sum(row.count(UNKNOWN) for row in corpus.labels) if corpus.label_column else 0
    write_text(path, text)


def _write_parquet(corpus: Corpus, path: str | Path, _: Losses) -> None:
    from tagpool.corpus.parquet import write_parquet

    write_parquet(corpus, path)


def _read_spacy(path: str | Path, _: ReadOptions) -> Corpus:
    from tagpool.corpus.spacy.files import read_docbin

    return read_docbin(path)


def _write_spacy(corpus: Corpus, path: str | Path, _: Losses) -> None:
    from tagpool.corpus.spacy.files import write_docbin

    write_docbin(corpus, path)


FORMATS = {
    Format.CONLL: FileFormat(
        lambda path, o: read_conll(path, columns=o.columns, encoding=o.encoding),
        lambda corpus, columns, separator: format_conll(corpus, columns=columns, separator=separator),
    ),
    Format.CONLLU: FileFormat(
        lambda path, o: read_conllu(path, encoding=o.encoding), lambda corpus, *_: format_conllu(corpus), suffixes=(".conllu",)
    ),
    Format.JSONL: FileFormat(_read_jsonl, lambda corpus, *_: format_jsonl(corpus), suffixes=(".jsonl", ".ndjson", ".json")),
    Format.SPANS: FileFormat(_read_jsonl, write=_write_spans),
    Format.TEXT: FileFormat(lambda path, o: read_text(path, encoding=o.encoding), lambda corpus, *_: format_text(corpus)),
    Format.PARQUET: FileFormat(_read_parquet, suffixes=(".parquet",), write=_write_parquet),
    Format.SPACY: FileFormat(_read_spacy, suffixes=(".spacy",), write=_write_spacy),
    Format.PRODIGY: _tool(Format.PRODIGY),
    Format.DOCCANO: _tool(Format.DOCCANO),
    Format.LABEL_STUDIO: _tool(Format.LABEL_STUDIO),
    Format.BRAT: _tool(Format.BRAT, (".ann",)),
    Format.WEBANNO: _tool(Format.WEBANNO),
    Format.INCEPTION: _tool(Format.INCEPTION, (".xmi", ".zip")),
    Format.CONLLUP: _tool(Format.CONLLUP, (".conllup",))._replace(read=_read_conllu_plus),
}


def format_of(path: str | Path) -> Format:
    """Return the format that a file's suffix means; CoNLL columns if it means none.

    >>> format_of("dev.conllu.gz").value, format_of("train.txt").value
    ('conllu', 'conll')
    """
    check_path(path)
    suffix = plain_suffix(path)
    return next((format_ for format_, one in FORMATS.items() if suffix in one.suffixes), Format.CONLL)


def read_corpus(
    path: str | Path,
    *,
    columns: Sequence[str] | str | None = None,
    label: str | None = None,
    format: Format | str | None = None,  # noqa: A002 - the usual word
    misaligned: Misaligned | None = None,
    encoding: str = "utf-8",
    losses: Counter[str] | None = None,
) -> Corpus:
    """Read a corpus.

    ``columns`` names the columns of a CoNLL file (``"word,pos,label"``), or those of a Parquet file that are read, with new
    names (``"text=word,ner=label"``). ``label`` is the column of the labels (default: ``label``). ``format`` defaults to that of
    the file's suffix. ``.gz`` and ``.zst`` files are decompressed; ``-`` is standard input.
    ``misaligned`` decides about character spans that begin or end inside a token (default: ``"error"`` for JSONL, ``"expand"``
    for files of annotation tools). ``losses`` counts what a corpus has no place for, such as relations; without it, a warning has
    the numbers.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "tiny.conll")
    >>> _ = path.write_text("Ann B-PER\\nleft O\\n")
    >>> read_corpus(path, columns="word,label")
    <Corpus: 1 sentence, 2 tokens, columns word, label>
    """
    check_path(path)
    kind = format_to_read(format, path)
    if isinstance(columns, str):
        columns = columns.split(",")
    if columns is not None and kind not in (Format.CONLL, Format.PARQUET):
        message = f"columns can be named for CoNLL and Parquet files only, and this is read as {kind.value}"
        raise InputError(message, source=source_name(path))
    with MemoryFor(f"read {source_name(path)}"):
        options = ReadOptions(columns, misaligned, encoding)
        corpus = FORMATS[kind].read(path, options)
    _report(options.losses, losses, f"{source_name(path)}: not read")
    if label is None:
        return corpus
    if label not in corpus.columns and label != LABEL:
        message = f"no column {label!r} to take labels from; the columns are {', '.join(corpus.columns)}"
        raise InputError(message, source=corpus.source)
    return Corpus(corpus.native, label_column=label, source=corpus.source)


def read_labelled(
    path: str | Path,
    *,
    columns: Sequence[str] | str | None = None,
    label: str | None = None,
    format: Format | str | None = None,  # noqa: A002
    encoding: str = "utf-8",
    last: Sequence[str] = (LABEL,),
) -> Corpus:
    """Read a corpus that must have labels.

    Without ``columns`` and ``label``, the first column of a CoNLL file is the word, and ``last`` names the last ones.
    """
    kind = format_to_read(format, path)
    if kind is Format.CONLL and columns is None and label is None:
        columns, label = last_columns(path, last, encoding=encoding), last[-1]
    return read_corpus(path, columns=columns, label=label, format=kind, encoding=encoding).require_labels()


def write_corpus(
    corpus: Corpus,
    path: str | Path,
    *,
    columns: Sequence[str] | str | None = None,
    format: Format | str | None = None,  # noqa: A002
    separator: str = " ",
    losses: Counter[str] | None = None,
) -> None:
    """Write a corpus; if that fails, no partial file is left. ``separator`` is for CoNLL files; ``-`` is standard output.

    ``losses`` counts what the format of spans or of an annotation tool has no place for; without it, a warning has the numbers.
    """
    check_type(corpus, Corpus, "a Corpus; make one with read_corpus(path) or Corpus.from_lists(word=...)")
    if isinstance(columns, str):
        columns = [name.strip() for name in columns.split(",")]
    if columns is not None:
        corpus = corpus.with_columns(columns)
    written_as = FORMATS[_format(format, path)]
    with MemoryFor(f"write {path}"):
        if written_as.write is not None:
            lost = Losses()
            written_as.write(corpus, path, lost)
            _report(lost, losses, f"{path}: not written")
        elif written_as.format is not None:
            write_text(path, written_as.format(corpus, columns, separator))


def _report(lost: Losses, losses: Counter[str] | None, what: str) -> None:
    if losses is not None:
        losses.update(lost.counts())
    elif lost.of_labels().counts():
        warnings.warn(f"{what}: {lost.of_labels().describe()}", stacklevel=3)


def format_to_read(name: Format | str | None, path: str | Path) -> Format:
    """Return the format of a file (default: that of its suffix); that of a ``.tsv`` file depends on its first line."""
    kind = _format(name, path)
    if name is None and kind is Format.CONLL and plain_suffix(path) == ".tsv":
        from tagpool.corpus.annotations.detection import is_webanno

        return Format.WEBANNO if is_webanno(path) else kind
    return kind


def _format(name: Format | str | None, path: str | Path) -> Format:
    try:
        return format_of(path) if name is None else Format(name)
    except ValueError:
        raise InputError(f"unknown format {name!r}; expected one of {', '.join(f.value for f in Format)}") from None
