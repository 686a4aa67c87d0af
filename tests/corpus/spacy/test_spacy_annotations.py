"""Annotations of spaCy's documents as labels."""

from __future__ import annotations

import pytest
import spacy
from spacy.tokens import Doc, Span

from tagpool import InputError
from tagpool.corpus.spacy.annotations import Annotation
from tagpool.corpus.spacy.sentences import sentence_tokens

NLP = spacy.blank("en")
WORDS = ["Ann", "Lee", "left", "Oslo"]


@pytest.fixture
def document() -> Doc:
    one = Doc(NLP.vocab, WORDS, tags=["A", "B", "C", "D"])
    one.set_ents([Span(one, 0, 2, "PERSON"), Span(one, 3, 4, "GPE")])
    one.spans["nested"] = [Span(one, 0, 1, "X"), Span(one, 0, 2, "Y"), Span(one, 3, 4, "Z")]
    return one


def test_types_are_renamed_and_dropped(document: Doc):
    labels = Annotation().labels(document, [[0, 1], [2, 3]], mapping={"PERSON": "PER", "GPE": ""})
    assert labels == [["B-PER", "I-PER"], ["O", "O"]]
    assert Annotation("tag").labels(document, [[0, 1]], mapping={"A": "x"}) == [["x", "B"]]
    assert Annotation("pos").labels(document, [[0, 1]]) == [["_", "_"]]


def test_nested_spans_are_an_error_or_the_longest_are_chosen(document: Doc):
    nested = Annotation("spans", "nested")
    with pytest.raises(InputError, match=r"doc\.spans\['nested'\]: expected spans that do not overlap"):
        nested.spans(document)
    assert nested.labels(document, [range(4)], longest=True) == [["B-Y", "I-Y", "O", "B-Z"]]


@pytest.mark.parametrize("name", ["doc.ents", "token.tag", "token.pos", "doc.spans.a.b"])
def test_names(name: str):
    annotation = Annotation.parse(name)
    assert annotation is not None
    assert name in {"doc.ents": "entities", "token.tag": "tag", "token.pos": "pos"} or annotation == Annotation("spans", "a.b")


@pytest.mark.parametrize("name", ["ents", "fr_core_news_sm", "doc.spans", "token.lemma"])
def test_other_names_are_no_annotations(name: str):
    assert Annotation.parse(name) is None


def test_sentences_leave_out_blanks():
    document = NLP("Ann  left.\n\nBea slept.")
    document[0].is_sent_start = True
    for token in document[1:]:
        token.is_sent_start = token.text == "Bea"
    rows = [[document[number].text for number in sentence] for sentence in sentence_tokens(document)]
    assert rows == [["Ann", "left", "."], ["Bea", "slept", "."]]
    assert sentence_tokens(NLP(" \n ")) == []
    assert sentence_tokens(NLP("")) == []
