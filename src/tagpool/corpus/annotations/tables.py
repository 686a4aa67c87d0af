"""Tables (CSV or TSV) with a header: one token per row, or one span per row.

Tokens: ``sentence,token,label``; every further column may be an annotator, too. With a column ``worker`` the rows of a sentence
are repeated for every annotator. Without a column ``sentence`` an empty row ends a sentence. Spans: ``text,start,end,label``,
where the text is repeated; an empty ``start`` stands for a text without spans.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tagpool.corpus.annotations.annotation import DEFAULT_LAYER, Annotation, CharSpan, Layer, lines_of
from tagpool.corpus.annotations.json_values import read_score
from tagpool.corpus.annotations.token_lists import ABSTAINS
from tagpool.corpus.files import read_lines, source_name
from tagpool.errors import InputError
from tagpool.wording import counted

# Names of columns, in lower case, by their meaning. The first one that a header has is used.
_MEANINGS = {
    "sentence": ("sentence", "sentence_id", "sentence #", "sent", "sent_id", "doc", "doc_id", "document", "id"),
    "token": ("word", "token", "words", "tokens"),
    "worker": ("worker", "worker_id", "annotator", "annotator_id", "user"),
    "label": ("label", "labels", "tag", "ner", "ner_tag", "type", "entity"),
    "text": ("text",),
    "start": ("start", "begin", "start_offset"),
    "end": ("end", "stop", "end_offset"),
    "score": ("score", "confidence", "probability"),
}
_DELIMITERS = {".csv": ",;\t", ".tsv": "\t"}


@dataclass(frozen=True)
class _Table:
    """Rows of a table with their lines, and the number of the column for every meaning."""

    source: str
    header: list[str]
    places: dict[str, int]
    rows: list[tuple[int, list[str]]]

    def value(self, row: Sequence[str], meaning: str) -> str:
        """Return a field; an empty one if the table or the row does not have it."""
        place = self.places.get(meaning, len(row))
        return row[place] if place < len(row) else ""

    @property
    def has_spans(self) -> bool:
        return {"text", "start", "end"} <= self.places.keys()

    def others(self) -> list[str]:
        """Return the columns without a meaning: annotators, if they have labels."""
        return [name for number, name in enumerate(self.header) if number not in self.places.values()]


def is_table(path: str | Path, *, encoding: str = "utf-8") -> bool:
    """Return whether a file is a table: ``.csv``, or ``.tsv`` with a header (without one it has CoNLL columns)."""
    suffix = _suffix(path)
    if suffix == ".tsv":
        lines = read_lines(path, encoding=encoding)
        header = _places([name.strip() for name in lines[0].split("\t")]) if lines else {}
        return "token" in header or {"text", "start", "end"} <= header.keys()
    return suffix == ".csv"


def _suffix(path: str | Path) -> str:
    return Path(Path(path).name.removesuffix(".gz")).suffix.lower()


def _places(header: list[str]) -> dict[str, int]:
    """Return the column of every meaning; a column has one meaning only."""
    lower = [name.lower() for name in header]
    return {
        meaning: next(lower.index(name) for name in names if name in lower)
        for meaning, names in _MEANINGS.items()
        if any(name in lower for name in names)
    }


def read_table(path: str | Path, *, encoding: str = "utf-8") -> list[Annotation]:
    """Read a table; annotators are layers with the names of columns or workers."""
    table = _read(path, encoding)
    if table.has_spans:
        return _read_spans(table)
    if "token" not in table.places:
        understood = "; ".join(f"{meaning}: {', '.join(names)}" for meaning, names in _MEANINGS.items())
        message = f"expected the columns token and label, or text, start, end and label; the header has {', '.join(table.header)}"
        raise InputError(f"{message}; names understood are {understood}", source=table.source, line=1)
    if "worker" in table.places and not {"sentence", "label"} <= table.places.keys():
        message = f"a table with workers needs the columns sentence and label; the header has {', '.join(table.header)}"
        raise InputError(message, source=table.source, line=1)
    return [_read_sentence(table, key, rows) for key, rows in _sentences(table)]


def _read(path: str | Path, encoding: str) -> _Table:
    source = source_name(path)
    lines = read_lines(path, encoding=encoding)
    delimiters = _DELIMITERS.get(_suffix(path), ",")
    delimiter = max(delimiters, key=lines[0].count) if lines else ","
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter)
    rows: list[tuple[int, list[str]]] = []
    try:
        header = [name.strip() for name in next(reader, [])]
        for row in reader:
            rows.append((reader.line_num, row))
    except csv.Error as error:
        raise InputError(f"the table is damaged: {error}", source=source, line=max(reader.line_num, 1)) from None
    if not any(any(row) for _, row in rows):
        raise InputError("expected a header and rows, got no rows", source=source, line=max(len(lines), 1))
    for number, row in rows:
        if any(row) and len(row) != len(header):
            message = f"expected {counted(len(header), 'column')}, as the header has, got {len(row)}"
            raise InputError(message, source=source, line=number)
    return _Table(source, header, _places(header), rows)


def _sentences(table: _Table) -> Iterator[tuple[str, list[tuple[int, list[str]]]]]:
    """Yield the rows of every sentence with its number; an empty number continues the sentence."""
    groups: dict[str, list[tuple[int, list[str]]]] = {}
    key = ""
    blocks = 0
    for number, row in table.rows:
        if not any(row):
            blocks += 1
            continue
        key = (table.value(row, "sentence") or key) if "sentence" in table.places else str(blocks)
        groups.setdefault(key, []).append((number, row))
    yield from groups.items()


def _read_sentence(table: _Table, key: str, rows: list[tuple[int, list[str]]]) -> Annotation:
    first_line = rows[0][0]
    layers: dict[str, Layer] = {}
    if "worker" in table.places:
        by_worker: dict[str, list[tuple[int, list[str]]]] = {}
        for row in rows:
            by_worker.setdefault(table.value(row[1], "worker"), []).append(row)
        words = [table.value(row, "token") for _, row in next(iter(by_worker.values()))]
        for worker, labelled in by_worker.items():
            if [table.value(row, "token") for _, row in labelled] != words:
                message = f"worker {worker!r} has other tokens in sentence {key!r} than the first worker"
                raise InputError(message, source=table.source, line=labelled[0][0])
            layers[worker] = _layer([row for _, row in labelled], table, table.places["label"])
    else:
        words = [table.value(row, "token") for _, row in rows]
        tokens = [row for _, row in rows]
        if "label" in table.places:
            layers[DEFAULT_LAYER] = _layer(tokens, table, table.places["label"])
        for name in table.others():
            layers[name] = _layer(tokens, table, table.header.index(name))
    for number, fields in rows:
        if not table.value(fields, "token").strip():
            raise InputError("expected a token, got an empty field", source=table.source, line=number)
    lines = [number for number, _ in rows]
    return Annotation(
        table.source, first_line, layers, words=words, line_of=lambda token: lines[token] if token < len(lines) else first_line
    )


def _layer(rows: list[list[str]], table: _Table, column: int) -> Layer:
    labels = [row[column].strip() for row in rows]
    scores = [_score(table.value(row, "score")) for row in rows] if "score" in table.places else None
    return Layer([None if label in ("", ABSTAINS) else label for label in labels], scores=scores)


def _score(text: str) -> float | None:
    try:
        return read_score(float(text))
    except ValueError:
        return None


def _read_spans(table: _Table) -> list[Annotation]:
    """Read rows with spans; consecutive rows of the same text and document are one text."""
    annotations: list[Annotation] = []
    last: tuple[str, str] | None = None
    for number, row in table.rows:
        key = table.value(row, "sentence"), table.value(row, "text")
        if any(row) and key != last:
            layers = {DEFAULT_LAYER: Layer(spans=[])}
            annotations.append(Annotation(table.source, number, layers, text=key[1], sentences=lines_of(key[1])))
            last = key
        if table.value(row, "start"):
            spans = annotations[-1].layers[DEFAULT_LAYER].spans
            assert spans is not None
            spans.append(_span(table, row, number))
    return annotations


def _span(table: _Table, row: list[str], number: int) -> CharSpan:
    text, label = table.value(row, "text"), table.value(row, "label").strip()
    fields = [table.value(row, meaning).strip() for meaning in ("start", "end")]
    if not all(field.isdecimal() and len(field) < 10 for field in fields):
        raise InputError(
            f"expected the numbers of characters, got start {fields[0]!r} and end {fields[1]!r}", source=table.source, line=number
        )
    start, end = map(int, fields)
    if not start < end <= len(text):
        advice = "the column text has the whole text, in every row"
        message = f"span {start} {end} is outside the text of {counted(len(text), 'character')}; {advice}"
        raise InputError(message, source=table.source, line=number)
    if not label:
        raise InputError("expected the type of a span in the column label, got an empty field", source=table.source, line=number)
    return CharSpan(start, end, "_".join(label.split()), _score(table.value(row, "score")), number)
