"""Experts as they are named on the command line: ``[NAME=]FILE[@COLUMN]``."""

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
from tagpool.pools.votes.prediction_files import Read, read_predictions


@dataclass(frozen=True)
class Named:
    """An expert: its name, its file, and the column of its labels if it is not the last."""

    name: str
    path: Path
    column: str | None


def named_experts(given: list[str]) -> list[Named]:
    """The experts; an error where two have one name."""
    found: list[Named] = []
    for text in given:
        name, equals, rest = text.partition("=")
        place = rest if equals else text
        path, at, column = place.rpartition("@")
        if not at or Path(place).exists():
            path, column = place, ""
        own = name if equals else column or Path(path).name.removesuffix(".gz").rsplit(".", 1)[0]
        if not own or not path:
            raise InputError(f"{text}: expected an expert's file, NAME=FILE, or FILE@COLUMN")
        if own in (each.name for each in found):
            raise InputError(f"two experts are called {own!r}: give them names, such as first={path}")
        found.append(Named(own, Path(path), column or None))
    return found


def first_corpus(experts: list[Named], columns: str | None, encoding: str) -> Corpus:
    """The words of the first expert's file, for sentences without gold labels."""
    if not experts:
        raise InputError("expected the experts' files, got none")
    first = experts[0]
    return read_labelled(first.path, columns=columns, label=first.column, encoding=encoding)


def read_all(
    experts: list[Named], gold: Corpus, columns: str | None, encoding: str, *, known: Iterable[str] | None = None, why: str = ""
) -> dict[str, list[list[str | None]]]:
    """What all experts say of the gold sentences; what did not fit is told.

    ``known`` are the labels that are expected, and ``why`` these. One that neither they nor another expert has is an error with
    its place, and so is an expert that has none of them. Known is also what differs from a known one in its first letter alone,
    such as I-LOC and B-LOC: it may be rare.
    """
    reads = _read(experts, gold, columns, encoding)
    if known is not None:
        _refuse_strangers(experts, reads, known, why)
    return {name: read.labels for name, read in reads.items()}


def read_gold_experts(
    given: list[str], path: Path, gold: Corpus, columns: str | None, encoding: str, *, allow_unknown: bool
) -> dict[str, list[list[str | None]]]:
    """What experts say of sentences whose labels are known; where a pool could not learn from it, an error with its place."""
    experts = named_experts(given)
    if len(experts) < 2:
        raise InputError("expected two experts or more, got 1: there is nothing to pool", source=experts[0].path, line=1)
    if len(gold) < 2:
        few = f"expected two sentences or more, got {len(gold)}: there is nothing to learn from"
        raise InputError(few, source=path, line=max(len(read_lines(path, encoding=encoding)), 1))
    reads = _read(experts, gold, columns, encoding)
    if not allow_unknown:
        _refuse_strangers(experts, reads, {label for row in gold.labels for label in row}, "gold labels are")
    first, *others = (reads[expert.name] for expert in experts)
    if all(other.labels == first.labels for other in others):
        raise InputError(
            f"it says of every token what {experts[0].path} says, and so do all experts: there is nothing to pool",
            source=experts[1].path,
            line=others[0].lines(0, 0),
        )
    return {name: read.labels for name, read in reads.items()}


def _read(experts: list[Named], gold: Corpus, columns: str | None, encoding: str) -> dict[str, Read]:
    """The experts' files; what did not fit is told."""
    reads: dict[str, Read] = {}
    for expert in experts:
        read = read_predictions(expert.path, gold, columns=columns, label=expert.column, encoding=encoding)
        for note in read.notes[:5]:
            errors.print(f"note: {note}", highlight=False, markup=False)
        if len(read.notes) > 5:
            errors.print(f"note: {expert.path}: {len(read.notes) - 5} more spans did not fit", highlight=False, markup=False)
        reads[expert.name] = read
    return reads


def _refuse_strangers(experts: list[Named], reads: dict[str, Read], known: Iterable[str], why: str) -> None:
    expected = {_kind(label) for label in known}
    kinds = {name: {_kind(label) for row in read.labels for label in row if label is not None} for name, read in reads.items()}
    for expert in experts:
        others = set().union(*(each for name, each in kinds.items() if name != expert.name))
        shared = kinds[expert.name] & expected
        allowed = expected | others if shared else expected
        _refuse_unknown(expert, reads[expert.name], allowed, f"{why} {', '.join(map(repr, sorted(set(known))[:12]))}")


def _kind(label: str) -> str:
    return label_parts(label).type or label


def _refuse_unknown(expert: Named, read: Read, allowed: set[str], expected: str) -> None:
    for sentence, labels in enumerate(read.labels):
        for token, label in enumerate(labels):
            if label is not None and _kind(label) not in allowed:
                raise InputError(
                    f"unknown label {label!r}; {expected}; correct it, or allow such labels with --unknown allow",
                    source=str(expert.path),
                    line=read.lines(sentence, token),
                )
