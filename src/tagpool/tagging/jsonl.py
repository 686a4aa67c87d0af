"""Tagging of JSONL: labels are added to the objects, and spans to those with a text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from tagpool.corpus.annotations.detection import is_tool_line
from tagpool.corpus.blocks import Block, Blocks
from tagpool.corpus.corpus import WORD, Corpus
from tagpool.corpus.jsonl import SPAN_KEYS, Fail, character_spans, parse_records, record_columns
from tagpool.corpus.schemes import is_plain
from tagpool.corpus.text import LONGEST_LINE, SPACE
from tagpool.errors import InputError
from tagpool.tagging.labeller import Labeller, Reading, StreamTagger

_PART = 1 << 16  # tokens that are Python objects at the same time


class _Row(NamedTuple):
    """An object, its columns, and True if it begins a document; or the error of a bad record."""

    record: dict[str, Any]
    columns: dict[str, list[str]]
    begins: bool
    error: dict[str, Any] | None = None


class JsonlTagger(StreamTagger):
    """Tags JSONL: adds ``labels`` to each object; to an object with a text also ``tokens`` and ``spans``.

    For a model that reads documents, objects are collected until the end of their document. A bad record that is skipped becomes
    an object with its line and the error.
    """

    def __init__(self, labeller: Labeller, blocks: Blocks) -> None:
        super().__init__(labeller, blocks)
        self.spans = not is_plain(dict.fromkeys(labeller.names, 1))
        self._document: Any = None
        self._unreadable: InputError | None = None

    def _pieces(self) -> Iterator[bytes]:
        waiting: list[_Row] = []
        try:
            for block in self.blocks:
                waiting += self._rows(block)
                begins = [place for place, row in enumerate(waiting) if row.begins] if self.labeller.by_document else []
                # Sentences before the first document do not belong to one.
                whole = begins[-1] if begins else len(waiting)
                if begins and begins[0]:
                    yield from self._tag_rows(waiting[: begins[0]])
                    waiting, whole = waiting[begins[0] :], whole - begins[0]
                yield from self._tag_rows(waiting[:whole])
                waiting = waiting[whole:]
                if self._stops:
                    break
        except InputError as error:  # the rest of the input is not readable
            self._unreadable = error
        yield from self._tag_rows(waiting)
        if self._unreadable is not None:
            raise self._unreadable

    def _rows(self, block: Block) -> Iterator[_Row]:
        if block.error is not None:
            yield self._bad_row(block.error)
        for number, line in block.valid_lines(self.blocks.source):
            try:
                if isinstance(line, InputError):
                    raise line
                for record, fail in parse_records([(number, line)], self.blocks.source):
                    yield self._row(record, fail)
            except InputError as error:
                is_tool = isinstance(line, str) and is_tool_line(line)
                yield self._bad_row(_advise(error) if is_tool else error)
                if self._stops:
                    return

    def _bad_row(self, error: InputError) -> _Row:
        return _Row({}, {}, begins=False, error={"line": error.line, "error": self._refuse(error)})

    def _row(self, record: dict[str, Any], fail: Fail) -> _Row:
        text = record.get("text")
        if "tokens" not in record and isinstance(text, str) and len(text) > LONGEST_LINE:
            message = f'"text": expected at most {LONGEST_LINE:,} characters, got {len(text):,}; divide it into sentences'
            raise fail(message)
        columns = record_columns({key: value for key, value in record.items() if key not in SPAN_KEYS}, "error", fail)
        if columns[WORD]:
            self._check_length(len(columns[WORD]), fail)
            self.labeller.require([name for name in columns if name != SPACE], fail)
        else:  # a sentence without tokens needs no columns
            columns = {name: [] for name in self.labeller.columns} | columns
        before, self._document = self._document, record.get("document")
        return _Row(record, columns, self._document is not None and self._document != before)

    def _tag_rows(self, rows: list[_Row]) -> Iterator[bytes]:
        """Yield the labelled objects, for a bounded number of tokens at a time; documents that the model reads stay whole."""
        part: list[_Row] = []
        tokens = 0
        for row in rows:
            if tokens > _PART and (row.begins or not self.labeller.by_document):
                yield self._tag_part(part)
                part, tokens = [], 0
            part.append(row)
            tokens += len(row.columns.get(WORD, ()))
        if part:
            yield self._tag_part(part)

    def _tag_part(self, rows: list[_Row]) -> bytes:
        good = [row for row in rows if row.error is None]
        self.sentences += len(good)
        columns = {name: [row.columns[name] for row in good] for name in self.labeller.columns or (WORD,)}
        corpus = Corpus.from_columns(columns, documents=[place for place, row in enumerate(good) if row.begins])
        self.tokens += corpus.token_count
        readings = iter(self.labeller.readings(corpus.native) if good else ())
        objects = [self._label(row, next(readings)) if row.error is None else row.error for row in rows]
        if self._stops:
            objects = [item for item, row in zip(objects, rows, strict=True) if row.error is None]
        return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in objects).encode()

    def _label(self, row: _Row, readings: list[Reading]) -> dict[str, Any]:
        record, columns = row.record, row.columns
        output = {key: value for key, value in record.items() if key not in SPAN_KEYS}
        if "tokens" not in record:
            output["tokens"] = columns[WORD]
        best = readings[0]
        output["labels"] = best.labels
        if "text" in record and "tokens" not in record and self.spans:
            # Leading blanks belong to no token.
            before = len(record["text"]) - len("".join(map(str.__add__, columns[WORD], columns[SPACE])))
            output["spans"] = character_spans(columns[WORD], columns[SPACE], best.labels, before)
        if best.probabilities is not None:
            output["probabilities"] = [round(probability, 6) for probability in best.probabilities]
        if self.labeller.nbest:
            output["nbest"] = [
                {"labels": one.labels, "score": one.score, "log_probability": one.log_probability} for one in readings
            ]
        return output


def _advise(error: InputError) -> InputError:
    """Return an error that says how a file of an annotation tool is tagged."""
    advice = "convert a file of an annotation tool first: tagpool convert FILE -o FILE.conll"
    return InputError(f"{error.message}; {advice}", source=error.source, line=error.line)
