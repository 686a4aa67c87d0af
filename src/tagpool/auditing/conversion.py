"""Labels of a tagger as the gold labels are written: renamed types, the same scheme, and a count of other types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import Scheme, detect, is_plain, spans, to_labels
from tagpool.corpus.transitions import join_label, label_parts
from tagpool.errors import InputError, check_type

OUTSIDE = "O"


class LabelConversion:
    """Conversion of the labels of a tagger, by ``mapping`` of types (or of plain labels) and to the scheme of a corpus's labels.

    >>> corpus = Corpus.from_lists(word=[["Ann", "Lee"]], label=[["I-PER", "I-PER"]])
    >>> LabelConversion("mine", {"PERSON": "PER"}).convert([["B-PERSON", "I-PERSON"]], corpus, first=True)
    [['I-PER', 'I-PER']]
    """

    def __init__(self, name: str, mapping: Mapping[str, str]) -> None:
        check_type(mapping, Mapping, "a dict of types, such as {'PERSON': 'PER'}")
        for old, new in mapping.items():
            if not isinstance(old, str) or not isinstance(new, str) or not new or new.split() != [new]:
                raise InputError(f"mapping {old!r}={new!r}: expected types without blanks, such as PERSON=PER")
        self.name, self.mapping = name, dict(mapping)
        self._scheme: Scheme | None = None
        self._known: set[str] = set()
        self._unseen: Counter[str] = Counter()
        self._tokens = 0

    def convert(self, rows: Sequence[Sequence[str]], corpus: Corpus, *, first: bool) -> list[list[str]]:
        """Return the labels of a corpus; on the ``first`` call, types without any in common with the corpus's are an error."""
        renamed = [[self._rename(label) for label in row] for row in rows]
        if corpus.label_column is None:
            return renamed
        gold = corpus.labels
        if self._scheme is None and any(gold):
            self._scheme = detect(gold).scheme
            self._known = _types(gold, self._scheme)
        if self._scheme is None:
            return renamed
        if self._scheme is not Scheme.PLAIN:
            renamed = _as_spans(renamed, self._scheme, self._known)
        self._count_unseen(renamed)
        if first:
            self._check_types()
        return renamed

    def notes(self) -> list[str]:
        """Return a note on labels that the gold labels do not have."""
        if not self._unseen:
            return []
        kinds = ", ".join(kind for kind, _ in self._unseen.most_common(5)) + (", …" if len(self._unseen) > 5 else "")
        noun = "labels" if self._scheme is Scheme.PLAIN else "types"
        return [f"{self.name}: the tagger gives {noun} that the gold labels do not have: {kinds}; rename them with --map OLD=NEW"]

    @property
    def unseen(self) -> Mapping[str, int]:
        """Number of words with each type (or plain label) that the gold labels do not have."""
        return dict(self._unseen)

    def _rename(self, label: str) -> str:
        if not self.mapping:
            return label
        if label in self.mapping:
            return self.mapping[label]
        parts = label_parts(label)
        if parts.letter and parts.type in self.mapping:
            kind = self.mapping[parts.type]
            return OUTSIDE if kind == OUTSIDE else join_label(parts.letter, kind)
        return label

    def _count_unseen(self, rows: Sequence[Sequence[str]]) -> None:
        for label in chain.from_iterable(rows):
            kind = label if self._scheme is Scheme.PLAIN else label_parts(label).type
            if label != OUTSIDE and kind not in self._known:
                self._unseen[kind] += 1
            self._tokens += label != OUTSIDE

    def _check_types(self) -> None:
        """Raise an error if the tagger and the gold labels have no type in common: every score would be 0."""
        if self._known and self._tokens and self._unseen.total() == self._tokens:
            theirs, known = (", ".join(sorted(kinds)[:8]) for kinds in (self._unseen, self._known))
            noun = "labels" if self._scheme is Scheme.PLAIN else "types"
            message = f"the {noun} of the tagger ({theirs}) and of the gold labels ({known}) have none in common"
            raise InputError(f"{message}; rename them with --map OLD=NEW (mapping={{...}})", source=self.name)


def _types(gold: Sequence[Sequence[str]], scheme: Scheme) -> set[str]:
    labels = set(chain.from_iterable(gold)) - {OUTSIDE}
    return labels if scheme is Scheme.PLAIN else {label_parts(label).type for label in labels}


def _as_spans(rows: list[list[str]], scheme: Scheme, known: set[str]) -> list[list[str]]:
    """Return labels in a span scheme. Types without a letter (PER, PER, O) are read as spans of equal types."""
    counts = Counter(chain.from_iterable(rows))
    plain = [label for label in counts if label != OUTSIDE and not label_parts(label).letter]
    if plain and is_plain(counts):
        rows = [[label if label == OUTSIDE or label not in plain else join_label("I", label) for label in row] for row in rows]
    return [to_labels(spans(row), len(row), scheme) for row in rows]
