"""Reading and writing corpora whatever their format: the door most people use."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from pathlib import Path

from tagpool.corpus.conll import last_columns, read_conll, read_conllu, write_conll, write_conllu
from tagpool.corpus.corpus import LABEL, Corpus
from tagpool.corpus.files import source_name
from tagpool.corpus.jsonl import Misaligned, read_jsonl, write_jsonl
from tagpool.corpus.text import read_text, write_text_lines
from tagpool.errors import InputError


class Format(str, Enum):
    """The file formats; ``spans`` is JSONL with character offsets, and read like any JSONL."""

    CONLL = "conll"
    CONLLU = "conllu"
    JSONL = "jsonl"
    SPANS = "spans"
    TEXT = "text"


_SUFFIXES = {".conllu": Format.CONLLU, ".jsonl": Format.JSONL, ".ndjson": Format.JSONL, ".json": Format.JSONL}


def format_of(path: str | Path) -> Format:
    """The format a file's name suggests: CoNLL-U and JSONL by their suffix, everything else CoNLL columns. Text must be
    asked for.

    >>> format_of("dev.conllu.gz").value, format_of("train.txt").value
    ('conllu', 'conll')
    """
    name = Path(path)
    return _SUFFIXES.get(Path(name.stem).suffix if name.suffix == ".gz" else name.suffix, Format.CONLL)


def read_corpus(
    path: str | Path,
    *,
    columns: Sequence[str] | str | None = None,
    label: str | None = None,
    format: Format | str | None = None,  # noqa: A002 - the word everybody looks for
    misaligned: Misaligned = "error",
    encoding: str = "utf-8",
) -> Corpus:
    """Reads a corpus.

    ``columns`` names the columns of CoNLL files (``"word,pos,label"``); ``label`` the column that holds the labels, if it is not
    called ``label``; ``format`` is guessed from the file's name when not given; ``.gz`` files are read directly, ``-`` is
    standard input. ``misaligned`` says what happens to character spans that cut a token (JSONL).

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "tiny.conll")
    >>> _ = path.write_text("Ann B-PER\\nleft O\\n")
    >>> read_corpus(path, columns="word,label")
    <Corpus: 1 sentences, 2 tokens, columns word, label>
    """
    kind = _format(format) if format is not None else format_of(path)
    if isinstance(columns, str):
        columns = columns.split(",")
    if columns is not None and kind is not Format.CONLL:
        raise InputError(f"columns can be named for CoNLL files only, and this is read as {kind.value}", source=source_name(path))
    if kind is Format.CONLL:
        return read_conll(path, columns=columns, label=label, encoding=encoding)
    if kind is Format.CONLLU:
        return read_conllu(path, label=label, encoding=encoding)
    if kind is Format.TEXT:
        return _labelled(read_text(path, encoding=encoding), label)
    return _labelled(read_jsonl(path, misaligned=misaligned, encoding=encoding), label)


def read_labelled(
    path: str | Path,
    *,
    columns: Sequence[str] | str | None = None,
    label: str | None = None,
    format: Format | str | None = None,  # noqa: A002
    encoding: str = "utf-8",
) -> Corpus:
    """Reads a corpus that must have labels; without names, a CoNLL file's first column is the word and its last the label."""
    kind = _format(format) if format is not None else format_of(path)
    if kind is Format.CONLL and columns is None and label is None:
        columns = last_columns(path, [LABEL], encoding=encoding)
    corpus = read_corpus(path, columns=columns, label=label, format=kind, encoding=encoding)
    if corpus.label_column is None:
        raise InputError(f"no label column; the columns are {', '.join(corpus.columns)}", source=source_name(path))
    return corpus


def _labelled(corpus: Corpus, label: str | None) -> Corpus:
    if label is None or label == corpus.label_column:
        return corpus
    if label not in corpus.columns:
        raise InputError(
            f"no column {label!r} to take labels from; the columns are {', '.join(corpus.columns)}", source=corpus.source
        )
    return Corpus(corpus.native, label_column=label, source=corpus.source)


def write_corpus(
    corpus: Corpus,
    path: str | Path,
    *,
    columns: Sequence[str] | str | None = None,
    format: Format | str | None = None,  # noqa: A002
    separator: str = " ",
) -> None:
    """Writes a corpus, whole or not at all; ``columns`` and ``separator`` are for CoNLL files. ``-`` is standard output."""
    kind = _format(format) if format is not None else format_of(path)
    if isinstance(columns, str):
        columns = [name.strip() for name in columns.split(",")]
    if columns is not None:
        corpus = corpus.with_columns(columns)
    if kind is Format.CONLL:
        write_conll(corpus, path, columns=columns, separator=separator)
    elif kind is Format.CONLLU:
        write_conllu(corpus, path)
    elif kind is Format.TEXT:
        write_text_lines(corpus, path)
    else:
        write_jsonl(corpus, path, as_spans=kind is Format.SPANS)


def _format(name: Format | str) -> Format:
    try:
        return Format(name)
    except ValueError:
        raise InputError(f"unknown format {name!r}; expected one of {', '.join(f.value for f in Format)}") from None
