"""Tagging of JSONL: labels are added to the objects, and spans to those with a text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from tagpool.corpus.corpus import WORD, Corpus
from tagpool.corpus.jsonl import SPAN_KEYS, character_spans, parse_records, record_columns
from tagpool.corpus.schemes import is_plain
from tagpool.corpus.text import SPACE
from tagpool.tagging.blocks import Block, Blocks
from tagpool.tagging.labeller import Labeller, Reading, StreamTagger


class _Row(NamedTuple):
    """An object, its columns, and True if it begins a document."""

    record: dict[str, Any]
    columns: dict[str, list[str]]
    begins: bool


class JsonlTagger(StreamTagger):
    """Tags JSONL: adds ``labels`` to each object; to an object with a text also ``tokens`` and ``spans``.

    For a model that reads documents, objects are collected until the end of their document.
    """

    def __init__(self, labeller: Labeller, blocks: Blocks) -> None:
        super().__init__(labeller, blocks)
        self.spans = not is_plain(dict.fromkeys(labeller.names, 1))
        self._document: Any = None

    def _pieces(self) -> Iterator[bytes]:
        waiting: list[_Row] = []
        for block in self.blocks:
            waiting += self._rows(block)
            begins = [place for place, row in enumerate(waiting) if row.begins] if self.labeller.by_document else []
            # Sentences before the first document do not belong to one.
            whole = begins[-1] if begins else len(waiting)
            if begins and begins[0]:
                yield self._tag_rows(waiting[: begins[0]])
                waiting, whole = waiting[begins[0] :], whole - begins[0]
            yield self._tag_rows(waiting[:whole])
            waiting = waiting[whole:]
        yield self._tag_rows(waiting)

    def _rows(self, block: Block) -> Iterator[_Row]:
        for record, fail in parse_records(block.lines(self.blocks.source), self.blocks.source):
            unlabelled = {key: value for key, value in record.items() if key not in SPAN_KEYS}
            columns = record_columns(unlabelled, "error", fail)
            self.labeller.require([name for name in columns if name != SPACE], fail)
            before, self._document = self._document, record.get("document")
            yield _Row(record, columns, self._document is not None and self._document != before)

    def _tag_rows(self, rows: list[_Row]) -> bytes:
        if not rows:
            return b""
        self.sentences += len(rows)
        columns = {name: [row.columns[name] for row in rows] for name in self.labeller.columns or (WORD,)}
        corpus = Corpus.from_columns(columns, documents=[place for place, row in enumerate(rows) if row.begins])
        labelled = map(self._label, rows, self.labeller.readings(corpus.native))
        return ("\n".join(json.dumps(record, ensure_ascii=False) for record in labelled) + "\n").encode()

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
