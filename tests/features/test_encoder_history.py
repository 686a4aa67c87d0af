"""Features of previous labels, against the encoder in plain Python (tests/oracles/encoder.py)."""

from __future__ import annotations

import pytest
from encoding_checks import as_corpus, cases, counted, rows_of
from hypothesis import given
from oracles import encoder as oracle
from strategies import loaded

from tagpool.corpus.corpus import Corpus
from tagpool.errors import TemplateError
from tagpool.features.encoded import EncodedCorpus
from tagpool.features.encoder import Encoder

# History ------------------------------------------------------------------------------------------------------------------


@given(cases(history=True))
def test_history_encoding(case):
    templates, sentences, plain = case
    resources = loaded(plain, templates)
    corpus = as_corpus(sentences)
    if any(template.is_history for template in templates):
        with pytest.raises(TemplateError, match="previous labels"):
            Encoder(templates, resources=resources).fit(corpus)
    encoder = Encoder(templates, resources=resources, history=True)
    encoded = encoder.fit_transform(corpus)
    assert rows_of(encoded, encoder.feature_names) == counted(oracle.encode(templates, sentences, plain))
    expected = counted(oracle.encode(templates, sentences, plain, history=True))
    if encoded.history is None:
        assert not any(expected)
        assert encoder.history_names == []
        return
    names = encoder.history_names
    assert encoded.history_feature_count == len(names)
    for item in (encoded, encoder.transform(corpus)):
        assert rows_of(EncodedCorpus(item.history, len(names)), names) == expected
    bags = templates.bags[:1]
    restricted = encoded.restrict(*bags)
    stored = counted(oracle.encode(templates, sentences, plain, history=True, bags=bags))
    assert rows_of(EncodedCorpus(restricted.history, len(names)), names) == stored


def test_history_names_leave_the_labels_values_open():
    corpus = Corpus.from_lists(word=[["a", "b"]], label=[["X", "Y"]])
    encoder = Encoder("word[0]\nlabel[-2..-1]\nlabel[-1] & word[0] & word[1]", history=True).fit(corpus)
    assert encoder.feature_names == ["word[0]=a", "word[0]=b"]
    assert sorted(encoder.history_names) == [
        "label[-1]&word[0]&word[1]=a|b",
        "label[-1]&word[0]&word[1]=b|_B+1",
        "label[-1]=1",
        "label[-2]=1",
    ]


def test_the_labels_are_no_feature():
    corpus = Corpus.from_columns({"word": [["a"]], "tag": [["X"]]}, label_column="tag")
    with pytest.raises(TemplateError, match="'tag' is the column of the labels") as caught:
        Encoder("word[0] & lower(tag)[0]").fit(corpus)
    assert caught.value.column == 10
    with pytest.raises(TemplateError, match="unknown field 'tags'; the columns are word, tag"):
        Encoder("word[0] & tags[0]").fit(corpus)


def test_a_column_that_is_missing_later_is_an_error():
    for template in ("word[0] & pos[0]", "word[0]\nlabel[-1] & pos[0]"):
        encoder = Encoder(template, history=True).fit(Corpus.from_lists(word=[["a"]], pos=[["b"]]))
        with pytest.raises(TemplateError, match="unknown field 'pos'; the columns are word"):
            encoder.transform(Corpus.from_lists(word=[["a"]]))
