"""Record: a JSON value with its file and line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tagpool.corpus.annotations.annotation import DEFAULT_LAYER, Annotation, CharSpan, Layer, Place
from tagpool.corpus.annotations.json_values import is_offset, need_list
from tagpool.corpus.annotations.losses import Losses
from tagpool.corpus.jsonl import Fail, excerpt, need_words


@dataclass(frozen=True)
class Record:
    """A value of a JSON file; ``fail`` creates an error with its line, and ``notes`` are messages about it.

    ``not_located`` are named entities that its text does not have, and ``losses`` numbers of things that are not read.
    """

    value: Any
    fail: Fail
    source: str
    line: int
    notes: list[str] = field(default_factory=list)
    not_located: list[str] = field(default_factory=list)
    losses: Losses = field(default_factory=Losses)

    def note(self, message: str) -> None:
        """Add a message with the file and line."""
        self.notes.append(str(self.fail(message)))

    def annotation(self, layers: dict[str, Layer] | None = None, **parts: Any) -> Annotation:
        """Return an annotation with the file, the line and the document of the record."""
        document = self._document()
        key = None if document is None else f"{self.source} {excerpt(document)}"
        parts = {"document": key, "notes": self.notes, "not_located": self.not_located, "losses": self.losses} | parts
        return Annotation(self.source, self.line, layers or {}, **parts)

    def _document(self) -> Any:
        """Return the name of the document; in tasks of Prodigy it is in ``meta``, in those of Label Studio in ``data``."""
        if not isinstance(self.value, dict):
            return None
        places = (self.value, self.value.get("meta"), self.value.get("data"))
        return next(
            (place["document"] for place in places if isinstance(place, dict) and place.get("document") is not None), None
        )

    def with_spans(self, spans: list[CharSpan], **parts: Any) -> Annotation:
        """Return an annotation with the spans of one annotator."""
        return self.annotation({DEFAULT_LAYER: Layer(spans=spans)}, **parts)

    def token_places(self, text: str) -> list[Place] | None:
        """Return the places of the tokens of spaCy and Prodigy: objects with ``start`` and ``end``; None without tokens."""
        tokens = self.value.get("tokens")
        if tokens is None:
            return None
        places: list[Place] = []
        for token in need_list(tokens, "tokens", self.fail):
            start, end = (token.get("start"), token.get("end")) if isinstance(token, dict) else (None, None)
            last = places[-1][1] if places else 0
            if not (is_offset(start) and is_offset(end) and last <= start <= end <= len(text)):
                expected = 'tokens in the order of the text, such as {"start": 0, "end": 3}'
                raise self.fail(f'"tokens": expected {expected}, got {excerpt(token)}')
            if text[start:end].strip():  # spaCy also has tokens of blanks
                places.append((start, end))
        return places

    def words(self, key: str) -> list[str]:
        """Return a list of words."""
        return need_words(self.value[key], key, self.fail)
