"""Files of experts on the command line: ``[NAME=]FILE[@COLUMN]``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tagpool.cli.console import errors
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import read_lines
from tagpool.corpus.formats import read_labelled
from tagpool.corpus.transitions import label_parts
from tagpool.errors import InputError
from tagpool.pools.votes.prediction_files import PredictionFile, read_predictions

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


def expert_paths(arguments: list[str]) -> list[Path]:
    """Return the files of the arguments."""
    return [expert.path for expert in parse_experts(arguments)]


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
    corpus = read_labelled(experts[0].path, columns=columns, label=experts[0].column, encoding=encoding)
    files = _read(experts, corpus, columns, encoding, str(experts[0].path))
    if known is not None:
        _check_labels(experts, files, known, "the pool was fitted with")
    return corpus, {name: file.labels for name, file in files.items()}


def read_gold_experts(
    arguments: list[str], path: Path, columns: str | None, label: str | None, encoding: str, unknown: str
) -> tuple[Corpus, Labels]:
    """Read gold labels, and the labels of experts for their sentences; raise an error if a pool cannot learn from them."""
    gold = read_labelled(path, columns=columns, label=label, encoding=encoding)
    experts = parse_experts(arguments)
    if len(experts) < 2:
        raise InputError("expected two experts or more, got 1: there is nothing to pool", source=experts[0].path, line=1)
    if len(gold) < 2:
        message = f"expected two sentences or more, got {len(gold)}: there is nothing to learn from"
        raise InputError(message, source=path, line=max(len(read_lines(path, encoding=encoding)), 1))
    files = _read(experts, gold, columns, encoding, "gold")
    if unknown == "error":
        _check_labels(experts, files, {label for row in gold.labels for label in row}, "gold labels are")
    first, *others = (files[expert.name] for expert in experts)
    if all(other.labels == first.labels for other in others):
        raise InputError(
            f"all experts give the same label to every token as {experts[0].path}: there is nothing to pool",
            source=experts[1].path,
            line=others[0].lines(0, 0),
        )
    return gold, {name: file.labels for name, file in files.items()}


def _read(
    experts: list[ExpertFile], gold: Corpus, columns: str | None, encoding: str, gold_name: str
) -> dict[str, PredictionFile]:
    """Read the files and print their notes."""
    files: dict[str, PredictionFile] = {}
    for expert in experts:
        options = {"columns": columns, "label": expert.column}
        file = read_predictions(expert.path, gold, **options, encoding=encoding, gold_name=gold_name)
        notes = file.notes[:_MAX_NOTES]
        if len(file.notes) > _MAX_NOTES:
            notes.append(f"{expert.path}: {len(file.notes) - _MAX_NOTES} more spans do not match the tokens")
        for note in notes:
            errors.print(f"note: {note}")
        files[expert.name] = file
    return files


def _check_labels(experts: list[ExpertFile], files: dict[str, PredictionFile], known: Iterable[str], known_from: str) -> None:
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
                        source=str(expert.path),
                        line=files[expert.name].lines(sentence, token),
                    )


def _type(label: str) -> str:
    return label_parts(label).type or label
