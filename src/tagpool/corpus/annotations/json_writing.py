"""Files of Prodigy, doccano and Label Studio: one record per document, or per sentence if documents are not marked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tagpool.corpus.annotations.annotation import Place, tokenize_lines
from tagpool.corpus.annotations.losses import Losses
from tagpool.corpus.annotations.text_documents import UNKNOWN_LABELS, TextDocument, make_documents
from tagpool.corpus.corpus import Corpus


def format_prodigy(corpus: Corpus, losses: Losses) -> str:
    """Return one task per line, with tokens. If all tokens outside spans are unknown, each span is a binary task."""
    records = [record for document in make_documents(corpus, losses) for record in _prodigy(document, losses)]
    return "".join(f"{_json(record)}\n" for record in records)


def format_doccano(corpus: Corpus, losses: Losses) -> str:
    """Return one text per line, with spans as lists: begin, end, type."""
    return "".join(f"{_json(_doccano(document, losses))}\n" for document in make_documents(corpus, losses))


def format_label_studio(corpus: Corpus, losses: Losses) -> str:
    """Return an array of tasks, one per line, for a labelling interface with ``<Labels name="label" toName="text">``."""
    tasks = [_json(_label_studio(document, losses)) for document in make_documents(corpus, losses)]
    return "[\n" + ",\n".join(tasks) + "\n]\n"


def _json(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False)


def _prodigy(document: TextDocument, losses: Losses) -> list[dict[str, Any]]:
    text = document.text
    following = [start for start, _ in document.tokens[1:]] + [len(text)]
    tokens = [
        {"text": text[start:end], "start": start, "end": end, "id": number, "ws": text[end:after][:1].isspace()}
        for number, ((start, end), after) in enumerate(zip(document.tokens, following, strict=True))
    ]
    record: dict[str, Any] = {"text": text, "tokens": tokens}
    if document.number is not None:
        record["meta"] = {"document": document.number + 1}
    if not document.has_labels:
        return [record]
    first = {token["start"]: token["id"] for token in tokens}
    last = {token["end"]: token["id"] for token in tokens}
    spans = [
        {"start": one.start, "end": one.end, "token_start": first[one.start], "token_end": last[one.end], "label": one.type}
        for one in document.spans
        if one.start in first and one.end in last
    ]
    if document.unknown and document.is_binary:
        return [{**record, "spans": [span], "_is_binary": True, "_view_id": "ner", "answer": "accept"} for span in spans]
    losses[UNKNOWN_LABELS] += len(document.unknown)
    return [{**record, "spans": spans, "_is_binary": False, "_view_id": "ner_manual", "answer": "accept"}]


def _doccano(document: TextDocument, losses: Losses) -> dict[str, Any]:
    record: dict[str, Any] = {"text": document.text}
    if document.has_labels:
        record["label"] = [[span.start, span.end, span.type] for span in document.spans]
        losses[UNKNOWN_LABELS] += len(document.unknown)
    return record | _metadata(document)


def _label_studio(document: TextDocument, losses: Losses) -> dict[str, Any]:
    task: dict[str, Any] = {"data": {"text": document.text} | _metadata(document), "annotations": []}
    if document.has_labels:
        losses[UNKNOWN_LABELS] += len(document.unknown)
        result = [
            {
                "id": f"s{number}",
                "from_name": "label",
                "to_name": "text",
                "type": "labels",
                "value": {"start": one.start, "end": one.end, "text": document.text[one.start : one.end], "labels": [one.type]},
            }
            for number, one in enumerate(document.spans, 1)
        ]
        task["annotations"] = [{"result": result}]
    return task


def _metadata(document: TextDocument) -> dict[str, Any]:
    """Return the number of the document, and the tokens."""
    number = {} if document.number is None else {"document": document.number + 1}
    return number | token_fields(document.text, document.tokens)


def token_fields(text: str, tokens: Sequence[Place]) -> dict[str, Any]:
    """Return the places of tokens as a field if the reader would read others: tools keep such fields.

    >>> token_fields("Ann left.", [(0, 3), (4, 9)])
    {'tokens': [{'start': 0, 'end': 3}, {'start': 4, 'end': 9}]}
    """
    return {} if tokenize_lines(text) == tokens else {"tokens": [{"start": start, "end": end} for start, end in tokens]}
