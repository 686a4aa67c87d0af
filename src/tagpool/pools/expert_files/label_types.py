"""Label sets of experts: renaming of types, conversion to one tag scheme, and types that mean the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from tagpool.corpus.schemes import Scheme, Span, spans, to_labels
from tagpool.corpus.transitions import join_label, label_parts
from tagpool.errors import InputError

OUTSIDE = "O"
_EQUIVALENTS = (
    ("PER", "PERSON", "PERS", "PEOPLE", "PERSON_NAME", "NAME", "HUMAN"),
    ("LOC", "LOCATION", "GPE", "PLACE", "CITY", "COUNTRY", "FAC", "GEO", "GEO-LOC"),
    ("ORG", "ORGANIZATION", "ORGANISATION", "COMPANY", "CORPORATION", "CORP", "INSTITUTION"),
    ("MISC", "MISCELLANEOUS", "OTHER", "NORP"),
    ("DATE", "DAY"),
    ("PRODUCT", "PROD"),
    ("WORK", "WORK_OF_ART", "CREATIVE-WORK"),
    ("MONEY", "CURRENCY", "AMOUNT"),
)


def type_of(label: str) -> str:
    """Return the type of a label: PER of B-PER; a plain label is its own type."""
    return label_parts(label).type or label


def equivalent(kind: str, known: Iterable[str]) -> str | None:
    """Return the known type that obviously means the same; None if no type does.

    >>> equivalent("PERSON", ["LOC", "PER"]), equivalent("per", ["PER"]), equivalent("DATE", ["PER"])
    ('PER', 'PER', None)
    """
    names = sorted(known)
    for name in names:
        if name.upper() == kind.upper() and name != kind:
            return name
    group = next((group for group in _EQUIVALENTS if kind.upper() in group), ())
    return next((name for name in names if name.upper() in group and name != kind), None)


class TypeMaps:
    """Renaming of types: ``PERSON=PER`` for all experts, ``A:PERSON=PER`` for expert A; ``=`` or ``=O`` drops a type.

    >>> TypeMaps(["PERSON=PER", "b:DATE="], ["a", "b"]).of("b")
    {'PERSON': 'PER', 'DATE': 'O'}
    """

    def __init__(self, arguments: Iterable[str], experts: Sequence[str]) -> None:
        self.arguments: list[tuple[str, str | None, str, str]] = []
        for text in arguments:
            old, equals, new = text.rpartition("=")
            name, colon, kind = old.partition(":")
            if not equals or not old or (colon and not kind):
                raise InputError(f"--map {text}: expected OLD=NEW, EXPERT:OLD=NEW, or OLD= to drop a type")
            if colon and name not in experts:
                raise InputError(f"--map {text}: no expert {name!r}; the experts are {', '.join(experts)}")
            if label_parts(kind or old).type or label_parts(new).type:
                part = label_parts(kind or old).type or kind or old
                raise InputError(f"--map {text}: expected types, such as {part}, not labels with a prefix")
            self.arguments.append((text, name if colon else None, kind or old, new or OUTSIDE))

    def of(self, expert: str) -> dict[str, str]:
        """Return the new types of an expert; those for one expert come before those for all."""
        general = {old: new for _, name, old, new in self.arguments if name is None}
        return general | {old: new for _, name, old, new in self.arguments if name == expert}

    def unused(self, types: Mapping[str, set[str]]) -> list[str]:
        """Return notes on maps of types that no expert has; ``types`` are those of every expert in its file."""
        notes = []
        for text, name, old, _ in self.arguments:
            have = set().union(*(kinds for expert, kinds in types.items() if name in (None, expert)))
            if old not in have:
                who = "no expert has" if name is None else f"{name} does not have"
                notes.append(f"--map {text}: {who} the type {old!r}; there are {', '.join(sorted(have)[:20]) or 'no types'}")
        return notes


@dataclass(frozen=True)
class LabelReader:
    """Conversion of an expert's labels: from the scheme of its file to the ``target``, with other names of types.

    ``runs``: plain labels are the types of tokens (PER PER O), and equal neighbours are one span.
    """

    source: Scheme
    target: Scheme
    types: Mapping[str, str]
    runs: bool = False

    @property
    def has_spans(self) -> bool:
        """Whether labels are spans, and not single labels such as parts of speech."""
        return self.runs or (self.source is not Scheme.PLAIN and self.target is not Scheme.PLAIN)

    @property
    def span_target(self) -> Scheme:
        """The scheme of spans; BIO2 if the labels of others are plain."""
        return Scheme.BIO2 if self.target is Scheme.PLAIN else self.target

    def convert(self, labels: Sequence[str | None]) -> list[str | None]:
        """Return labels in the target scheme; None stays.

        >>> LabelReader(Scheme.IOB1, Scheme.BIO2, {"PERSON": "PER"}).convert(["I-PERSON", "I-PERSON", None, "I-X"])
        ['B-PER', 'I-PER', None, 'B-X']
        """
        renamed = bool(self.types) and any(label is not None and type_of(label) in self.types for label in labels)
        if not renamed and (self.source is self.target or not self.has_spans):
            return list(labels)
        if not self.has_spans:
            return [label if label is None else self._rename(label) for label in labels]
        converted = to_labels(self.spans(labels), len(labels), self.span_target)
        return [None if old is None else new for old, new in zip(labels, converted, strict=True)]

    def spans(self, labels: Sequence[str | None]) -> list[Span]:
        """Return the spans of labels with their new types; dropped ones are left out."""
        known = [OUTSIDE if label is None else label for label in labels]
        pieces = _runs(known) if self.runs else spans(known)
        return [Span(start, end, self.rename_type(kind)) for start, end, kind in pieces if self.rename_type(kind) != OUTSIDE]

    def rename_type(self, kind: str) -> str:
        """Return the new name of a type."""
        return self.types.get(kind, kind)

    def _rename(self, label: str) -> str:
        parts, kind = label_parts(label), self.rename_type(type_of(label))
        return join_label(parts.letter, kind) if parts.type and kind != OUTSIDE else kind


def _runs(labels: Sequence[str]) -> list[Span]:
    pieces, at = [], 0
    for label, run in groupby(labels):
        length = len(list(run))
        if label != OUTSIDE:
            pieces.append(Span(at, at + length, label))
        at += length
    return pieces
