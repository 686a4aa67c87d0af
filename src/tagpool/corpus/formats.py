"""Reading and writing corpora in any file format.

To add a format, write a module with a reader and a writer, name the format in ``Format`` and register both in ``FORMATS``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from tagpool.corpus.conll import format_conll, format_conllu, last_columns, read_conll, read_conllu
from tagpool.corpus.corpus import LABEL, Corpus
from tagpool.corpus.files import COMPRESSED_SUFFIXES, check_path, source_name, write_text
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


@dataclass(frozen=True)
class ReadOptions:
    """Options of :func:`read_corpus` that readers may use."""

    columns: Sequence[str] | None = None
    misaligned: Misaligned = "error"
    encoding: str = "utf-8"


class FileFormat(NamedTuple):
    """Reader of a format, function of (corpus, columns, separator) that returns the text of a file, and file suffixes.

    A binary format has a function that writes a file instead.
    """

    read: Callable[[str | Path, ReadOptions], Corpus]
    format: Callable[[Corpus, Sequence[str] | None, str], str] | None = None
    suffixes: tuple[str, ...] = ()
    write: Callable[[Corpus, str | Path], None] | None = None


def _read_jsonl(path: str | Path, options: ReadOptions) -> Corpus:
    return read_jsonl(path, misaligned=options.misaligned, encoding=options.encoding)


def _read_parquet(path: str | Path, options: ReadOptions) -> Corpus:
    from tagpool.corpus.parquet import read_parquet

    return read_parquet(path, columns=options.columns)


def _write_parquet(corpus: Corpus, path: str | Path) -> None:
    from tagpool.corpus.parquet import write_parquet

    write_parquet(corpus, path)


def _read_spacy(path: str | Path, _: ReadOptions) -> Corpus:
    from tagpool.corpus.spacy.files import read_docbin

    return read_docbin(path)


def _write_spacy(corpus: Corpus, path: str | Path) -> None:
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
    Format.SPANS: FileFormat(_read_jsonl, lambda corpus, *_: format_jsonl(corpus, as_spans=True)),
    Format.TEXT: FileFormat(lambda path, o: read_text(path, encoding=o.encoding), lambda corpus, *_: format_text(corpus)),
    Format.PARQUET: FileFormat(_read_parquet, suffixes=(".parquet",), write=_write_parquet),
    Format.SPACY: FileFormat(_read_spacy, suffixes=(".spacy",), write=_write_spacy),
}


def format_of(path: str | Path) -> Format:
    """Return the format that a file's suffix means; CoNLL columns if it means none.

    >>> format_of("dev.conllu.gz").value, format_of("train.txt").value
    ('conllu', 'conll')
    """
    check_path(path)
    name = Path(path)
    suffix = Path(name.stem).suffix if name.suffix in COMPRESSED_SUFFIXES else name.suffix
    return next((format_ for format_, one in FORMATS.items() if suffix in one.suffixes), Format.CONLL)


def read_corpus(
    path: str | Path,
    *,
    columns: Sequence[str] | str | None = None,
    label: str | None = None,
    format: Format | str | None = None,  # noqa: A002 - the usual word
    misaligned: Misaligned = "error",
    encoding: str = "utf-8",
) -> Corpus:
    """Read a corpus.

    ``columns`` names the columns of a CoNLL file (``"word,pos,label"``), or those of a Parquet file that are read, with new
    names (``"text=word,ner=label"``). ``label`` is the column of the labels (default: ``label``). ``format`` defaults to that of
    the file's suffix. ``.gz`` and ``.zst`` files are decompressed; ``-`` is standard input.
    ``misaligned`` decides about character spans that begin or end inside a token (JSONL).

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "tiny.conll")
    >>> _ = path.write_text("Ann B-PER\\nleft O\\n")
    >>> read_corpus(path, columns="word,label")
    <Corpus: 1 sentence, 2 tokens, columns word, label>
    """
    check_path(path)
    kind = _format(format, path)
    if isinstance(columns, str):
        columns = columns.split(",")
    if columns is not None and kind not in (Format.CONLL, Format.PARQUET):
        message = f"columns can be named for CoNLL and Parquet files only, and this is read as {kind.value}"
        raise InputError(message, source=source_name(path))
    with MemoryFor(f"read {source_name(path)}"):
        corpus = FORMATS[kind].read(path, ReadOptions(columns, misaligned, encoding))
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
    kind = _format(format, path)
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
) -> None:
    """Write a corpus; if that fails, no partial file is left. ``separator`` is for CoNLL files; ``-`` is standard output."""
    check_type(corpus, Corpus, "a Corpus; make one with read_corpus(path) or Corpus.from_lists(word=...)")
    if isinstance(columns, str):
        columns = [name.strip() for name in columns.split(",")]
    if columns is not None:
        corpus = corpus.with_columns(columns)
    written_as = FORMATS[_format(format, path)]
    with MemoryFor(f"write {path}"):
        if written_as.write is not None:
            written_as.write(corpus, path)
        elif written_as.format is not None:
            write_text(path, written_as.format(corpus, columns, separator))


def _format(name: Format | str | None, path: str | Path) -> Format:
    try:
        return format_of(path) if name is None else Format(name)
    except ValueError:
        raise InputError(f"unknown format {name!r}; expected one of {', '.join(f.value for f in Format)}") from None
