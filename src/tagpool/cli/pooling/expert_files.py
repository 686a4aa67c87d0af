"""Files of experts on the command line: ``[NAME=]FILE[@COLUMN]``. A folder or a pattern is one expert."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tagpool.cli.console import errors
from tagpool.cli.inputs import expand_files, with_expanded
from tagpool.corpus.concatenation import concatenate
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import read_lines, source_name
from tagpool.corpus.formats import read_labelled
from tagpool.corpus.transitions import label_parts
from tagpool.errors import InputError
from tagpool.pools.votes.prediction_files import PredictionFile, read_predictions
from tagpool.wording import counted

Labels = dict[str, list[list[str | None]]]
_MAX_NOTES = 5  # printed per file


@dataclass(frozen=True)
class ExpertFile:
    """An expert: its name, its file, and the column of its labels (default: the last)."""

    name: str
    path: Path
    column: str | None


def parse_experts(arguments: list[str]) -> list[ExpertFile]:
    """Parse the arguments; raise an error if two experts have the same name."""
    experts: list[ExpertFile] = []
    for text in arguments:
        name, equals, rest = text.partition("=")
        place = rest if equals else text
        path, at, column = place.rpartition("@")
        if not at or Path(place).exists():
            path, column = place, ""
        if not equals:
            name = column or Path(path).name.removesuffix(".gz").rsplit(".", 1)[0]
        if not name or not path:
            raise InputError(f"{text}: expected FILE, NAME=FILE, or FILE@COLUMN")
        if name in (expert.name for expert in experts):
            raise InputError(f"two experts have the name {name!r}: name them, such as first={path}")
        experts.append(ExpertFile(name, Path(path), column or None))
    return experts


def expert_paths(arguments: list[str]) -> list[str]:
    """Return the files of the arguments."""
    return with_expanded(expert.path for expert in parse_experts(arguments))


@dataclass(frozen=True)
class _Predictions:
    """Labels of an expert, in the files that they come from."""

    files: list[tuple[str, PredictionFile]]

    @property
    def labels(self) -> list[list[str | None]]:
        return [row for _, file in self.files for row in file.labels]

    @property
    def notes(self) -> list[str]:
        return [note for _, file in self.files for note in file.notes]

    def place(self, sentence: int, token: int) -> dict[str, Any]:
        """Return the file and the line of a token, as arguments of an InputError."""
        for path, file in self.files:
            if sentence < len(file.labels):
                return {"source": source_name(path), "line": file.lines(sentence, token)}
            sentence -= len(file.labels)
        raise IndexError(sentence)


def read_experts(
    arguments: list[str], columns: str | None, encoding: str, known: Iterable[str] | None = None
) -> tuple[Corpus, Labels]:
    """Read the file of the first expert, and the labels of all experts for its sentences.

    With the ``known`` labels of a pool, a label whose type neither they nor another expert have is an error with its line, and so
    is an expert without any known type.
    """
    experts = parse_experts(arguments)
    if not experts:
        raise InputError("expected the files of the experts, got none")
    read = partial(read_labelled, columns=columns, label=experts[0].column, encoding=encoding)
    parts = [read(path) for path in expand_files(experts[0].path)]
    files = _read(experts, parts, columns, encoding, str(experts[0].path))
    if known is not None:
        _check_labels(experts, files, known, "the pool was fitted with")
    return concatenate(parts), {name: file.labels for name, file in files.items()}


def read_gold_experts(
    arguments: list[str], path: str, columns: str | None, label: str | None, encoding: str, unknown: str
) -> tuple[Corpus, Labels]:
    """Read gold labels, and the labels of experts for their sentences; raise an error if a pool cannot learn from them."""
    paths = expand_files(path)
    parts = [read_labelled(one, columns=columns, label=label, encoding=encoding) for one in paths]
    gold = concatenate(parts)
    experts = parse_experts(arguments)
    first = experts[0].path
    if len(experts) < 2:
        raise InputError(
            "expected two experts or more, got 1: there is nothing to pool", source=first, line=None if first.is_dir() else 1
        )
    if len(gold) < 2:
        message = f"expected two sentences or more, got {len(gold)}: there is nothing to learn from"
        raise InputError(message, source=paths[-1], line=max(len(read_lines(paths[-1], encoding=encoding)), 1))
    files = _read(experts, parts, columns, encoding, "gold")
    if unknown == "error":
        _check_labels(experts, files, {label for row in gold.labels for label in row}, "gold labels are")
    one, *others = (files[expert.name] for expert in experts)
    if all(other.labels == one.labels for other in others):
        raise InputError(
            f"all experts give the same label to every token as {first}: there is nothing to pool",
            **others[0].place(0, 0),
        )
    return gold, {name: file.labels for name, file in files.items()}


def _read(
    experts: list[ExpertFile], parts: list[Corpus], columns: str | None, encoding: str, gold_name: str
) -> dict[str, _Predictions]:
    """Read the files and print their notes; ``parts`` are the files of the gold corpus."""
    files: dict[str, _Predictions] = {}
    for expert in experts:
        read = partial(read_predictions, columns=columns, label=expert.column, encoding=encoding)
        paths = expand_files(expert.path)
        golds = parts if len(paths) > 1 else [concatenate(parts)]
        if len(paths) != len(golds):
            raise InputError(
                f"expected {counted(len(golds), 'file')}, as {gold_name} has, got {len(paths)}; a folder or a pattern is one "
                "expert: for several experts, name their files one by one",
                source=str(expert.path),
            )
        names = [gold_name if len(golds) == 1 else str(gold.source) for gold in golds]
        pairs = zip(paths, golds, names, strict=True)
        file = _Predictions([(path, read(path, gold, gold_name=name)) for path, gold, name in pairs])
        notes = file.notes[:_MAX_NOTES]
        if len(file.notes) > _MAX_NOTES:
            notes.append(
                f"{expert.path}: {counted(len(file.notes) - _MAX_NOTES, 'more note')} on spans that do not match the tokens"
            )
        for note in notes:
            errors.print_line(f"note: {note}")
        files[expert.name] = file
    return files


def _check_labels(experts: list[ExpertFile], files: dict[str, _Predictions], known: Iterable[str], known_from: str) -> None:
    known_types = {_type(label) for label in known}
    types = {name: {_type(label) for row in file.labels for label in row if label is not None} for name, file in files.items()}
    for expert in experts:
        others = set().union(*(names for name, names in types.items() if name != expert.name))
        allowed = known_types | others if types[expert.name] & known_types else known_types
        for sentence, labels in enumerate(files[expert.name].labels):
            for token, label in enumerate(labels):
                if label is not None and _type(label) not in allowed:
                    expected = f"{known_from} {', '.join(map(repr, sorted(set(known))[:12]))}"
                    raise InputError(
                        f"unknown label {label!r}; {expected}; correct it, or allow such labels with --unknown allow",
                        **files[expert.name].place(sentence, token),
                    )


def _type(label: str) -> str:
    return label_parts(label).type or label
