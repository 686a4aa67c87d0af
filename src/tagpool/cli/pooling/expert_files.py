"""Files of experts on the command line: ``[NAME=]FILE[@COLUMN]``. A folder or a pattern is one expert.

``FILE@*`` has one expert per column or annotator.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from tagpool.cli.console import notes
from tagpool.cli.inputs import expand_files, with_expanded
from tagpool.corpus.annotations.conll_columns import ALL
from tagpool.corpus.concatenation import concatenate
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import read_lines
from tagpool.corpus.schemes import Scheme, detect
from tagpool.errors import InputError
from tagpool.pools.expert_files.collecting import collect_labels
from tagpool.pools.expert_files.expert_labels import ExpertLabels, ExpertSource, LabelRow
from tagpool.pools.expert_files.label_checks import check_labels, describe_labels
from tagpool.pools.expert_files.reading import check_names, read_gold, read_source, split_column
from tagpool.pools.expert_files.reference_files import read_reference
from tagpool.wording import counted

Labels = dict[str, list[LabelRow]]
MapOption = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="[EXPERT:]OLD=NEW",
        help="Rename a type of label, for one expert or all; an empty NEW drops it (repeatable).",
    ),
]
_MAX_NOTES = 5  # printed per kind and file


@dataclass(frozen=True)
class ExpertFile:
    """An expert: its name, its file, and the column of its labels (default: the last)."""

    name: str
    path: Path
    column: str | None
    is_named: bool = True

    @property
    def has_many(self) -> bool:
        """Whether every column or annotator of the file is an expert."""
        return self.column == ALL


def parse_experts(arguments: list[str]) -> list[ExpertFile]:
    """Parse the arguments; raise an error if two experts have the same name."""
    experts: list[ExpertFile] = []
    for text in arguments:
        name, equals, rest = text.partition("=")
        place = rest if equals else text
        path, column = split_column(place)
        if not equals:
            name = column if column and column != ALL else Path(path).name.removesuffix(".gz").rsplit(".", 1)[0]
        if not name or not path:
            raise InputError(f"{text}: expected FILE, NAME=FILE, or FILE@COLUMN")
        for expert in experts:
            if name == expert.name:
                _refuse_same_name(name, str(expert.path), path)
        experts.append(ExpertFile(name, Path(path), column, bool(equals)))
    return experts


def _refuse_same_name(name: str, first: str, second: str) -> None:
    advice = f"name them, such as first={first} second={second}"
    if first != second:
        advice += "; the files of one expert are a folder, or a pattern in quotes"
    raise InputError(f"two experts have the name {name!r}, in {first} and {second}; {advice}")


def expert_paths(arguments: list[str]) -> list[str]:
    """Return the files of the arguments."""
    return with_expanded(expert.path for expert in parse_experts(arguments))


def read_expert_set(
    arguments: list[str],
    gold: str | None = None,
    *,
    columns: str | None = None,
    label: str | None = None,
    encoding: str = "utf-8",
    maps: Sequence[str] | None = None,
    unknown: str = "error",
    fewest: int = 2,
) -> ExpertLabels:
    """Read the labels of experts for all of their sentences, with gold labels where the gold file has them; print notes.

    ``label`` is the column of the gold labels. ``maps`` rename types; None if the command has no option ``--map``. A label whose
    type neither gold nor another expert has is an error if ``unknown`` is "error". Fewer than ``fewest`` experts are an error.
    """
    experts = parse_experts(arguments)
    if len(experts) < fewest or not experts:
        _check_count(experts)
    corpus = None if gold is None else _read_gold(gold, columns, label, encoding)
    sources = _read_sources(experts, columns, label, encoding)
    result = collect_labels(sources, corpus, maps=maps or ())
    result.notes += describe_labels(result, with_maps=maps is not None)
    _print_notes(result.notes)
    if corpus is not None and unknown == "error":
        known = {label for row in corpus.labels for label in row}
        check_labels(result, known, "gold labels are", with_maps=maps is not None)
    return result


def read_experts(
    arguments: list[str],
    columns: str | None,
    encoding: str,
    known: Iterable[str] | None = None,
    maps: Sequence[str] | None = None,
) -> tuple[Corpus, Labels]:
    """Read the file of the first expert, and the labels of all experts for its sentences.

    With the ``known`` labels of a pool, a label whose type neither they nor another expert have is an error with its line, and so
    is an expert without any known type.
    """
    experts = parse_experts(arguments)
    if not experts:
        raise InputError("expected the files of the experts, got none")
    known = None if known is None else set(known)
    sources = _read_sources(experts, columns, None, encoding)
    scheme = None if known is None else _scheme_of(known)
    result = collect_labels(sources, None, maps=maps or (), extend=False, scheme=scheme, gold_name=sources[0].path)
    _print_notes(result.notes)
    if known is not None:
        check_labels(result, known, "the pool was fitted with", with_maps=maps is not None)
    first = experts[0]
    corpus = result.corpus
    if not first.has_many:
        paths = expand_files(first.path)
        readable = [read_reference(path, columns=columns, label=first.column, encoding=encoding) for path in paths]
        parts = [part for part in readable if part is not None]
        if len(parts) == len(paths) and (whole := concatenate(parts)).words == corpus.words:
            corpus = whole  # with its other columns and documents
    return corpus, result.votes()


def _scheme_of(labels: Iterable[str]) -> Scheme | None:
    """Return the tag scheme that a set of labels alone shows: BIOES, BILOU or plain; None if it may be IOB1 or BIO2."""
    scheme = detect([[label] for label in sorted(labels)]).scheme
    return None if scheme in (Scheme.BIO2, Scheme.IOB1) else scheme


def read_gold_experts(
    arguments: list[str],
    path: str,
    columns: str | None,
    label: str | None,
    encoding: str,
    unknown: str,
    maps: Sequence[str] | None = None,
) -> tuple[Corpus, Labels]:
    """Read gold labels, and the labels of experts for their sentences; raise an error if a pool cannot learn from them."""
    experts = parse_experts(arguments)
    _check_count(experts)
    gold = _read_gold(path, columns, label, encoding)
    sources = _read_sources(experts, columns, label, encoding)
    result = collect_labels(sources, gold, maps=maps or (), extend=False)
    result.notes += describe_labels(result, with_maps=maps is not None)
    _print_notes(result.notes)
    if unknown == "error":
        check_labels(result, {label for row in gold.labels for label in row}, "gold labels are", with_maps=maps is not None)
    _check_differences(result)
    return gold, result.votes()


def _check_count(experts: list[ExpertFile]) -> None:
    if len(experts) < 2 and not any(expert.has_many for expert in experts):
        first = experts[0].path if experts else None
        raise InputError(
            f"expected two experts or more, got {len(experts)}: there is nothing to pool",
            source=first,
            line=None if first is None or first.is_dir() else 1,
        )


def _check_differences(result: ExpertLabels) -> None:
    """Raise an error if all experts have the same labels."""
    one, *others = result.labels
    if others and all(result.labels[other] == result.labels[one] for other in others):
        number = next((i for i, row in enumerate(result.labels[one]) if row is not None), 0)
        path = result.place(one, number).get("source", one)
        raise InputError(
            f"all experts give the same label to every token as {path}: there is nothing to pool",
            **result.place(others[0], number),
        )


def _read_gold(path: str, columns: str | None, label: str | None, encoding: str) -> Corpus:
    paths = expand_files(path)
    gold, messages = read_gold(paths, columns=columns, label=label, encoding=encoding)
    _print_notes(messages)
    if len(gold) < 2:
        message = f"expected two sentences or more, got {len(gold)}: there is nothing to learn from"
        raise InputError(message, source=paths[-1], line=max(len(read_lines(paths[-1], encoding=encoding)), 1))
    return gold


def _read_sources(experts: list[ExpertFile], columns: str | None, gold: str | None, encoding: str) -> list[ExpertSource]:
    sources = []
    for expert in experts:
        prefix = f"{expert.name}." if expert.is_named else ""
        options = {"columns": columns, "gold": gold, "encoding": encoding}
        source = read_source(expert.name, expand_files(expert.path), expert.column, prefix=prefix, **options)  # type: ignore[arg-type]
        sources.append(replace(source, path=str(expert.path)))
    check_names(sources)
    return sources


def _print_notes(messages: list[str]) -> None:
    """Print messages; of many for one file, the first ones."""
    counts: Counter[str] = Counter()
    for note in dict.fromkeys(messages):
        file = note.partition(":")[0]
        counts[file] += 1
        if counts[file] <= _MAX_NOTES:
            notes.print_line(f"note: {note}")
    for file, count in counts.items():
        if count > _MAX_NOTES:
            notes.print_line(f"note: {file}: {counted(count - _MAX_NOTES, 'more note')} on labels that do not fit")
