"""Reading of annotations in any format: the format follows from the file name, the dialect of JSON from each record."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tagpool.corpus.annotations.annotation import DEFAULT_LAYER, Annotation
from tagpool.corpus.annotations.brat import read_brat
from tagpool.corpus.annotations.conll_columns import ALL, read_columns
from tagpool.corpus.annotations.detection import is_webanno
from tagpool.corpus.annotations.dialects import read_json
from tagpool.corpus.annotations.inception import read_inception
from tagpool.corpus.annotations.tables import is_table, read_table
from tagpool.corpus.annotations.webanno import read_webanno
from tagpool.corpus.files import source_name
from tagpool.corpus.formats import Format, format_of
from tagpool.errors import InputError, MemoryFor

JSON_FORMATS = (Format.JSONL, Format.SPANS, Format.PRODIGY, Format.DOCCANO, Format.LABEL_STUDIO)


@dataclass(frozen=True)
class AnnotationFile:
    """Annotations of a file, and the names of the annotators that were selected (one of them: ``DEFAULT_LAYER`` or a column)."""

    annotations: list[Annotation]
    names: list[str]


def read_annotations(
    path: str | Path,
    *,
    column: str | None = None,
    columns: str | None = None,
    gold: str | None = None,
    encoding: str = "utf-8",
) -> AnnotationFile:
    """Read a file.

    ``column`` selects one column or annotator, and ``*`` all of them but the ``gold`` labels (default: ``label``). ``columns``
    names the columns of a CoNLL file.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "crowd.jsonl")
    >>> _ = path.write_text('{"tokens": ["Oslo"], "labels": ["B-LOC"], "workers": {"w1": ["O"], "w2": ["B-LOC"]}}')
    >>> read_annotations(path, column="*").names
    ['w1', 'w2']
    """
    with MemoryFor(f"read {source_name(path)}"):
        annotations = parse_annotations(path, encoding=encoding)
        if annotations is None:
            annotations = read_columns(path, column, columns=columns, gold=gold, encoding=encoding)
            names = list(annotations[0].layers) if annotations else []
            return AnnotationFile(annotations, names)
    return AnnotationFile(annotations, _select(annotations, column, gold, source_name(path)))


def parse_annotations(path: str | Path, *, kind: str | None = None, encoding: str = "utf-8") -> list[Annotation] | None:
    """Return the annotations of a file with all annotators; None if it has columns.

    ``kind`` is the format (default: from the name, and that of a ``.tsv`` file from its first line).
    """
    known = format_of(path) if kind is None else Format(kind)
    if known is Format.BRAT:
        return read_brat(path, encoding=encoding)
    if known is Format.INCEPTION:
        return read_inception(path)
    if known is Format.WEBANNO or (kind is None and is_webanno(path)):
        return read_webanno(path, encoding=encoding)
    if known in JSON_FORMATS:
        return read_json(path, encoding=encoding)
    return read_table(path, encoding=encoding) if kind is None and is_table(path, encoding=encoding) else None


def _select(annotations: list[Annotation], column: str | None, gold: str | None, source: str) -> list[str]:
    """Return the names of the annotators that a column selects; raise an error if it selects nothing."""
    names = list(dict.fromkeys(name for one in annotations for name in one.layers))
    others = [name for name in names if name not in (DEFAULT_LAYER, gold)]
    listed = ", ".join(others[:12]) + (", ..." if len(others) > 12 else "")
    if column == ALL:
        if not others:
            raise InputError("@* needs several columns or annotators, and the file has one; leave out @*", source=source)
        return others
    if column is not None and column != DEFAULT_LAYER:
        if column not in names:
            known = f"the file has {listed}" if others else "the file has one annotator; leave out @"
            raise InputError(f"no column or annotator {column!r}; {known}", source=source)
        return [column]
    if DEFAULT_LAYER not in names and others:
        advice = f"choose one with @NAME, such as @{others[0]}, or all with @*"
        raise InputError(f"no labels of one annotator; the columns or annotators are {listed}; {advice}", source=source)
    return [DEFAULT_LAYER]
