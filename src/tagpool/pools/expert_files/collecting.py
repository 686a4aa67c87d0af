"""Collection of the labels of experts from their files: matching, alignment and conversion."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise

from tagpool.corpus.annotations.annotation import Annotation
from tagpool.corpus.corpus import WORD, Corpus
from tagpool.corpus.schemes import Scheme, detect
from tagpool.corpus.transitions import label_parts
from tagpool.pools.expert_files.expert_labels import ExpertLabels, ExpertSource, LabelRow, ScoreRow
from tagpool.pools.expert_files.label_types import OUTSIDE, LabelReader, TypeMaps, type_of
from tagpool.pools.expert_files.matching_notes import Reference
from tagpool.pools.expert_files.projection import project


def collect_labels(
    sources: Sequence[ExpertSource],
    gold: Corpus | None,
    *,
    maps: Sequence[str] = (),
    extend: bool = True,
    scheme: Scheme | None = None,
    gold_name: str = "gold",
) -> ExpertLabels:
    """Match the annotations of experts to the gold sentences (without gold: to those of the first expert), and align them.

    With ``extend``, sentences without gold labels are added. The order is that of the first expert, then of the others; gold
    sentences that no expert has are last. Without it, the sentences are those of gold or of the first expert, in their order.
    ``scheme`` is the tag scheme of the result (default: that of gold, or of the first expert that has one). ``maps`` are
    arguments of :class:`TypeMaps`.
    """
    names = [name for source in sources for name in source.experts]
    target = scheme or _target_scheme(gold, sources)
    collection = _Collection(TypeMaps(maps, names), target, gold, extend, {name: {} for name in names})
    for number, source in enumerate(sources):
        collection.add(source, is_first=number == 0, gold_name=gold_name)
    return collection.result()


def _target_scheme(gold: Corpus | None, sources: Sequence[ExpertSource]) -> Scheme:
    if gold is not None and gold.label_column is not None:
        return detect(gold.labels).scheme
    plain = False
    for source in sources:
        detected = _detect(source)
        if detected is not None and detected is not Scheme.PLAIN:
            return detected
        plain = plain or detected is Scheme.PLAIN
    return Scheme.PLAIN if plain else Scheme.BIO2


def _detect(source: ExpertSource) -> Scheme | None:
    """Return the tag scheme of labels of tokens; None if there are no labels but O."""
    rows = [[OUTSIDE if label is None else label for label in row] for row in source.rows()]
    detected = detect(rows)
    return None if detected.ambiguous else detected.scheme


@dataclass
class _Collection:
    """Sentences and labels so far; the first sentences are those of gold."""

    maps: TypeMaps
    target: Scheme
    gold: Corpus | None
    extend: bool
    cells: dict[str, dict[int, tuple[Annotation, LabelRow, ScoreRow]]]  # by expert and sentence
    notes: list[str] = field(default_factory=list)
    types: dict[str, set[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.words: list[list[str]] = [] if self.gold is None else self.gold.words
        self.documents: list[Hashable] = [None] * len(self.words)
        self.expected = list(range(len(self.words)))
        self.order: dict[int, None] = {} if self.extend else dict.fromkeys(self.expected)
        has_labels = self.gold is not None and self.gold.label_column is not None
        self.gold_rows: list[list[str]] = self.gold.labels if self.gold is not None and has_labels else []
        self.known = {type_of(label) for label in set(chain.from_iterable(self.gold_rows))}

    def add(self, source: ExpertSource, *, is_first: bool, gold_name: str) -> None:
        """Add the sentences and the labels of the experts of a source."""
        reference = Reference(self.words, self.expected, gold_name)
        matches = reference.match(source.annotations)
        is_reference = self.gold is None and is_first
        reference.check(matches, len(source.experts) > 1)
        extends = self.extend or is_reference
        self.notes += reference.describe(source.path, source.annotations, matches, extends)
        pairs: list[tuple[int, Annotation]] = []
        for number, annotation in matches.items:
            if number is None and not extends:
                continue
            sentence = self._new_sentence(annotation) if number is None else number
            self.order.setdefault(sentence)
            self.documents[sentence] = self.documents[sentence] or annotation.document
            pairs.append((sentence, annotation))
        if is_reference:
            self.expected = list(self.order)
        self._read_layers(source, pairs)

    def _new_sentence(self, annotation: Annotation) -> int:
        self.words.append(annotation.tokens)
        self.documents.append(None)
        return len(self.words) - 1

    def _read_layers(self, source: ExpertSource, pairs: list[tuple[int, Annotation]]) -> None:
        detected = _detect(source) or self.target
        for expert, name in source.experts.items():
            layers = [(number, one, layer) for number, one in pairs if (layer := one.layers.get(name)) is not None]
            labels = {label for _, _, layer in layers for label in layer.labels or () if label is not None}
            types = self.maps.of(expert)
            kinds = {type_of(label) for label in labels} | {span.type for _, _, layer in layers for span in layer.spans or ()}
            self.types[expert] = kinds - {OUTSIDE}
            is_plain = detected is Scheme.PLAIN and self.target is not Scheme.PLAIN
            is_typed = is_plain and not any(label_parts(label).type for label in labels)
            runs = is_typed and any(types.get(kind, kind) in self.known for kind in self.types[expert])
            reader = LabelReader(detected, self.target, types, runs)
            for number, one, layer in layers:
                projected = project(one, layer, self.words[number], reader)
                self.notes += projected.notes
                self.cells[expert][number] = one, projected.labels, projected.scores

    def result(self) -> ExpertLabels:
        """Return the labels in the final order; gold sentences that no expert has are last."""
        order = list(self.order) + [number for number in range(len(self.words)) if number not in self.order]
        labels: dict[str, list[LabelRow]] = {}
        scores: dict[str, list[ScoreRow]] = {}
        origins: dict[str, list[Annotation | None]] = {}
        for expert, cells in self.cells.items():
            rows = [cells.get(number, (None, None, None)) for number in order]
            origins[expert], labels[expert] = [one for one, _, _ in rows], [row for _, row, _ in rows]
            if any(value is not None for _, _, row in rows for value in row or ()):
                scores[expert] = [values if row is None or values is not None else [None] * len(row) for _, row, values in rows]
        gold = [self.gold_rows[number] if number < len(self.gold_rows) else None for number in order]
        corpus = Corpus.from_columns(
            {WORD: [self.words[number] for number in order]},
            documents=self._document_starts(order),
            source=None if self.gold is None else self.gold.source,
        )
        notes = self.notes + self.maps.unused(self.types)
        return ExpertLabels(corpus, labels, scores, gold, notes, self.types, origins)

    def _document_starts(self, order: list[int]) -> list[int]:
        """Return the first sentences of documents: a sentence of an unknown document is one; none if all are unknown."""
        starts = self.gold.document_starts if self.gold is not None else []
        for first, last in pairwise([*starts, len(self.gold_rows)] if starts else []):
            for number in range(first, last):
                self.documents[number] = self.documents[number] or f"gold {first}"
        keys = [self.documents[number] for number in order]
        if not any(key is not None for key in keys):
            return []
        return [i for i, key in enumerate(keys) if i == 0 or key is None or key != keys[i - 1]]
