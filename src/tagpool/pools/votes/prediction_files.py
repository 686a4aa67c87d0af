"""Prediction files: the labels of an expert for the sentences of a gold corpus.

Formats are CoNLL columns and CoNLL-U (the last or a named column), JSONL with tokens and labels, and JSONL with text and
character spans, which are aligned to the gold tokens. A label ``?`` abstains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
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
from tagpool.wording import counted

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
    path: str | Path,
    gold: Corpus,
    *,
    columns: str | None = None,
    label: str | None = None,
    encoding: str = "utf-8",
    gold_name: str = "gold",
) -> PredictionFile:
    """Read the file of an expert; an InputError names the line that differs from the gold corpus (which needs no labels).

    ``gold_name`` is the name of the gold corpus in messages.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "spans.jsonl")
    >>> _ = path.write_text('{"text": "Ann Lee left.", "labels": [[0, 7, "PER"], [9, 12, "ACT"]]}')
    >>> gold = Corpus.from_lists(word=[["Ann", "Lee", "left", "."]], label=[["B-PER", "I-PER", "O", "O"]])
    >>> read_predictions(path, gold).labels
    [['B-PER', 'I-PER', 'B-ACT', 'O']]
    """
    if format_of(path) is Format.JSONL and _has_spans(path, encoding):
        return _read_spans(path, gold, encoding, gold_name)
    corpus = read_labelled(path, columns=columns, label=label, encoding=encoding)
    line_of = partial(_token_line, path, encoding)
    if len(corpus) != len(gold):
        message = f"expected {counted(len(gold), 'sentence')}, as {gold_name} has, got {len(corpus)}"
        raise InputError(message, source=source_name(path), line=line_of(min(len(corpus), len(gold))))
    notes: list[str] = []
    for number, (words, gold_words) in enumerate(zip(corpus.words, gold.words, strict=True)):
        if len(words) != len(gold_words):
            raise InputError(
                f"expected {counted(len(gold_words), 'token')} in sentence {number + 1}, as {gold_name} has, got {len(words)}",
                source=source_name(path),
                line=line_of(number),
            )
        if words != gold_words and not notes:
            place = next(i for i, (a, b) in enumerate(zip(words, gold_words, strict=True)) if a != b)
            notes.append(
                f"{source_name(path)}:{line_of(number) + place}: the word is {words[place]!r}, "
                f"in {gold_name} {gold_words[place]!r}; check that the sentences are the same"
            )
    return PredictionFile(
        [[None if label == ABSTAINS else label for label in labels] for labels in corpus.labels], notes, line_of
    )


def _token_line(path: str | Path, encoding: str, sentence: int, token: int = 0) -> int:
    """Return the line of a token (in JSONL of its sentence), from 1; the last line if the file has fewer sentences."""
    lines = read_lines(path, encoding=encoding)
    is_jsonl = format_of(path) is Format.JSONL
    first_lines = [number for number, line in enumerate(lines, 1) if line.strip()] if is_jsonl else list(_first_lines(lines))
    first = first_lines[sentence] if sentence < len(first_lines) else max(len(lines), 1)
    return first if is_jsonl else first + token


def _first_lines(lines: Sequence[str]) -> Iterator[int]:
    """Yield the first line of every sentence of a CoNLL file."""
    inside = False
    for number, line in enumerate(lines, 1):
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


def _read_spans(path: str | Path, gold: Corpus, encoding: str, gold_name: str) -> PredictionFile:
    source, words = source_name(path), gold.words
    scheme = detect(gold.labels).scheme if gold.label_column is not None else Scheme.BIO2
    predictions = PredictionFile([], lines=partial(_token_line, path, encoding))
    for record, fail in parse_records(enumerate(read_lines(path, encoding=encoding), 1), source):
        sentence = len(predictions.labels)
        if sentence >= len(words):
            raise fail(f"there are more texts than the {counted(len(words), 'sentence')} of {gold_name}")
        places = _places(words[sentence], record.get("text"), fail, gold_name)
        spans: list[Span] = []
        for start, end, kind in sorted(character_ranges(record, fail)):
            where = str(fail(f"span [{start}, {end}, {kind!r}]"))  # with the file and line
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
            f"expected {counted(len(words), 'text')}, one per sentence of {gold_name}, got {len(predictions.labels)}",
            source=source,
            line=max(len(read_lines(path, encoding=encoding)), 1),
        )
    return predictions


def _places(words: Sequence[str], text: Any, fail: Any, gold_name: str) -> list[tuple[int, int]]:
    """Return the begin and end of each word in a text."""
    if not isinstance(text, str):
        raise fail(f'"text": expected a string, got {type(text).__name__}')
    places = []
    at = 0
    for number, word in enumerate(words, 1):
        begin = text.find(word, at)
        if begin < 0 or text[at:begin].strip():
            raise fail(f"word {number} of the {gold_name} sentence, {word!r}, does not follow in the text at character {at}")
        at = begin + len(word)
        places.append((begin, at))
    return places
