"""Features with values: numbers and embeddings, against the encoder in plain Python (tests/oracles/encoder.py)."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from encoding_checks import as_corpus, cases, rows_of
from hypothesis import given
from hypothesis import strategies as st
from oracles import encoder as oracle
from strategies import loaded

from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError
from tagpool.features.encoder import Encoder
from tagpool.features.parser import parse

# Numbers ------------------------------------------------------------------------------------------------------------------


def test_number_values():
    corpus = Corpus.from_lists(word=[["a", "b", "c"]], score=[["2.5", "0", "-1e2"]])
    encoder = Encoder("number(score)[0]\nnumber(score)[0] & word[0]\nnumber(score)[0] & number(score)[-2]").fit(corpus)
    assert encoder.describe(corpus, 0) == [
        [("number(score)[0]=1", 2.5), ("number(score)[0]&word[0]=1|a", 2.5)],
        [],
        [
            ("number(score)[0]=1", -100.0),
            ("number(score)[0]&word[0]=1|c", -100.0),
            ("number(score)[0]&number(score)[-2]=1|1", -250.0),
        ],
    ]


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
def test_numbers_are_read_as_python_reads_them(numbers):
    corpus = Corpus.from_lists(word=[["x"] * len(numbers)], score=[[repr(n) for n in numbers]])
    encoded = Encoder("bias\nnumber(score)[0]").fit_transform(corpus)
    values = [v for row in rows_of(encoded, ["bias", "score"]) for (name, v) in row if name == "score"]
    assert values == [n for n in numbers if n != 0]


@pytest.mark.parametrize("text", ["", "x", "nan", "inf", "-inf", "1,5", "1 ", " 1", "0x10", "1e39", "1e999", "--1", "1_000", "١"])
def test_what_is_no_number_is_an_error_that_names_the_token(text):
    sentences = [{"word": ["a"], "score": ["1"]}, {"word": ["b", "c"], "score": ["1", text]}]
    corpus = as_corpus(sentences, source="train.conll")
    for template in ("number(score)[0]", "word[0] & number(score)[-1..1]"):
        with pytest.raises(InputError, match=r'^train.conll: column "score": expected a number.*\(sentence 2, token 2\)'):
            Encoder(template).fit(corpus)
    fitted = Encoder("number(score)[0]").fit(as_corpus(sentences[:1]))
    with pytest.raises(InputError, match="sentence 2, token 2"):
        fitted.transform(corpus)
    with pytest.raises(InputError, match="sentence 2, token 2"):
        fitted.describe(corpus, 1)
    with pytest.raises(InputError, match="sentence 2, token 2"):
        Encoder("word[0]\nlabel[-1] & number(score)[0]", history=True).fit(corpus)


@pytest.mark.parametrize("text", ["+1.5", "1.5", "15e-1", ".15e1", "1.50"])
def test_spellings_of_a_number(text):
    encoded = Encoder("number(score)[0]").fit_transform(Corpus.from_lists(word=[["a"]], score=[[text]]))
    assert encoded.values.tolist() == [1.5]


def test_a_product_of_numbers_that_is_not_finite_is_an_error():
    corpus = Corpus.from_lists(word=[["a"]], score=[["1e30"]])
    with pytest.raises(InputError, match="sentence 1, token 1"):
        Encoder("number(score)[0] & number(score)[0]").fit(corpus)


# Embeddings ---------------------------------------------------------------------------------------------------------------


@given(cases())
def test_dense_blocks(case):
    templates, sentences, plain = case
    encoder = Encoder(templates, resources=loaded(plain, templates))
    encoded = encoder.fit_transform(as_corpus(sentences))
    expected: dict[str, list[tuple[float, ...] | None]] = {}
    for sentence in sentences:
        for key, block in oracle.embedded(templates, sentence, plain).items():
            expected.setdefault(key, []).extend(block)
    result = {}
    bounds = encoded.sentences.tolist()
    for block in encoded.dense:
        result[block.key] = []
        for begin, end in itertools.pairwise(bounds):
            for at in range(begin + block.offset, end + block.offset):
                row = block.rows[at] if begin <= at < end else -1
                result[block.key].append(tuple(block.vectors[row].tolist()) if row >= 0 else None)
    assert len(result) == len(encoded.dense)
    assert result == expected


def test_blocks_of_one_embedding_share_their_rows():
    templates = parse("embedding(glove, lower(word))[-1..1]\nembedding(glove)[0]")
    resources = loaded({"glove": {"a": (1, 2), "b": (3, 4)}}, templates)
    encoded = Encoder(templates, resources=resources).fit_transform(Corpus.from_lists(word=[["A", "b"]]))
    assert [(block.key, block.offset, block.rows.tolist()) for block in encoded.dense] == [
        ("embedding(glove, lower(word))[-1]", -1, [0, 1]),
        ("embedding(glove, lower(word))[0]", 0, [0, 1]),
        ("embedding(glove, lower(word))[1]", 1, [0, 1]),
        ("embedding(glove)[0]", 0, [-1, 1]),
    ]
    assert encoded.dense[0].rows is encoded.dense[2].rows
    assert encoded.occurrence_count == 0


def test_values_stay_beside_their_features_when_others_are_dropped():
    encoder = Encoder("word[0]\nnumber(score)[0]").fit(Corpus.from_lists(word=[["a"]], score=[["2"]]))
    encoded = encoder.transform(Corpus.from_lists(word=[["unseen", "a"]], score=[["3", "4"]]))
    assert rows_of(encoded, encoder.feature_names) == [
        Counter({("number(score)[0]=1", 3.0): 1}),
        Counter({("word[0]=a", 1.0): 1, ("number(score)[0]=1", 4.0): 1}),
    ]
