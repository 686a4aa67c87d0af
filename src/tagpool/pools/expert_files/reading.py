"""Reading of the files of experts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tagpool.corpus.annotations.conll_columns import ALL
from tagpool.corpus.annotations.reading import read_annotations
from tagpool.corpus.concatenation import concatenate
from tagpool.corpus.corpus import LABEL, Corpus
from tagpool.corpus.files import source_name
from tagpool.errors import InputError, check_type
from tagpool.pools.expert_files.collecting import collect_labels
from tagpool.pools.expert_files.expert_labels import ExpertLabels, ExpertSource
from tagpool.pools.expert_files.reference_files import read_reference
from tagpool.wording import counted


def split_column(place: str) -> tuple[str, str | None]:
    """Split ``FILE@COLUMN``; a file with such a name comes first.

    >>> split_column("all.conll@llm"), split_column("a.jsonl")
    (('all.conll', 'llm'), ('a.jsonl', None))
    """
    path, at, column = place.rpartition("@")
    return (path, column or None) if at and not Path(place).exists() else (place, None)


def read_source(
    name: str,
    paths: Sequence[str | Path],
    column: str | None = None,
    *,
    prefix: str = "",
    columns: str | None = None,
    gold: str | None = None,
    encoding: str = "utf-8",
) -> ExpertSource:
    """Read the files of an expert; with the column ``*`` of all columns or annotators, whose names begin with ``prefix``."""
    files = [read_annotations(path, column=column, columns=columns, gold=gold, encoding=encoding) for path in paths]
    layers = list(dict.fromkeys(layer for file in files for layer in file.names))
    experts = {f"{prefix}{layer}": layer for layer in layers} if column == ALL else {name: layers[0]}
    return ExpertSource(source_name(paths[0]), experts, [one for file in files for one in file.annotations])


def read_gold(paths: Sequence[str | Path], *, columns: str | None, label: str | None, encoding: str) -> tuple[Corpus, list[str]]:
    """Read gold labels in any format, and return notes on what did not fit."""
    parts = [read_reference(path, columns=columns, label=label, encoding=encoding) for path in paths]
    corpora = [part for part in parts if part is not None]
    if len(corpora) == len(parts):
        return concatenate(corpora), []
    source = read_source("gold", paths, label, columns=columns, encoding=encoding)
    result = collect_labels([source], None)
    rows = result.labels["gold"]
    numbers = [number for number, row in enumerate(rows) if row is not None and None not in row]
    partial = sum(row is not None and None in row for row in rows)
    if partial:
        result.notes.append(f"{source.path}: {counted(partial, 'sentence')} with labels of some tokens only: not used as gold")
    if not numbers:
        raise InputError("expected gold labels of whole sentences, got none", source=source.path)
    labels = [[label or "O" for label in rows[number] or ()] for number in numbers]
    corpus = result.corpus.select(numbers).with_column(LABEL, labels)
    return Corpus(corpus.native, label_column=LABEL, source=source.path), result.notes


def check_names(sources: Sequence[ExpertSource]) -> None:
    """Raise an error if two experts have the same name."""
    paths: dict[str, str] = {}
    for source in sources:
        for name in source.experts:
            if name in paths:
                advice = f"name the experts of a file, such as first={source.path}@*"
                raise InputError(f"two experts have the name {name!r}, in {paths[name]} and {source.path}; {advice}")
            paths[name] = source.path


def read_expert_labels(
    files: Mapping[str, str | Path],
    gold: Corpus | str | Path | None = None,
    *,
    maps: Sequence[str] = (),
    columns: str | None = None,
    label: str | None = None,
    encoding: str = "utf-8",
) -> ExpertLabels:
    """Read the files of experts by name, with gold labels (a corpus or a file) where they are known.

    A file may have a column or an annotator (``"all.conll@a"``), or with ``@*`` one expert for each, named ``NAME.COLUMN``.
    ``maps`` rename types: ``"PERSON=PER"`` for all experts, ``"a:PERSON=PER"`` for one, ``"DATE="`` to drop a type. ``columns``
    names the columns of CoNLL files, and ``label`` that of the gold labels.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "spacy.jsonl")
    >>> _ = path.write_text('{"text": "Ann left.", "ents": [{"start": 0, "end": 3, "label": "PERSON"}]}')
    >>> read_expert_labels({"spacy": path}, maps=["PERSON=PER"]).labels
    {'spacy': [['B-PER', 'O', 'O']]}
    """
    check_type(files, Mapping, "a dict of files by the name of the expert; write it as {'spacy': 'spacy.jsonl'}")
    if not files:
        raise InputError("expected the files of the experts, got none")
    notes: list[str] = []
    if gold is not None and not isinstance(gold, Corpus):
        gold, notes = read_gold([gold], columns=columns, label=label, encoding=encoding)
    sources = []
    for name, place in files.items():
        path, column = split_column(str(place))
        options = {"columns": columns, "gold": label, "encoding": encoding}
        sources.append(read_source(name, [path], column, prefix=f"{name}.", **options))  # type: ignore[arg-type]
    check_names(sources)
    result = collect_labels(sources, gold, maps=maps)
    result.notes[:0] = notes
    return result
