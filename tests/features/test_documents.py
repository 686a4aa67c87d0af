"""Templates that look at the rest of a document, against every other occurrence looked at one by one (tests/oracles)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from encoding_checks import counted, rows_of
from hypothesis import given
from hypothesis import strategies as st
from oracles import encoder as oracle
from strategies import corpora, loaded, plain_resources, template_sets

from tagpool.corpus.corpus import Corpus
from tagpool.errors import TemplateError
from tagpool.experts.inducing.tagger import InducingTagger
from tagpool.experts.inside.linear import explain
from tagpool.experts.linear.crf import CRF
from tagpool.features.encoder import Encoder
from tagpool.features.parser import parse
from tagpool.features.resources import Gazetteer
from tagpool.pools.loading import load

SPEECH = ["the talks of Ann Lee with Lee of ACME began", "LEE TALKS", "Lee talks .", "Ann Lee and New Lee talk"]
OTHER = ["lee", "Lee of Oslo"]


def corpus_of(*documents: list[str], labels: bool = False) -> Corpus:
    sentences = [sentence.split() for document in documents for sentence in document]
    starts = [sum(map(len, documents[:number])) for number in range(len(documents))]
    columns = {"word": sentences}
    if labels:
        columns["label"] = [["NAME" if word in ("Lee", "LEE", "Ann") else "O" for word in sentence] for sentence in sentences]
    return Corpus.from_columns(columns, documents=starts)


def values_of(template: str, corpus: Corpus, sentence: int, **resources: Any) -> list[list[str]]:
    encoder = Encoder(template, resources=resources).fit(corpus)
    return [[name.partition("=")[2] for name, _ in row] for row in encoder.describe(corpus, sentence)]


@st.composite
def cases(draw: st.DrawFn) -> tuple[Any, list[dict[str, list[str]]], dict[str, Any], list[int]]:
    sentences = draw(corpora(sentences=6))
    starts = sorted({0, *draw(st.lists(st.integers(1, max(1, len(sentences) - 1)), max_size=2))} & set(range(len(sentences))))
    pool = sorted({word for sentence in sentences for word in sentence["word"]})
    return draw(template_sets()), sentences, draw(plain_resources(pool)), starts


@given(cases())
def test_features_in_documents_are_those_of_the_oracle(case):
    templates, sentences, plain, starts = case
    corpus = Corpus.from_columns({name: [s[name] for s in sentences] for name in sentences[0]}, documents=starts)
    expected = counted(oracle.encode(templates, sentences, plain, starts=starts))
    encoder = Encoder(templates, resources=loaded(plain, templates))
    encoded = encoder.fit_transform(corpus)
    assert rows_of(encoded, encoder.feature_names) == expected
    assert counted([row for i in range(len(corpus)) for row in encoder.describe(corpus, i)]) == expected
    assert np.array_equal(encoder.transform(corpus).ids, encoded.ids)


def test_what_is_said_by_hand():
    corpus = corpus_of(SPEECH, OTHER)
    assert values_of("elsewhere(casing(word), joined)[0]", corpus, 1) == [["capital"], ["small"]]
    assert values_of("elsewhere(casing(word), joined)[0]", corpus, 4) == [["-"]], "another document is another world"
    assert values_of("elsewhere(lower(word), -1)[0]", corpus, 1)[0] == ["ann", "with", "_B-1", "new"], "Ann Lee was met twice"
    assert values_of("elsewhere(lower(word), -1, most)[0]", corpus, 2)[0] == ["ann"]
    assert values_of("elsewhere(run(word))[0]", corpus, 1) == [["last"], []]
    assert values_of("elsewhere(bias)[0]", corpus, 0)[7:] == [["1"], [], []][:3], "a word of its own has no others"
    result = values_of("elsewhere(gazetteer(names))[0]", corpus, 2, names=Gazetteer({"people": ["Ann Lee"]}))
    assert result == [["people/L"], [], []]
    assert values_of("headline(word)[0]", corpus, 1) == [["upper"], ["upper"]]
    assert values_of("casing(word)[0]", corpus, 3) == [[], ["capital"], ["small"], ["capital"], ["capital"], ["small"]]


def test_without_documents_every_sentence_is_one():
    corpus = corpus_of(SPEECH, OTHER)
    alone = Corpus.from_lists(word=corpus.words)
    assert values_of("elsewhere(word, 1)[0]", alone, 0)[4] == ["of"], "the other Lee of the sentence counts"
    assert values_of("elsewhere(word, 1)[0]", alone, 2) == [[], [], []]


def test_of_many_values_the_most_frequent_count():
    words = [["x", f"w{number}"] for number in range(30)] + [["x", "often"]] * 2 + [["x"]]
    corpus = Corpus.from_columns({"word": words}, documents=[0])
    result = values_of("elsewhere(word, 1)[0]", corpus, 32)[0]
    assert result == ["often", *(f"w{number}" for number in range(19))]
    assert "w3" not in values_of("elsewhere(word, 1)[0]", corpus, 3)[0], "a token's own neighbour is not met elsewhere"


TEMPLATES = (
    "word[0]\nelsewhere(word, 1)[0]\nelsewhere(casing(word), joined)[0] & shape(word, short)[0]\nelsewhere(gazetteer(g))[0]"
)


@pytest.mark.parametrize("kind", [CRF, InducingTagger])
def test_models_see_documents_however_they_are_asked(kind, tmp_path):
    corpus = corpus_of(SPEECH, OTHER, SPEECH[::-1], labels=True)
    tagger = kind(TEMPLATES, resources={"g": Gazetteer({"people": ["Ann Lee"]})}).fit(corpus)
    tagger.save(tmp_path / "m.tagpool")
    again = load(tmp_path / "m.tagpool")
    assert again._fitted().looks_at_documents
    assert list(again._fitted().columns) == ["word"]
    for threads in (1, 2, 3):
        assert again.set_params(threads=threads).predict(corpus) == tagger.predict(corpus)
    encoder = again._fitted().encoder(1)
    for sentence in range(len(corpus)):
        assert encoder.describe(corpus.native, sentence) == tagger._encoder.describe(corpus, sentence)


def test_an_explanation_sees_the_document():
    corpus = corpus_of(SPEECH, OTHER, labels=True)
    crf = CRF("elsewhere(word, 1)[0]\nword[0]", l2=0.1).fit(corpus)
    reported = explain(crf, corpus, 2)
    names = {item.feature for item in reported[0].contributions}
    assert {"elsewhere(word, 1)[0]=of", "elsewhere(word, 1)[0]=TALKS"} <= names
    assert [item.label for item in reported] == crf.predict(corpus)[2]


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("elsewhere(elsewhere(word))[0]", "does not apply to elsewhere"),
        ("elsewhere(number(score))[0]", "does not apply to number"),
        ("elsewhere(embedding(glove))[0]", "does not apply to embedding"),
        ("elsewhere(label)[0]", "label is not an argument of functions"),
        ("elsewhere(word, 1, 2)[0]", "needs one range"),
        ("elsewhere(word, 1..99)[0]", "out of range"),
        ("casing(lower(word))[0]", "applies to a column"),
        ("lower(elsewhere(word))[0]", "several values or none"),
    ],
)
def test_what_cannot_be(template, message):
    with pytest.raises(TemplateError, match=message):
        parse(template)


def test_a_corpus_without_words_is_refused():
    corpus = Corpus.from_lists(pos=[["NN"]])
    with pytest.raises(TemplateError, match="elsewhere needs a column 'word'"):
        Encoder("elsewhere(pos)[0]").fit(corpus)
