"""Annotation: entities, span groups or tags of spaCy documents, as one label per token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tagpool.corpus.schemes import Scheme, Span, to_labels
from tagpool.corpus.spacy.library import import_spacy
from tagpool.corpus.spacy.sentences import make_document
from tagpool.errors import InputError

ENTITIES, SPANS, TAG, POS = KINDS = ("entities", "spans", "tag", "pos")
NAMES = {ENTITIES: "doc.ents", SPANS: "doc.spans", TAG: "token.tag", POS: "token.pos"}
"""Names that spaCy has for the kinds of annotations."""
_FLAT = "spans that do not overlap; choose them with spacy.util.filter_spans"


@dataclass(frozen=True)
class Annotation:
    """Entities, the span group ``key``, fine or coarse parts of speech.

    >>> Annotation.parse("doc.spans.sc")
    Annotation(kind='spans', key='sc')
    """

    kind: str = ENTITIES
    key: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"{self.kind!r}: expected one of {', '.join(KINDS)}")

    @classmethod
    def parse(cls, text: str) -> Annotation | None:
        """Return the annotation of a name such as doc.ents, doc.spans.KEY, token.tag or token.pos; None for other texts."""
        if text.startswith("doc.spans."):
            return cls(SPANS, text.removeprefix("doc.spans."))
        return next((cls(kind) for kind, name in NAMES.items() if name == text and kind != SPANS), None)

    @property
    def is_spans(self) -> bool:
        """Whether the annotation has spans, not one tag per token."""
        return self.kind in (ENTITIES, SPANS)

    def is_set(self, document: Any) -> bool:
        """Return whether a document has the annotation, perhaps without any span."""
        if self.kind == SPANS:
            return self.key in document.spans
        return bool(document.has_annotation({ENTITIES: "ENT_IOB", TAG: "TAG", POS: "POS"}[self.kind]))

    def spans(self, document: Any, *, longest: bool = False) -> list[Span]:
        """Return the spans in token numbers. Those of a group must not overlap; or the ``longest`` ones are chosen."""
        chosen: Any = ()
        if self.kind == ENTITIES:
            chosen = document.ents
        elif self.kind == SPANS and self.key in document.spans:
            chosen = document.spans[self.key]
            if longest:
                chosen = import_spacy("span groups").util.filter_spans(chosen)
        spans = sorted(Span(one.start, one.end, one.label_) for one in chosen)
        if any(one.end > other.start for one, other in pairwise(spans)):
            raise InputError(f"doc.spans[{self.key!r}]: expected {_FLAT}")
        return spans

    def labels(
        self,
        document: Any,
        sentences: Sequence[Sequence[int]],
        *,
        mapping: Mapping[str, str] | None = None,
        unknown: str = "O",
        longest: bool = False,
    ) -> list[list[str]]:
        """Return the labels of each sentence, spans in BIO2.

        Args:
            document: The document.
            sentences: Token numbers of each sentence.
            mapping: New names of types or tags; an empty name drops the type.
            unknown: Label of tokens of which it is unknown whether they are in an entity.
            longest: Whether the longest spans of a group are chosen if some overlap.
        """
        names = mapping or {}
        if not self.is_spans:
            return [[self._tag(document[number], names) for number in sentence] for sentence in sentences]
        spans = [
            Span(one.start, one.end, names.get(one.type, one.type))
            for one in self.spans(document, longest=longest)
            if names.get(one.type, one.type)
        ]
        rows = [span_labels(spans, sentence) for sentence in sentences]
        if self.kind == ENTITIES and unknown != "O":
            pairs = [zip(row, sentence, strict=True) for row, sentence in zip(rows, sentences, strict=True)]
            return [[label if document[number].ent_iob else unknown for label, number in row] for row in pairs]
        return rows

    def _tag(self, token: Any, names: Mapping[str, str]) -> str:
        tag = token.tag_ if self.kind == TAG else token.pos_
        return names.get(tag, tag) or "_"


def span_labels(spans: Sequence[Span], sentence: Sequence[int]) -> list[str]:
    """Return the labels of the tokens of a sentence; a span that begins before it or ends after it is cut.

    >>> span_labels([Span(1, 4, "PER")], [0, 1, 3])
    ['O', 'B-PER', 'I-PER']
    """
    cut = []
    for span in spans:
        places = [place for place, number in enumerate(sentence) if span.start <= number < span.end]
        if places:
            cut.append(Span(places[0], places[-1] + 1, span.type))
    return to_labels(cut, len(sentence), Scheme.BIO2)


def label_words(pipeline: Any, rows: Sequence[Sequence[str]]) -> list[Any]:
    """Return the documents that a pipeline makes of sentences of words, one document per sentence."""
    return list(pipeline.pipe(make_document(pipeline.vocab, [row]) for row in rows))


def document_labels(document: Any, annotation: Annotation) -> list[str]:
    """Return one label for every token of a document that is one sentence."""
    return annotation.labels(document, [range(len(document))], longest=True)[0]
