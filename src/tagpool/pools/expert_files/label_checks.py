"""Checks of the labels of experts: unknown types, with advice to rename them; experts that equal gold; too few gold labels."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from tagpool.errors import InputError
from tagpool.pools.expert_files.expert_labels import ExpertLabels, LabelRow
from tagpool.pools.expert_files.label_types import OUTSIDE, equivalent, type_of
from tagpool.wording import counted

_SAME_SENTENCES = 10  # from which equal labels are no chance
_FEW_SENTENCES = 30  # gold sentences for which weights are unreliable


def label_types(result: ExpertLabels) -> dict[str, set[str]]:
    """Return the types of every expert, after renaming, without O."""
    return {
        name: {type_of(label) for row in rows if row is not None for label in row if label is not None} - {OUTSIDE}
        for name, rows in result.labels.items()
    }


def check_labels(result: ExpertLabels, known: Collection[str], known_from: str, *, with_maps: bool) -> None:
    """Raise an error for a label whose type neither known labels nor another expert have, with its line.

    An expert without any known type may not have other types at all.
    """
    known_types = {type_of(label) for label in known} - {OUTSIDE}
    types = label_types(result)
    for expert, rows in result.labels.items():
        others = set().union(*(names for name, names in types.items() if name != expert))
        allowed = {OUTSIDE} | (known_types | others if types[expert] & known_types else known_types)
        unknown = types[expert] - allowed
        if not unknown:
            continue
        sentence, token, label = next(
            (sentence, token, label)
            for sentence, row in enumerate(rows)
            for token, label in enumerate(row or ())
            if label is not None and type_of(label) in unknown
        )
        expected = f"{known_from} {', '.join(map(repr, sorted(set(known))[:12]))}"
        advice = f"rename or drop types with {map_options(expert, unknown, known_types)}" if with_maps else "correct it"
        raise InputError(
            f"unknown label {label!r}; {expected}; {advice}, or allow such labels with --unknown allow",
            **result.place(expert, sentence, token),
        )


def map_options(expert: str, unknown: Iterable[str], known: Collection[str]) -> str:
    """Return options that rename types to known ones that mean the same, and drop the others.

    >>> map_options("a", ["PERSON", "DATE"], ["PER", "LOC"])
    '--map a:DATE= --map a:PERSON=PER'
    """
    return " ".join(f"--map {expert}:{kind}={equivalent(kind, known) or ''}" for kind in sorted(unknown))


def describe_labels(result: ExpertLabels, *, with_maps: bool) -> list[str]:
    """Return notes on gold labels and on experts that look like a mistake; raise an error for gold labels that are all O."""
    gold = [row for row in result.gold if row is not None]
    if not gold:
        return []
    notes = []
    gold_types = {type_of(label) for row in gold for label in row} - {OUTSIDE}
    types = label_types(result)
    if not gold_types and any(types.values()):
        advice = "choose the column of the gold labels with --label, or label sentences that have spans"
        raise InputError(
            f"every gold label is {OUTSIDE!r}, and a pool learns nothing from them; {advice}", source=result.corpus.source
        )
    if len(gold) < _FEW_SENTENCES:
        notes.append(f"{counted(len(gold), 'gold sentence')}: too few for reliable weights; label {_FEW_SENTENCES} or more")
    for expert, rows in result.labels.items():
        pairs = [(row, truth) for row, truth in zip(rows, result.gold, strict=True) if row is not None and truth is not None]
        if len(pairs) >= _SAME_SENTENCES and all(row == truth for row, truth in pairs):
            notes.append(f"expert {expert!r} equals the gold labels; leave it out if its file is a copy of them")
        twin = next((other for other in result.labels if _are_same(rows, result.labels[other]) and other < expert), None)
        if twin is not None:
            notes.append(f"experts {twin!r} and {expert!r} have the same labels, and count twice; leave one out")
        renamed = {kind: other for kind in sorted(types[expert] - gold_types) if (other := equivalent(kind, gold_types))}
        if renamed and with_maps:
            options = map_options(expert, renamed, gold_types)
            notes.append(f"expert {expert!r} has types that gold names differently; rename them with {options}")
    return notes


def _are_same(first: Sequence[LabelRow], second: Sequence[LabelRow]) -> bool:
    """Return whether two experts have the same labels for ten sentences or more, and for all."""
    return first is not second and first == second and sum(row is not None for row in first) >= _SAME_SENTENCES
