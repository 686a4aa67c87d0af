"""Predictions from files: what an expert says of the sentences of a gold corpus, in whatever format it wrote them.

CoNLL columns and CoNLL-U (the last column, or one that is named), JSONL with tokens and labels, and JSONL with a text and
character spans, which are brought to the gold tokens. A label ``?`` abstains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tagpool.corpus.conll import DOCUMENT_START
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import read_lines, source_name
from tagpool.corpus.formats import Format, format_of, read_labelled
from tagpool.corpus.jsonl import SPAN_KEYS, character_ranges, parse_record
from tagpool.corpus.schemes import Scheme, Span, detect, to_labels
from tagpool.errors import InputError

SILENT = "?"


@dataclass
class Read:
    """An expert's labels for every gold sentence (None: it abstains), and notes on what did not fit.

    ``lines`` tells the line of a token, both from 0 on.
    """

    labels: list[list[str | None]]
    notes: list[str] = field(default_factory=list)
    lines: Callable[[int, int], int] = lambda sentence, token: sentence + 1


def read_predictions(
    path: str | Path, gold: Corpus, *, columns: str | None = None, label: str | None = None, encoding: str = "utf-8"
) -> Read:
    """Reads an expert's file; an InputError names the line where it does not fit the gold corpus (which needs no labels).

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "spans.jsonl")
    >>> _ = path.write_text('{"text": "Ann Lee left.", "labels": [[0, 7, "PER"], [9, 12, "ACT"]]}')
    >>> gold = Corpus.from_lists(word=[["Ann", "Lee", "left", "."]], label=[["B-PER", "I-PER", "O", "O"]])
    >>> read_predictions(path, gold).labels
    [['B-PER', 'I-PER', 'B-ACT', 'O']]
    """
    if format_of(path) is Format.JSONL and _has_spans(path, encoding):
        return _from_spans(path, gold, encoding)
    corpus = read_labelled(path, columns=columns, label=label, encoding=encoding)
    lines = _Lines(path, encoding)
    if len(corpus) != len(gold):
        at = lines.of(min(len(corpus), len(gold)))
        what = "the file ends early" if len(corpus) < len(gold) else "there are more sentences than in gold"
        raise InputError(f"{what}: expected {len(gold)} sentences, got {len(corpus)}", source=source_name(path), line=at)
    notes: list[str] = []
    for number, (own, theirs) in enumerate(zip(corpus.words, gold.words, strict=True)):
        if len(own) != len(theirs):
            raise InputError(
                f"expected {len(theirs)} tokens in sentence {number + 1}, as gold has, got {len(own)}",
                source=source_name(path),
                line=lines.of(number),
            )
        if own != theirs and not notes:
            place = next(i for i, (a, b) in enumerate(zip(own, theirs, strict=True)) if a != b)
            notes.append(
                f"{source_name(path)}:{lines.of(number) + place}: the word is {own[place]!r}, in gold {theirs[place]!r}; "
                "are these the same sentences?"
            )
    return Read([[None if each == SILENT else each for each in labels] for labels in corpus.labels], notes, lines.of_token)


class _Lines:
    """The line on which each sentence of a file begins; looked up only where there is something to say about one."""

    def __init__(self, path: str | Path, encoding: str) -> None:
        self._path, self._encoding = path, encoding

    def of(self, sentence: int) -> int:
        """The line, from 1 on; the last one of the file for a sentence that it has not."""
        begins = list(self._begin())
        return begins[sentence] if sentence < len(begins) else max(len(read_lines(self._path, encoding=self._encoding)), 1)

    def of_token(self, sentence: int, token: int) -> int:
        """The line of a token: that of its sentence where a sentence is one line."""
        return self.of(sentence) + (0 if format_of(self._path) is Format.JSONL else token)

    def _begin(self) -> Iterator[int]:
        kind = format_of(self._path)
        inside = False
        for number, line in enumerate(read_lines(self._path, encoding=self._encoding), 1):
            if kind is Format.JSONL:
                if line.strip():
                    yield number
                continue
            aside = line.startswith(DOCUMENT_START) or (line.startswith("#") and not inside)
            if not line.strip():
                inside = False
            elif not inside and not aside:
                inside = True
                yield number


# Character spans --------------------------------------------------------------------------------------------------------


def _has_spans(path: str | Path, encoding: str) -> bool:
    for number, line in enumerate(read_lines(path, encoding=encoding), 1):
        if line.strip():
            record = parse_record(line, lambda message, at=number: InputError(message, source=source_name(path), line=at))  # type: ignore[misc]
            return "text" in record and "tokens" not in record
    return False


def _from_spans(path: str | Path, gold: Corpus, encoding: str) -> Read:
    source, words = source_name(path), gold.words
    scheme = detect(gold.labels).scheme if gold.label_column is not None else Scheme.BIO2
    found = Read([], lines=_Lines(path, encoding).of_token)
    for number, line in enumerate(read_lines(path, encoding=encoding), 1):
        if not line.strip():
            continue

        def fail(message: str, number: int = number) -> InputError:
            return InputError(message, source=source, line=number)

        record = parse_record(line, fail)
        sentence = len(found.labels)
        if sentence >= len(words):
            raise fail(f"there are more texts than the {len(words)} sentences of gold")
        places = _places(words[sentence], record.get("text"), fail)
        kept: list[Span] = []
        for start, end, kind in sorted(character_ranges(record, next((k for k in SPAN_KEYS if k in record), None), fail)):
            said = f"{source}:{number}: span [{start}, {end}, {kind!r}]"
            inside = [token for token, (first, last) in enumerate(places) if first < end and last > start]
            if not inside:
                found.notes.append(f"{said} holds no token: left out")
            elif kept and inside[0] < kept[-1].end:
                found.notes.append(f"{said} overlaps the one before it: left out")
            else:
                if places[inside[0]][0] < start or places[inside[-1]][1] > end:
                    found.notes.append(f"{said} cuts a token: widened to whole tokens")
                kept.append(Span(inside[0], inside[-1] + 1, kind))
        found.labels.append([*to_labels(kept, len(places), Scheme.BIO2 if scheme is Scheme.PLAIN else scheme)])
    if len(found.labels) < len(words):
        raise InputError(
            f"the file ends early: expected {len(words)} texts, one for each sentence of gold, got {len(found.labels)}",
            source=source,
            line=max(len(read_lines(path, encoding=encoding)), 1),
        )
    return found


def _places(words: Sequence[str], text: Any, fail: Any) -> list[tuple[int, int]]:
    """Where the words stand in a text: each begin and end."""
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
