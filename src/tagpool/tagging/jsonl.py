"""Tagging of JSONL: labels are added to the objects, and spans to those with a text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from tagpool.corpus.corpus import WORD
from tagpool.corpus.jsonl import SPAN_KEYS, character_spans, parse_record, record_columns
from tagpool.corpus.schemes import is_plain
from tagpool.corpus.text import SPACE
from tagpool.errors import InputError
from tagpool.tagging.blocks import Block, Blocks
from tagpool.tagging.labeller import Labeller
from tagpool.tagging.lines import block_lines
from tagpool.tagging.reading import Reading


class _Row(NamedTuple):
    """An object, its columns, and True if it begins a document."""

    record: dict[str, Any]
    columns: dict[str, list[str]]
    begins: bool


class JsonlTagger:
    """Tags JSONL: adds ``labels`` to each object; to an object with a text also ``tokens`` and ``spans``.

    For a model that reads documents, objects are collected until the end of their document.
    """

    def __init__(self, labeller: Labeller, blocks: Blocks) -> None:
        self.labeller = labeller
        self.blocks = blocks
        self.spans = not is_plain(dict.fromkeys(labeller.names, 1))
        self.sentences = 0
        self._document: Any = None

    def __iter__(self) -> Iterator[bytes]:
        waiting: list[_Row] = []
        for block in self.blocks:
            waiting += self._rows(block)
            begins = [place for place, row in enumerate(waiting) if row.begins] if self.labeller.by_document else []
            # Sentences before the first document do not belong to one.
            whole = begins[-1] if begins else len(waiting)
            if begins and begins[0]:
                yield self._tagged(waiting[: begins[0]])
                waiting, whole = waiting[begins[0] :], whole - begins[0]
            yield self._tagged(waiting[:whole])
            waiting = waiting[whole:]
        yield self._tagged(waiting)
        if not self.sentences:
            raise InputError("expected sentences; the input is empty", source=self.blocks.source)

    def _rows(self, block: Block) -> Iterator[_Row]:
        for number, line in block_lines(block, self.blocks.source):
            if not line.strip():
                continue

            def fail(message: str, number: int = number) -> InputError:
                return InputError(message, source=self.blocks.source, line=number)

            record = parse_record(line, fail)
            unlabelled = {key: value for key, value in record.items() if key not in SPAN_KEYS}
            columns = record_columns(unlabelled, "error", fail)
            self.labeller.require(tuple(name for name in columns if name != SPACE), self.blocks.source, number)
            before, self._document = self._document, record.get("document")
            yield _Row(record, columns, self._document is not None and self._document != before)

    def _tagged(self, rows: list[_Row]) -> bytes:
        if not rows:
            return b""
        self.sentences += len(rows)
        needed = self.labeller.needs or (WORD,)
        documents = [place for place, row in enumerate(rows) if row.begins]
        corpus = self.labeller.corpus({name: [row.columns[name] for row in rows] for name in needed}, documents)
        labelled = map(self._labelled, *zip(*rows, strict=True), self.labeller.readings(corpus))
        return ("\n".join(json.dumps(record, ensure_ascii=False) for record in labelled) + "\n").encode()

    def _labelled(
        self, record: dict[str, Any], columns: dict[str, list[str]], begins: bool, readings: list[Reading]
    ) -> dict[str, Any]:
        output = {key: value for key, value in record.items() if key not in SPAN_KEYS}
        if "tokens" not in record:
            output["tokens"] = columns[WORD]
        best = readings[0]
        output["labels"] = best.labels
        if "text" in record and "tokens" not in record and self.spans:
            # Leading blanks belong to no token.
            before = len(record["text"]) - len("".join(map(str.__add__, columns[WORD], columns[SPACE])))
            spans = character_spans(columns[WORD], columns[SPACE], best.labels)
            output["spans"] = [[start + before, end + before, kind] for start, end, kind in _numbered(spans)]
        if best.probabilities is not None:
            output["probabilities"] = [round(probability, 6) for probability in best.probabilities]
        if self.labeller.nbest:
            output["nbest"] = [
                {"labels": one.labels, "score": one.score, "log_probability": one.log_probability} for one in readings
            ]
        return output


def _numbered(spans: list[list[int | str]]) -> Iterator[tuple[int, int, str]]:
    for start, end, kind in spans:
        yield int(start), int(end), str(kind)
