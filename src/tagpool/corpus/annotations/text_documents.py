"""Text documents: the sentences of a corpus as running text with the places of tokens and spans, for writers of tool formats."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tagpool.corpus.annotations.annotation import CharSpan, Place, tokenize_lines
from tagpool.corpus.annotations.losses import Losses, count_lines
from tagpool.corpus.corpus import WORD, Corpus
from tagpool.corpus.schemes import spans
from tagpool.corpus.text import SPACE, blanks_of, texts, token_places
from tagpool.corpus.transitions import label_parts
from tagpool.corpus.unknown_labels import UNKNOWN, has_span_labels
from tagpool.errors import InputError

UNTYPED = "ENTITY"  # type of spans whose labels have none
EMPTY_SENTENCES = "sentences without tokens"
LINE_ENDS = "line ends inside a sentence, written as blanks"
BLANK_WORDS = "words of blanks"
UNTYPED_SPANS = f"spans without a type, written as {UNTYPED}"
BLANKS_IN_TYPES = "types with blanks, written with _"
UNKNOWN_LABELS = "unknown labels, written as if outside"
BOUNDARIES = "boundaries of documents"
TOKENS = "texts whose tokens differ when they are read"
UNITED = "sentences without documents, written as one text"


@dataclass(frozen=True)
class TextDocument:
    """A text with the places of its sentences and tokens, and spans.

    ``number`` is that of its document; None if documents are not marked. ``unknown`` has the tokens of which it is unknown
    whether they are in a span; all others are in spans if it ``is_binary``, as tasks of Prodigy are. ``has_labels`` is false if
    the text is not annotated.
    """

    text: str
    sentences: list[Place]
    tokens: list[Place]
    spans: list[CharSpan]
    unknown: list[int]
    has_labels: bool
    is_binary: bool
    number: int | None = None

    @property
    def has_own_tokens(self) -> bool:
        """Whether the tokens are not those of :func:`tagpool.tokenize`."""
        return tokenize_lines(self.text) != self.tokens


def make_documents(corpus: Corpus, losses: Losses, *, whole: bool = False, lines: bool = True) -> list[TextDocument]:
    """Return the documents of a corpus, or its sentences if documents are not marked, or with ``whole`` one text.

    With ``lines``, a line is a sentence: line ends elsewhere become blanks, except inside spans.
    """
    if corpus.label_column is not None and not has_span_labels(corpus):
        column, advice = repr(corpus.label_column), "write it as conllup or jsonl"
        raise InputError(f"column {column} has plain labels, expected spans (B-PER, I-PER, O); {advice}", source=corpus.source)
    for name in corpus.columns:
        if name not in (WORD, SPACE, corpus.label_column):
            losses[f"column {name}"] += corpus.token_count
    losses.update(count_lines(line for _, _, line in corpus.native.asides))
    full = corpus.drop_empty()
    losses[EMPTY_SENTENCES] += len(corpus) - len(full)
    starts = full.document_starts
    bounds = [*dict.fromkeys([0, *starts]), len(full)] if starts else list(range(len(full) + 1))
    if whole:
        losses[BOUNDARIES] += max(len(starts) - 1, 0)
        losses[UNITED] += len(full) if not starts and len(full) > 1 else 0
        bounds = [0, len(full)]
    if not len(full):
        raise InputError("expected sentences with words, got none", source=corpus.source)
    words, blanks = full.words, blanks_of(full)
    labels = full.labels if full.label_column is not None else None
    return [
        _document(
            words[first:last],
            blanks[first:last],
            None if labels is None else labels[first:last],
            number if starts and not whole else None,
            losses,
            lines=lines,
        )
        for number, (first, last) in enumerate(pairwise(bounds))
    ]


def _document(
    words: Sequence[Sequence[str]],
    blanks: Sequence[Sequence[str]],
    labels: Sequence[Sequence[str]] | None,
    number: int | None,
    losses: Losses,
    *,
    lines: bool,
) -> TextDocument:
    pieces: list[str] = []
    sentences: list[Place] = []
    tokens: list[Place] = []
    at = 0
    for index, (row, spaces) in enumerate(zip(words, blanks, strict=True)):
        begin = at
        for position, (word, space) in enumerate(zip(row, spaces, strict=True)):
            tokens.append((at, at + len(word)))
            if position == len(row) - 1:
                sentences.append((begin, at + len(word)))
                space = _between_sentences(space) if index < len(words) - 1 else space
            pieces += (word, space)
            at += len(word) + len(space)
    text = "".join(pieces)
    rows = labels or []
    flat = [label for row in rows for label in row]
    char_spans = _spans(rows, tokens, losses)
    if lines:
        text = _without_line_ends(text, sentences, tokens, char_spans, losses)
    filled = [index for index, place in enumerate(tokens) if text[slice(*place)].strip() or not lines]
    losses[BLANK_WORDS] += len(tokens) - len(filled)
    unknown = [number for number, index in enumerate(filled) if flat and flat[index] == UNKNOWN]
    return TextDocument(
        text,
        sentences,
        [tokens[index] for index in filled],
        char_spans,
        unknown,
        has_labels=labels is not None and len(unknown) < len(filled),
        is_binary=bool(unknown) and all(label == UNKNOWN or label_parts(label).role != "O" for label in flat),
        number=number,
    )


def _between_sentences(space: str) -> str:
    """Return the blanks between two sentences, with a line end."""
    return space if "\n" in space else f"{space[:-1]}\n"


def _spans(rows: Sequence[Sequence[str]], tokens: Sequence[Place], losses: Losses) -> list[CharSpan]:
    result, first = [], 0
    for row in rows:
        for start, end, kind in spans(row):
            result.append(CharSpan(tokens[first + start][0], tokens[first + end - 1][1], span_type(kind, losses)))
        first += len(row)
    return result


def span_type(kind: str, losses: Losses) -> str:
    """Return the type of a span in a file, and count it if it is another one: readers expect a type without blanks."""
    losses[UNTYPED_SPANS] += not kind
    name = "_".join(kind.split()) or UNTYPED
    losses[BLANKS_IN_TYPES] += bool(kind) and name != kind
    return name


def count_other_tokens(corpus: Corpus) -> int:
    """Return the number of sentences whose text would be read with other tokens.

    >>> count_other_tokens(Corpus.from_lists(word=[["Ann", "left"], ["c++", "x)"]]))
    1
    """
    rows = zip(corpus.words, texts(corpus), strict=True)
    return sum(words != [text[start:end] for start, end in token_places(text)] for words, text in rows)


def _without_line_ends(
    text: str, sentences: Sequence[Place], tokens: Sequence[Place], char_spans: Sequence[CharSpan], losses: Losses
) -> str:
    """Return a text whose lines are its sentences. A line end between two tokens of a span stays: it is read as part of it."""
    letters = list(text)
    for start, end in sentences:
        for at in range(start, end):
            if letters[at] != "\n":
                continue
            if _is_in_token(at, tokens) or not any(span.start <= at < span.end for span in char_spans):
                letters[at] = " "
                losses[LINE_ENDS] += 1
    return "".join(letters)


def _is_in_token(at: int, tokens: Sequence[Place]) -> bool:
    number = bisect_right(tokens, (at, len(tokens) and tokens[-1][1])) - 1
    return number >= 0 and tokens[number][0] <= at < tokens[number][1]
