"""Labels and columns of perturbed sentences: spans survive when tokens split, merge, appear or vanish."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tagpool.corpus.corpus import WORD, Corpus
from tagpool.corpus.schemes import Scheme, Span, detect, spans, to_labels
from tagpool.errors import InputError
from tagpool.perturbations.perturbation import NewToken, NotApplicable
from tagpool.wording import counted

Rows = list[list[str]]


class _Row(NamedTuple):
    """The words of a changed sentence, and the old token of each; None if all are at their old places."""

    words: list[str]
    origins: list[int] | None


class LabelledRows:
    """The words of a corpus with the spans of its labels, and the corpus of changed words.

    Labels of sentences whose tokens stay are not touched, not even invalid ones. Other sentences are written again in the scheme
    of the corpus from their spans as conlleval reads them. A label outside all spans is copied as it is.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.word_column = WORD if WORD in corpus.columns else corpus.columns[0]
        self.words: Rows = corpus.words
        self.labels: Rows | None = corpus.labels if corpus.label_column is not None else None
        if corpus.label_column == self.word_column:
            raise InputError(
                f"the column {self.word_column} has the labels; expected a column of words too", source=corpus.source
            )
        self.scheme = Scheme.PLAIN if self.labels is None else detect(self.labels).scheme

    def spans_of(self, number: int) -> list[Span]:
        """Return the spans of a sentence; none for plain labels."""
        return [] if self.labels is None or self.scheme is Scheme.PLAIN else spans(self.labels[number])

    def require_spans(self) -> None:
        """Raise NotApplicable for a corpus without spans."""
        if self.labels is None:
            raise NotApplicable("the corpus has no labels", source=self.corpus.source)
        if self.scheme is Scheme.PLAIN:
            raise NotApplicable("plain labels have no spans", source=self.corpus.source)
        if not any(self.spans_of(number) for number in range(len(self.labels))):
            raise NotApplicable("the labels have no spans", source=self.corpus.source)

    def parts_of(self, number: int, span_of: Sequence[int]) -> list[int]:
        """Return a number for each token; neighbours with the same number may become one token."""
        if self.labels is None or self.scheme is not Scheme.PLAIN:
            return list(span_of)
        known: dict[str, int] = {}
        return [known.setdefault(label, len(known)) for label in self.labels[number]]

    def rewrite(self, changed: Sequence[Sequence[str | NewToken] | None], name: str) -> Corpus:
        """Return the corpus with changed sentences; None stands for a sentence that stays. ``name`` is for messages."""
        rows = [
            None if tokens is None else self._checked(number, tokens, f"perturbation {name}, sentence {number + 1}")
            for number, tokens in enumerate(changed)
        ]
        if all(row is None or row.origins is None for row in rows):
            words = [old if row is None else row.words for old, row in zip(self.words, rows, strict=True)]
            return self.corpus.with_column(self.word_column, words)
        columns = {column: list(self._column(column, rows)) for column in self.corpus.columns}
        return Corpus.from_columns(
            columns,
            documents=self.corpus.document_starts,
            # Lines between tokens, such as the ranges of CoNLL-U, count tokens; comments before a sentence do not.
            asides=[aside for aside in self.corpus.native.asides if aside[1] == 0],
            label_column=self.corpus.label_column or "label",
            source=self.corpus.source,
        )

    def _column(self, column: str, rows: Sequence[_Row | None]) -> Iterator[list[str]]:
        for number, (old, row) in enumerate(zip(self.corpus.column(column), rows, strict=True)):
            if row is None:
                yield old
            elif column == self.word_column:
                yield row.words
            elif row.origins is None:
                yield old
            elif column == self.corpus.label_column and self.scheme is not Scheme.PLAIN:
                yield self._labels(number, row.origins)
            else:
                yield [old[origin] for origin in row.origins]

    def _labels(self, number: int, origins: Sequence[int]) -> list[str]:
        """Write the spans of a sentence on its new tokens."""
        assert self.labels is not None
        placed = []
        for start, end, kind in self.spans_of(number):
            inside = [at for at, origin in enumerate(origins) if start <= origin < end]
            placed.append(Span(inside[0], inside[-1] + 1, kind))
        written = to_labels(placed, len(origins), self.scheme)
        return [self.labels[number][origin] if label == "O" else label for origin, label in zip(origins, written, strict=True)]

    def _checked(self, number: int, tokens: Sequence[str | NewToken], place: str) -> _Row:
        """Return the tokens of a changed sentence; raise an error for those that lose a span or empty the sentence."""
        old = self.words[number]
        if len(tokens) == len(old) and set(map(type, tokens)) == {str} and all(map(str.strip, tokens)):  # type: ignore[arg-type]
            return _Row(list(tokens), None)  # type: ignore[arg-type]
        words: list[str] = []
        origins: list[int] = []
        for at, token in enumerate(tokens):
            word, origin = token if isinstance(token, NewToken) else (token, at)
            if not isinstance(word, str) or not word.strip():
                raise InputError(f"expected words that are not empty, got {word!r}", source=place)
            if not isinstance(origin, int) or not (origins[-1] if origins else 0) <= origin < len(old):
                what = "one word for each old one, or NewToken objects with rising origins"
                raise InputError(f"token {at + 1} has no old token: expected {what}", source=place)
            words.append(word)
            origins.append(origin)
        if not words and old:
            raise InputError("the perturbation removes all tokens; keep one token or more", source=place)
        if not all(isinstance(token, NewToken) for token in tokens) and len(words) != len(old):
            raise InputError(
                f"expected {counted(len(old), 'word')}, got {len(words)}; use NewToken to change the number", source=place
            )
        if origins == list(range(len(old))):
            return _Row(words, None)
        for start, end, kind in self.spans_of(number):
            if set(origins).isdisjoint(range(start, end)):
                raise InputError(f"the span {kind or 'without type'} of tokens {start + 1} to {end} is lost", source=place)
        return _Row(words, origins)
