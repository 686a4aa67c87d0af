"""Annotation: one sentence or text of a file, with the labels of one annotator or of several."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from tagpool.corpus.annotations.losses import Losses
from tagpool.corpus.text import token_places
from tagpool.errors import InputError

DEFAULT_LAYER = ""  # name of the labels of a file with one annotator
Place = tuple[int, int]  # begin and end in a text


class CharSpan(NamedTuple):
    """Characters ``start`` to ``end`` (exclusive) of a text, with a type, a confidence, and the line of a stand-off file."""

    start: int
    end: int
    type: str
    score: float | None = None
    line: int | None = None


@dataclass(frozen=True)
class Layer:
    """Labels by one annotator: ``labels`` has one per token (None abstains), or ``spans`` has spans of characters.

    ``scores`` are confidences of the labels of tokens. If it is ``partial``, tokens outside the spans are unknown.
    """

    labels: list[str | None] | None = None
    spans: list[CharSpan] | None = None
    scores: list[float | None] | None = None
    partial: bool = False


@dataclass
class Annotation:
    """One sentence or text: its words, or its text and possibly the places of its tokens, and labels by annotator.

    A record without words and text (of a Hugging Face pipeline) is known by its number only; ``read_with`` reads it when the text
    is known. ``annotator`` is the name of its only annotator, if it has one. ``sentences`` are the sentences of a
    longer text. ``offset`` is the place of the text in its record. ``not_located`` are named entities without a
    place. ``losses`` are numbers of other things in the record. ``line_of`` returns the line of a token. ``is_annotated`` is
    None if a task was accepted without a list of spans, which has no spans if other tasks of the file have such a list.
    """

    source: str
    line: int
    layers: dict[str, Layer]
    words: list[str] | None = None
    text: str | None = None
    places: list[Place] | None = None
    sentences: list[Place] = field(default_factory=list)
    document: Hashable = None
    offset: int = 0
    notes: list[str] = field(default_factory=list)
    not_located: list[str] = field(default_factory=list)
    losses: Losses = field(default_factory=Losses)
    is_annotated: bool | None = True
    line_of: Callable[[int], int] | None = None
    annotator: str | None = None
    read_with: Callable[[str], Annotation] | None = None

    def add_text(self, text: str) -> None:
        """Add the text of a record that has none, and read its spans."""
        self.text = text
        if self.read_with is not None:
            other = self.read_with(text)
            self.layers, self.notes, self.not_located = other.layers, other.notes, other.not_located

    def token_line(self, token: int) -> int:
        """Return the line of a token; that of the record if a line has several tokens."""
        return self.line if self.line_of is None else self.line_of(token)

    def at(self, message: str, line: int | None = None) -> str:
        """Return a message with its file and line."""
        return str(InputError(message, source=self.source, line=self.token_line(0) if line is None else line))

    @property
    def has_text(self) -> bool:
        """Whether the words or the text are known."""
        return self.words is not None or self.text is not None

    @cached_property
    def running_text(self) -> str:
        """The text, or the words with blanks between them."""
        return " ".join(self.words or ()) if self.text is None else self.text

    @cached_property
    def token_places(self) -> list[Place]:
        """The begin and end of each token; the lines of a text without tokens are tokenised."""
        if self.places is not None:
            return self.places
        if self.words is None:
            return tokenize_lines(self.running_text)
        places, at = [], 0
        for word in self.words:
            places.append((at, at + len(word)))
            at += len(word) + 1
        return places

    @cached_property
    def tokens(self) -> list[str]:
        """The words."""
        if self.words is not None:
            return self.words
        return [self.running_text[start:end] for start, end in self.token_places]

    @cached_property
    def squeezed(self) -> str:
        """The text without blanks."""
        return "".join(self.running_text.split())

    def cut(self, start: int, end: int) -> Annotation:
        """Return a part of the text, with the labels of the tokens and spans that begin in it.

        >>> spans = [CharSpan(0, 3, "PER"), CharSpan(10, 14, "LOC")]
        >>> text = Annotation("a.jsonl", 1, {"": Layer(spans=spans)}, text="Ann left. Oslo is big.")
        >>> text.cut(10, 22).layers[""].spans
        [CharSpan(start=0, end=4, type='LOC', score=None, line=None)]
        """
        first = next((i for i, place in enumerate(self.token_places) if place[0] >= start), len(self.token_places))
        last = next((i for i, place in enumerate(self.token_places) if place[0] >= end), len(self.token_places))
        layers: dict[str, Layer] = {}
        for name, layer in self.layers.items():
            inside = [span for span in layer.spans or () if start <= span.start < end]
            moved = [span._replace(start=span.start - start, end=min(span.end, end) - start) for span in inside]
            layers[name] = Layer(
                None if layer.labels is None else layer.labels[first:last],
                None if layer.spans is None else moved,
                None if layer.scores is None else layer.scores[first:last],
                layer.partial,
            )
        known = self.words is not None or self.places is not None
        return replace(
            self,
            layers=layers,
            words=None,
            text=self.running_text[start:end],
            places=[(a - start, b - start) for a, b in self.token_places[first:last]] if known else None,
            sentences=[],
            offset=self.offset + start,
            notes=[],
            not_located=[],
            losses=Losses(),
        )

    def parts(self) -> list[Annotation]:
        """Return the sentences of a longer text; the annotation itself if it has only one."""
        return [self.cut(*place) for place in self.sentences] if len(self.sentences) > 1 else [self]


def lines_of(text: str) -> list[Place]:
    """Return the lines of a text that are not blank: in texts of annotation tools a line is a sentence.

    >>> lines_of("Ann left.\\n\\nIt rains.\\n")
    [(0, 9), (11, 20)]
    """
    places, at = [], 0
    for line in text.split("\n"):
        if line.strip():
            places.append((at, at + len(line)))
        at += len(line) + 1
    return places


def tokenize_lines(text: str) -> list[Place]:
    """Return the places of the tokens of a text whose lines are sentences: a line end is the end of a text.

    >>> tokenize_lines("Plan A.\\nIt rains.")
    [(0, 4), (5, 6), (6, 7), (8, 10), (11, 16), (16, 17)]
    """
    return [(begin + start, begin + end) for begin, last in lines_of(text) for start, end in token_places(text[begin:last])]
