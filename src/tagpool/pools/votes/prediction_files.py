"""Prediction files: the labels of an expert for the sentences of a gold corpus.

Formats are CoNLL columns and CoNLL-U (the last or a named column), JSONL with tokens and labels, and JSONL with text and
character spans, which are aligned to the gold tokens. A label ``?`` abstains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from tagpool.corpus.conll import DOCUMENT_START
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import read_lines, source_name
from tagpool.corpus.formats import Format, format_of, read_labelled
from tagpool.corpus.jsonl import character_ranges, parse_records
from tagpool.corpus.schemes import Scheme, Span, detect, to_labels
from tagpool.errors import InputError

ABSTAINS = "?"


@dataclass
class PredictionFile:
    """Labels of an expert for every gold sentence (None: abstains), and notes on spans that do not match.

    ``lines`` returns the line of a token, from the numbers of its sentence and token.
    """

    labels: list[list[str | None]]
    notes: list[str] = field(default_factory=list)
    lines: Callable[[int, int], int] = lambda sentence, token: sentence + 1


def read_predictions(
    path: str | Path, gold: Corpus, *, columns: str | None = None, label: str | None = None, encoding: str = "utf-8"
) -> PredictionFile:
    """Read the file of an expert; an InputError names the line that differs from the gold corpus (which needs no labels).

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "spans.jsonl")
    >>> _ = path.write_text('{"text": "Ann Lee left.", "labels": [[0, 7, "PER"], [9, 12, "ACT"]]}')
    >>> gold = Corpus.from_lists(word=[["Ann", "Lee", "left", "."]], label=[["B-PER", "I-PER", "O", "O"]])
    >>> read_predictions(path, gold).labels
    [['B-PER', 'I-PER', 'B-ACT', 'O']]
    """
    if format_of(path) is Format.JSONL and _has_spans(path, encoding):
        return _read_spans(path, gold, encoding)
    corpus = read_labelled(path, columns=columns, label=label, encoding=encoding)
    lines = _Lines(path, encoding)
    if len(corpus) != len(gold):
        line = lines.of(min(len(corpus), len(gold)))
        raise InputError(f"expected {len(gold)} sentences, as gold has, got {len(corpus)}", source=source_name(path), line=line)
    notes: list[str] = []
    for number, (words, gold_words) in enumerate(zip(corpus.words, gold.words, strict=True)):
        if len(words) != len(gold_words):
            raise InputError(
                f"expected {len(gold_words)} tokens in sentence {number + 1}, as gold has, got {len(words)}",
                source=source_name(path),
                line=lines.of(number),
            )
        if words != gold_words and not notes:
            place = next(i for i, (a, b) in enumerate(zip(words, gold_words, strict=True)) if a != b)
            notes.append(
                f"{source_name(path)}:{lines.of(number) + place}: the word is {words[place]!r}, in gold {gold_words[place]!r}; "
                "check that the sentences are the same"
            )
    return PredictionFile(
        [[None if label == ABSTAINS else label for label in labels] for labels in corpus.labels], notes, lines.of_token
    )


class _Lines:
    """Line numbers of sentences; computed only for messages."""

    def __init__(self, path: str | Path, encoding: str) -> None:
        self._path, self._encoding = path, encoding

    def of(self, sentence: int) -> int:
        """Return the line of a sentence, from 1; the last line of the file if it has fewer sentences."""
        lines = list(self._first_lines())
        return lines[sentence] if sentence < len(lines) else max(len(read_lines(self._path, encoding=self._encoding)), 1)

    def of_token(self, sentence: int, token: int) -> int:
        """Return the line of a token; in JSONL that of its sentence."""
        return self.of(sentence) + (0 if format_of(self._path) is Format.JSONL else token)

    def _first_lines(self) -> Iterator[int]:
        kind = format_of(self._path)
        inside = False
        for number, line in enumerate(read_lines(self._path, encoding=self._encoding), 1):
            if kind is Format.JSONL:
                if line.strip():
                    yield number
                continue
            is_comment = line.startswith(DOCUMENT_START) or (line.startswith("#") and not inside)
            if not line.strip():
                inside = False
            elif not inside and not is_comment:
                inside = True
                yield number


# Character spans --------------------------------------------------------------------------------------------------------


def _has_spans(path: str | Path, encoding: str) -> bool:
    records = parse_records(enumerate(read_lines(path, encoding=encoding), 1), source_name(path))
    return any("text" in record and "tokens" not in record for record, _ in islice(records, 1))


def _read_spans(path: str | Path, gold: Corpus, encoding: str) -> PredictionFile:
    source, words = source_name(path), gold.words
    scheme = detect(gold.labels).scheme if gold.label_column is not None else Scheme.BIO2
    predictions = PredictionFile([], lines=_Lines(path, encoding).of_token)
    for record, fail in parse_records(enumerate(read_lines(path, encoding=encoding), 1), source):
        sentence = len(predictions.labels)
        if sentence >= len(words):
            raise fail(f"there are more texts than the {len(words)} sentences of gold")
        places = _places(words[sentence], record.get("text"), fail)
        spans: list[Span] = []
        for start, end, kind in sorted(character_ranges(record, fail)):
            where = fail(f"span [{start}, {end}, {kind!r}]")
            inside = [token for token, (first, last) in enumerate(places) if first < end and last > start]
            if not inside:
                predictions.notes.append(f"{where} contains no token: ignored")
            elif spans and inside[0] < spans[-1].end:
                predictions.notes.append(f"{where} overlaps the previous one: ignored")
            else:
                if places[inside[0]][0] < start or places[inside[-1]][1] > end:
                    predictions.notes.append(f"{where} cuts a token: extended to whole tokens")
                spans.append(Span(inside[0], inside[-1] + 1, kind))
        predictions.labels.append([*to_labels(spans, len(places), Scheme.BIO2 if scheme is Scheme.PLAIN else scheme)])
    if len(predictions.labels) < len(words):
        raise InputError(
            f"expected {len(words)} texts, one per gold sentence, got {len(predictions.labels)}",
            source=source,
            line=max(len(read_lines(path, encoding=encoding)), 1),
        )
    return predictions


def _places(words: Sequence[str], text: Any, fail: Any) -> list[tuple[int, int]]:
    """Return the begin and end of each word in a text."""
    if not isinstance(text, str):
        raise fail(f'"text": expected a string, got {type(text).__name__}')
    places = []
    at = 0
    for number, word in enumerate(words, 1):
        begin = text.find(word, at)
        if begin < 0 or text[at:begin].strip():
            raise fail(f"word {number} of the gold sentence, {word!r}, does not follow in the text at character {at}")
        at = begin + len(word)
        places.append((begin, at))
    return places
