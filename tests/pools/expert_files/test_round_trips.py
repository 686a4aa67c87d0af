"""Properties: spans written in any dialect, sentences in any order and tokens of any kind give the same labels."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagpool import Corpus, InputError, read_predictions
from tagpool.corpus.annotations.reading import read_annotations
from tagpool.corpus.jsonl import character_spans
from tagpool.corpus.schemes import Scheme, convert_many, spans, to_labels

Rows = list[list[str]]


@st.composite
def corpora(draw: st.DrawFn) -> tuple[Rows, Rows]:
    """Sentences whose words are all different, with spans in BIO2."""
    words: Rows = []
    labels: Rows = []
    number = 0
    for _ in range(draw(st.integers(2, 5))):
        length = draw(st.integers(1, 7))
        words.append([f"Wörd{number + i}x" for i in range(length)])
        number += length
        cuts = sorted(draw(st.sets(st.integers(0, length), max_size=6)))
        kinds = st.sampled_from(["PER", "LOC", None])
        chosen = [(a, b, draw(kinds)) for a, b in pairwise(cuts)]
        labels.append(to_labels([span for span in chosen if span[2] is not None], length, "bio2"))
    return words, labels


def as_records(dialect: str, words: Rows, labels: Rows) -> list[Any]:
    records: list[Any] = []
    for row, marks in zip(words, labels, strict=True):
        text = " ".join(row)
        chars = character_spans(row, [" "] * len(row), marks)
        offsets = [{"start": a, "end": b, "label": kind} for a, b, kind in chars]
        ends = [len(" ".join(row[: i + 1])) for i in range(len(row))]
        tokens = [{"id": i, "start": end - len(word), "end": end} for i, (word, end) in enumerate(zip(row, ends, strict=True))]
        studio = [
            {"value": {"start": a, "end": b, "text": text[a:b], "labels": [kind]}, "type": "labels"} for a, b, kind in chars
        ]
        records.append(
            {
                "tokens": {"tokens": row, "labels": marks},
                "spacy": {"text": text, "ents": offsets, "tokens": tokens},
                "prodigy": {"text": text, "spans": offsets, "tokens": tokens, "answer": "accept"},
                "doccano": {"text": text, "label": [list(span) for span in chars]},
                "label studio": {"data": {"text": text}, "annotations": [{"result": studio}]},
                "gliner training": {"tokenized_text": row, "ner": [[a, b - 1, kind] for a, b, kind in spans(marks)]},
                "pipeline": [{"entity_group": kind, "start": a, "end": b, "score": 0.5} for a, b, kind in chars],
                "model": {"text": text, "entities": [{"text": text[a:b], "type": kind} for a, b, kind in chars]},
            }[dialect]
        )
    return records


DIALECTS = ("tokens", "spacy", "prodigy", "doccano", "label studio", "gliner training", "pipeline", "model")


def read_back(records: list[Any], words: Rows, labels: Rows, suffix: str = "jsonl") -> tuple[list[Any], list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"a.{suffix}")
        path.write_text(json.dumps(records) if suffix == "json" else "".join(json.dumps(one) + "\n" for one in records))
        result = read_predictions(path, Corpus.from_lists(word=words, label=labels))
    return result.labels, result.notes


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=40, deadline=None)
@given(corpora(), st.randoms(use_true_random=False), st.sampled_from(["json", "jsonl"]))
def test_labels_are_read_back_in_any_order(
    dialect: str, corpus: tuple[Rows, Rows], generator: random.Random, suffix: str
) -> None:
    words, labels = corpus
    records = as_records(dialect, words, labels)
    if dialect != "pipeline":  # its records have no text
        generator.shuffle(records)
    read, notes = read_back(records, words, labels, suffix)
    assert read == labels
    assert [note for note in notes if "another order" not in note] == []


@settings(max_examples=100, deadline=None)
@given(corpora(), st.randoms(use_true_random=False), st.sampled_from(["bio2", "iob1", "bioes", "bilou"]))
def test_other_tokens_and_schemes_have_the_same_spans(corpus: tuple[Rows, Rows], generator: random.Random, scheme: str) -> None:
    words, labels = corpus
    pieces: Rows = []
    marks: Rows = []
    for row, tags in zip(words, labels, strict=True):
        cut = [[word] if generator.random() < 0.5 else [word[:2], word[2:]] for word in row]
        starts = [sum(map(len, cut[:i])) for i in range(len(cut) + 1)]
        moved = [(starts[a], starts[b], kind) for a, b, kind in spans(tags)]
        pieces.append([piece for word in cut for piece in word])
        marks.append(to_labels(moved, len(pieces[-1]), scheme))
    read, notes = read_back(as_records("tokens", pieces, marks), words, labels)
    if any(kind for row in labels for _, _, kind in spans(row)):
        assert read == labels
    assert notes == []


@settings(max_examples=50, deadline=None)
@given(corpora(), st.sampled_from([Scheme.IOB1, Scheme.BIOES, Scheme.BILOU]))
def test_labels_have_the_scheme_of_gold(corpus: tuple[Rows, Rows], scheme: Scheme) -> None:
    words, labels = corpus
    words, labels = [["Ann"], *words], [["B-PER"], *labels]
    gold, _ = convert_many(labels, "bio2", scheme)
    for dialect in ("tokens", "doccano"):
        assert read_back(as_records(dialect, words, labels), words, gold)[0] == gold


def check_refusal(read: Callable[[], object], name: str) -> None:
    """Check that an input is read, or refused with the name of its file."""
    message = name
    try:
        read()
    except InputError as error:
        message = str(error)
    assert name in message


KEYS = [
    "text",
    "tokens",
    "labels",
    "label",
    "entities",
    "spans",
    "ents",
    "start",
    "end",
    "data",
    "annotations",
    "result",
    "value",
]
KEYS += [
    "predictions",
    "tokenized_text",
    "ner",
    "entity",
    "entity_group",
    "workers",
    "sents",
    "type",
    "name",
    "document",
    "answer",
]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 12)
    | st.floats()
    | st.sampled_from(["", "Ann", "Ann left.", "B-PER", "a\nb", "PER"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=20,
)
RECORDS = st.fixed_dictionaries({"text": st.just("Ann left.")}, optional=dict.fromkeys(KEYS[1:12], VALUES)) | VALUES


@settings(max_examples=600, deadline=None)
@given(st.lists(RECORDS, min_size=1, max_size=4), st.sampled_from(["json", "jsonl"]), st.sampled_from([None, "*", "labels"]))
def test_random_json_is_read_or_refused(records: list[Any], suffix: str, column: str | None) -> None:
    gold = Corpus.from_lists(word=[["Ann", "left", "."], ["b"]], label=[["B-PER", "O", "O"], ["O"]])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"a.{suffix}")
        path.write_text(json.dumps(records) if suffix == "json" else "\n".join(map(json.dumps, records)))
        for read in (lambda: read_annotations(path, column=column), lambda: read_predictions(path, gold, label=column)):
            check_refusal(read, "a.json")


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="T1\tPERO 0479;#\nabc,\"'textokensarlbldi", max_size=80), st.sampled_from(["ann", "csv", "tsv", "json"]))
def test_random_text_is_read_or_refused(text: str, suffix: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"a.{suffix}")
        path.write_text(f"text,start,end,label\n{text}" if suffix == "csv" else text)
        path.with_suffix(".txt").write_text("Ann left.")
        check_refusal(lambda: read_annotations(path), f"a.{suffix}")
