"""Results equal those of the library, whatever is tagged together."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from serve.served import names_tagger, served_models, tag_reader

from tagpool import CRF, BaggingPool, Corpus, InducingTagger, builtin_corpus
from tagpool.serve.file_tagging import tag_file
from tagpool.serve.forms import Form
from tagpool.serve.limits import Limits, RequestError
from tagpool.serve.requests import parse_tag_request
from tagpool.serve.results import tag_items

WORDS = st.lists(st.sampled_from(["Ann", "Smith", "Oslo", "left", ".", "🙂", "שלום", "<script>"]), max_size=6)


def tag(form: Form, value: Any, *, confidence: bool = True) -> list[dict[str, Any]]:
    request = parse_tag_request(json.dumps(value).encode(), Limits())
    return [one.to_dict() for one in tag_items(form, request.items, confidence=confidence)]


@given(st.lists(WORDS, max_size=5))
def test_a_batch_has_the_results_of_its_items(sentences: list[list[str]]) -> None:
    form = Form(names_tagger())
    batch = tag(form, {"batch": [{"tokens": words} for words in sentences]})
    assert batch == [tag(form, {"tokens": words})[0] for words in sentences]
    for words, result in zip(sentences, batch, strict=True):
        [labels] = names_tagger().predict([words]) if words else [[]]
        assert result["labels"] == labels
        [marginals] = names_tagger().predict_proba([words]) if words else [np.zeros((0, 1))]
        numbers = [names_tagger().labels_.index(label) for label in labels]
        assert result["confidences"] == pytest.approx(marginals[range(len(words)), numbers].tolist(), abs=1e-6)


@given(WORDS)
def test_spans_hold_their_characters(words: list[str]) -> None:
    text = " ".join(words)
    [result] = tag(Form(names_tagger()), {"text": text})
    for span in result["spans"]:
        assert text[span["start"] : span["end"]] == span["text"]
        confidences = result["confidences"][span["first_token"] : span["last_token"] + 1]
        assert span["confidence"] == min(confidences)
        assert result["labels"][span["first_token"]].endswith(f"-{span['type']}")


def test_spans_of_the_second_line() -> None:
    crf = CRF("word[0]").fit(Corpus.from_lists(word=[["Ann", "left"]], label=[["B-PER", "O"]]))
    [result] = tag(Form(crf), {"text": "left\n\nAnn left"})
    assert [(span["start"], span["end"], span["first_token"]) for span in result["spans"]] == [(6, 9, 1)]


def test_without_confidence() -> None:
    [result] = tag(Form(names_tagger()), {"text": "Ann left"}, confidence=False)
    assert result["confidences"] is None
    assert [span["confidence"] for span in result["spans"]] == [None] * len(result["spans"])


def test_a_model_without_probabilities_has_no_confidences() -> None:
    tagger = InducingTagger("word[0]").fit(builtin_corpus(30))
    [result] = tag(Form(tagger), {"text": "Ann left"})
    assert (result["labels"], result["confidences"]) == (tagger.predict([["Ann", "left"]])[0], None)


def test_labels_with_two_states_have_confidences() -> None:
    tagger = CRF("word[0]", inner_scheme="bilou").fit(builtin_corpus(50))
    [result] = tag(Form(tagger), {"tokens": ["Ann", "Smith", "left"]})
    [marginals] = tagger.predict_proba([["Ann", "Smith", "left"]])
    numbers = [tagger.labels_.index(label) for label in result["labels"]]
    assert result["confidences"] == pytest.approx(marginals[[0, 1, 2], numbers].tolist(), abs=1e-6)


def test_a_model_that_reads_documents_sees_one_item_at_a_time() -> None:
    tagger = CRF("word[0]\nelsewhere(shape(word))[0]").fit(builtin_corpus(100))
    form = Form(tagger)
    assert form.by_document
    texts = ["Ann Smith left\nSmith left", "smith left", "Oslo\nAnn"]
    batch = tag(form, {"batch": [{"text": text} for text in texts]})
    assert batch == [tag(form, {"text": text})[0] for text in texts]


def test_a_pool_that_does_not_merge() -> None:
    pool = BaggingPool(names_tagger(), combine="sequence-mixture").fit(builtin_corpus(50))
    [result] = tag(Form(pool), {"tokens": ["Ann", "left"]})
    assert [result["labels"]] == pool.predict([["Ann", "left"]])
    assert len(result["confidences"]) == 2


def test_missing_columns_are_named() -> None:
    with pytest.raises(RequestError) as raised:
        tag(Form(tag_reader()), {"text": "the cat"})
    assert raised.value.status == 422
    assert 'send "tokens" with "columns"' in raised.value.message
    assert '"pos": ["..."]' in raised.value.message
    [result] = tag(Form(tag_reader()), {"tokens": ["the", "cat"], "columns": {"pos": ["DT", "NN"]}})
    assert result["labels"] == ["B-NP", "I-NP"]


def test_the_number_of_missing_columns_is_written() -> None:
    corpus = Corpus.from_lists(word=[["a", "b"]], pos=[["X", "X"]], lemma=[["a", "b"]], label=[["O", "B-X"]])
    form = Form(CRF("word[0]\npos[0]\nlemma[0]").fit(corpus))
    with pytest.raises(RequestError, match="2 further columns: pos, lemma"):
        tag(form, {"text": "a"})


def test_members_and_groups() -> None:
    pool = served_models()[2]
    assert list(pool.members) == ["member 1", "member 2"]
    assert pool.groups == ["words", "capitals"]
    ner = served_models()[0]
    assert ner.groups == ["words", "capitals"]
    form = ner.build_form(None, ("capitals",))
    words = [["ann", "Smith", "LEFT"]]
    assert form.tag(Corpus.from_lists(word=words), confidence=False)[0] == names_tagger().without("capitals").predict(words)


FILES = {
    "a.txt": (b"Ann left\n", b"Ann {0}\nleft {1}\n\n", ".conll"),
    "a": (b"Ann left\n", b"Ann {0}\nleft {1}\n\n", ".conll"),
    "a.conll": (b"Ann\nleft\n\n", b"Ann {0}\nleft {1}\n\n", ".conll"),
    "a.jsonl": (b'{"tokens": ["Ann", "left"]}\n', b'{{"tokens": ["Ann", "left"], "labels": ["{0}", "{1}"]}}\n', ".jsonl"),
}


@pytest.mark.parametrize("name", FILES)
def test_files_have_the_labels_of_the_library(name: str) -> None:
    content, expected, suffix = FILES[name]
    labels = names_tagger().predict([["Ann", "left"]])[0]
    assert tag_file(Form(names_tagger()), name, content) == (expected.decode().format(*labels).encode(), suffix)


def test_the_line_of_an_error_counts_earlier_parts() -> None:
    with pytest.raises(RequestError, match=r"^line 12: ") as raised:
        tag_file(Form(names_tagger()), "a.jsonl", b'{"text": "a"}\n{"nothing": 1}\n', before=10)
    assert "/" not in raised.value.message  # the name of a temporary file
