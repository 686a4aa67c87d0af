"""Suggested sentences: doubtful and frequent words first, no duplicates, and records that are read back."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagpool import CRF, Corpus, InducingTagger, InputError, builtin_corpus, read_corpus, read_expert_labels, suggest
from tagpool.auditing.suggestion_files import SUGGESTION_FORMS, suggestion_records
from tagpool.auditing.suggestions import Suggestion, suggestion_order
from tagpool.corpus.schemes import Span, spans

TRAIN, TEXTS = builtin_corpus(60), builtin_corpus(150, part="dev")
WORDS = [["a", "a"], ["b"], ["a"], ["a"], ["b", "c", "b"]]


@pytest.fixture(scope="module")
def crf() -> CRF:
    return CRF("word[-1..1]\nshape(word)[0]").fit(TRAIN)


def order(words: list[list[str]], doubt: dict[str, float], **options: list[list[str]]) -> list[int]:
    return list(suggestion_order(words, [np.array([doubt[word] for word in row]) for row in words], **options))


def test_frequent_doubts_are_first_and_what_was_shown_is_late() -> None:
    assert order([["a"], ["b"], ["b", "c"]], {"a": 0.5, "b": 0.5, "c": 0.0})[0] == 1
    assert order([["a"], ["b"]], {"a": 0.3, "b": 0.6}) == [1, 0]
    similar = [["a", "x"], ["a", "y"], ["a", "z"], ["b", "x"], ["b", "y"]]
    assert order(similar, {"a": 0.5, "b": 0.4, "x": 0.0, "y": 0.0, "z": 0.0})[:3] == [0, 1, 3]


def test_equal_and_labelled_sentences_are_left_out() -> None:
    doubt = {"a": 0.5, "b": 0.4, "c": 0.1}
    assert sorted(order(WORDS, doubt)) == [0, 1, 2, 4]
    assert sorted(order(WORDS, doubt, labelled=[["b"], ["d"]])) == [0, 2, 4]
    assert order([[], ["a"]], doubt) == [1]


def test_labels_and_probabilities_are_those_of_the_tagger(crf: CRF) -> None:
    batch = suggest(crf, TEXTS, count=20)
    part = TEXTS.select(one.sentence for one in batch)
    assert [one.labels for one in batch] == crf.predict(part)
    for one, proba, lattice in zip(batch, crf.predict_proba(part), crf.lattices(part), strict=True):
        numbers = [crf.labels_.index(label) for label in one.labels]
        assert one.scores == pytest.approx(proba[range(len(numbers)), numbers], abs=1e-4)
        assert one.expected_errors == pytest.approx(sum(1 - score for score in one.scores), abs=1e-2)
        assert [span for span, _ in one.spans] == spans(one.labels)
        for span, score in one.spans:
            # All label sequences with these labels in the span and no continuation after it.
            fixed = {token: numbers[token] for token in range(span.start, span.end)}
            after = {span.end: [crf.labels_.index(f"I-{span.type}")]} if span.end < len(numbers) else {}
            there = lattice.constrained(fixed=fixed, forbidden=after).log_partition() - lattice.log_partition()
            assert score == pytest.approx(np.exp(there), abs=1e-4)


def test_the_number_of_blocks_does_not_matter(crf: CRF, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = suggest(crf, TEXTS)
    monkeypatch.setattr("tagpool.auditing.suggestions._BLOCK", 7)
    assert suggest(crf, TEXTS) == expected
    assert len(expected) == len({tuple(words) for words in TEXTS.words if words})


def test_parts_of_speech_are_spans_of_one_token() -> None:
    words = [[f"w{number}", "is"] for number in range(6)]
    corpus = Corpus.from_lists(word=words, label=[["N", "V"]] * 6)
    tagger = CRF("word[0]").fit(corpus)
    first = suggest(tagger, corpus)[0]
    assert first.labels == ["N", "V"]
    assert [span for span, _ in first.spans] == [Span(0, 1, "N"), Span(1, 2, "V")]
    assert suggest(tagger, Corpus.from_lists(word=[])) == []


@pytest.mark.parametrize("kind", ["tokens", "prodigy", "label-studio", "doccano"])
def test_records_are_read_back(kind: str, crf: CRF, tmp_path: Path) -> None:
    batch = suggest(crf, TEXTS, count=30)
    records = suggestion_records(kind, TEXTS, batch, "ner")
    path = tmp_path / "batch.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    gold = TEXTS.select(one.sentence for one in batch)
    experts = read_expert_labels({"ner": path}, gold)
    assert experts.labels["ner"] == [one.labels for one in batch]
    if kind == "tokens":
        assert read_corpus(path).labels == [one.labels for one in batch]


tokens_of_text = st.lists(
    st.tuples(st.sampled_from(["a", "\u00e9", "\U0001f600", "\u05d0\u05d1", ".", "x" * 9]), st.sampled_from(["", " ", "\u3000"])),
    min_size=1,
)


@given(tokens_of_text, st.sampled_from([kind for kind in SUGGESTION_FORMS if kind != "tokens"]))
def test_offsets_are_those_of_the_spans(tokens: list[tuple[str, str]], kind: str) -> None:
    words, blanks = map(list, zip(*tokens, strict=True))
    corpus = Corpus.from_columns({"word": [words], "space": [blanks]})
    one = Suggestion(0, ["B-X"] * len(words), [1.0] * len(words), [(Span(i, i + 1, "X"), 0.5) for i in range(len(words))], 0.0)
    (record,) = suggestion_records(kind, corpus, [one], "m")
    if kind == "label-studio":
        text, values = record["data"]["text"], [item["value"] for item in record["predictions"][0]["result"]]
    elif kind == "prodigy":
        text, values = record["text"], record["spans"]
        assert [text[token["start"] : token["end"]] for token in record["tokens"]] == words
    else:
        text, values = record["text"], [{"start": start, "end": end} for start, end, _ in record["label"]]
    assert [text[value["start"] : value["end"]] for value in values] == words


@pytest.mark.parametrize(
    ("change", "message"),
    [({"count": 0}, "expected a whole number from 1 on"), ({"tagger": InducingTagger()}, "expected a tagger with probabilities")],
)
def test_refusals(crf: CRF, change: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        suggest(**{"tagger": crf, "sentences": TEXTS, **change})  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["prodigy", "label-studio", "doccano"])
def test_records_keep_the_tokens(kind: str, tmp_path: Path) -> None:
    corpus = Corpus.from_lists(word=[["Ann", "left"], ["c++)", "New York"]])
    labels = [["B-PER", "O"], ["O", "B-LOC"]]
    proposed = [[(span, 0.5) for span in spans(row)] for row in labels]
    batch = [Suggestion(number, labels[number], [1.0, 1.0], proposed[number], 0.0) for number in range(2)]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in suggestion_records(kind, corpus, batch, "m")))
    back = read_corpus(path, losses=Counter())
    assert (back.words, back.labels) == (corpus.words, labels)
