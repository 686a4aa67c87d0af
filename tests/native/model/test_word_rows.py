"""Scores of words that are summed once per distinct word, against features that are named, looked up and summed one by one."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagpool import Corpus, Encoder, _native

NO_EDGES = np.zeros(0, np.float32)
WORDS = ["a", "Ann", "ANN", "x1", "Zürich", "banana", "…", "well-known", "aa", "B."]
TEMPLATES = [
    "ngrams(word, 1..3, edges)[0]",
    "ngrams(lower(word), 2..6)[-2]",
    "orthography(word)[1]",
    "orthography(word, dfi)[1]",
    "word[-2..2]",
    "shape(word)[-2..2]",
    "shape(word, short)[-2..2]",
    "prefix(word, 1..2)[-2, 0, 1]",
    "suffix(word, 1)[-2..2]",
    "word[-1] & pos[0]",
    "pos[-1..1]",
    "lower(pos)[0]\nshape(pos)[0]\nprefix(pos, 1)[0]",
    "disjunction(word, -3..-1)[0]",
    "disjunction(word, -2..3)[0]",
    "disjunction(word, 0..2)[-1]",
    "disjunction(word, -1..1)[2]",
    "disjunction(word, -5..5)[0]",
    "disjunction(lower(word), -3..2)[0]",
    "shape(word, short)[-1] & shape(word, short)[0]",
    "shape(word, short)[-1] & shape(word)[0] & shape(lower(word))[1]",
    "shape(word)[-2] & shape(word)[0]",
    "shape(word)[0] & word[1]",
    "pos[-1] & pos[0]",
    "pos[-1] & pos[0] & pos[1]",
    "capitals(word, -1..1)[0]",
    "capitals(word, 0..1)[-1] & shape(word)[1]",
    "capitals(word, -1..1)[1]",
    "bias",
]
SENTENCES = st.lists(
    st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(["N", "V", "Np"])), min_size=1, max_size=6), min_size=1
)


def corpus_of(sentences: list[list[tuple[str, str]]]) -> Corpus:
    return Corpus.from_lists(
        word=[[word for word, _ in sentence] for sentence in sentences],
        pos=[[tag for _, tag in sentence] for sentence in sentences],
        label=[["?"] * len(sentence) for sentence in sentences],
    )


def model_of(encoder: Encoder, weights: np.ndarray) -> _native.Model:
    features, of = np.nonzero(weights)
    labels = [f"label {number}" for number in range(weights.shape[1])]
    return _native.Model.from_encoder(
        encoder.fitted_native, labels, features.astype(np.uint32), of.astype(np.uint16), weights[features, of], NO_EDGES
    )


@given(
    SENTENCES,
    SENTENCES,
    st.lists(st.sampled_from(TEMPLATES), min_size=1, unique=True),
    st.booleans(),
    st.sampled_from([2, 9, 50]),
    st.floats(0.05, 1),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=120, deadline=None)
def test_scores_are_sums_over_named_features(train, test, templates, boundary, labels, density, seed):
    random = np.random.default_rng(seed)
    encoder = Encoder("\n".join(["boundary on" if boundary else "boundary off", *templates]))
    encoder.fit(corpus_of(train))
    weights = random.integers(-8, 9, (encoder.feature_count, labels)) * (random.random((encoder.feature_count, labels)) < density)
    weights = weights.astype(np.float32)  # whole numbers: sums are exact in any order
    model = model_of(encoder, weights)
    known = dict(zip(encoder.feature_names, weights, strict=True))
    corpus = corpus_of(test)
    nothing = np.zeros(labels)
    described = [result for number in range(len(test)) for result in encoder.fitted_native.describe(corpus.native, number)]
    expected = [sum((known.get(name, nothing) for name, _ in result), nothing) for result in described]
    assert np.array_equal(model.score_columns(corpus.native, 1).reshape(-1, labels), expected)


@given(SENTENCES, st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_neither_threads_nor_neighbours_change_a_bit(sentences, seed):
    random = np.random.default_rng(seed)
    corpus = corpus_of(sentences)
    encoder = Encoder("\n".join(TEMPLATES))
    encoder.fit(corpus)
    model = model_of(encoder, random.normal(size=(encoder.feature_count, 9)).astype(np.float32))
    scores = model.score_columns(corpus.native, 1)
    assert scores.tobytes() == model.score_columns(corpus.native, 2).tobytes() == model.score_columns(corpus.native, 5).tobytes()
    alone = [model.score_columns(corpus_of([sentence]).native, 1) for sentence in sentences]
    assert np.concatenate(alone).tobytes() == scores.tobytes()


@given(st.lists(SENTENCES, min_size=1, max_size=5), st.integers(1, 3), st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_earlier_calls_change_no_bit(batches, threads, seed):
    """Rows that the model remembers are those that it would compute."""
    random = np.random.default_rng(seed)
    corpora = [corpus_of(sentences) for sentences in batches]
    encoder = Encoder("\n".join(TEMPLATES))
    encoder.fit(corpora[0])
    weights = random.normal(size=(encoder.feature_count, 9)).astype(np.float32)
    model = model_of(encoder, weights)
    for corpus in [*corpora, *corpora]:
        expected = model_of(encoder, weights).score_columns(corpus.native, 1)
        assert model.score_columns(corpus.native, threads).tobytes() == expected.tobytes()


def numbered_corpus(seed: int) -> Corpus:
    random = np.random.default_rng(seed)
    return corpus_of([[(f"w{random.integers(0, 400)}", f"t{random.integers(0, 9)}") for _ in range(12)] for _ in range(60)])


def test_threads_share_a_model():
    corpora = [numbered_corpus(seed) for seed in range(8)]
    encoder = Encoder("\n".join(TEMPLATES))
    encoder.fit(corpora[0])
    weights = np.random.default_rng(1).normal(size=(encoder.feature_count, 9)).astype(np.float32)
    expected = [model_of(encoder, weights).score_columns(corpus.native, 1).tobytes() for corpus in corpora]
    shared = model_of(encoder, weights)
    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            results = pool.map(lambda corpus: shared.score_columns(corpus.native, 2).tobytes(), corpora)
            assert list(results) == expected


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_the_same_scores():
    first, second = numbered_corpus(1), numbered_corpus(2)
    encoder = Encoder("\n".join(TEMPLATES))
    encoder.fit(first)
    model = model_of(encoder, np.random.default_rng(1).normal(size=(encoder.feature_count, 9)).astype(np.float32))
    expected = model.score_columns(first.native, 1).tobytes()
    child = os.fork()
    if child == 0:
        same = model.score_columns(first.native, 1).tobytes() == expected
        model.score_columns(second.native, 1)
        os._exit(0 if same and model.score_columns(first.native, 1).tobytes() == expected else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert model.score_columns(first.native, 1).tobytes() == expected


def test_few_sentences_of_a_large_corpus():
    corpus = numbered_corpus(3)
    encoder = Encoder("\n".join(TEMPLATES))
    encoder.fit(corpus)
    model = model_of(encoder, np.random.default_rng(1).normal(size=(encoder.feature_count, 9)).astype(np.float32))
    alone = [model.score_columns(corpus.native.select([number]), 1) for number in range(len(corpus))]
    assert np.concatenate(alone).tobytes() == model.score_columns(corpus.native, 1).tobytes()


def test_a_store_that_is_full_is_replaced():
    """The words of all calls together exceed the memory of rows; those of one call do not."""
    random = np.random.default_rng(1)
    corpora = [corpus_of([[(f"v{part}w{number}", "N") for number in range(200)]]) for part in range(4)]
    encoder = Encoder("ngrams(word, 1..6)[0]\nword[1]")
    encoder.fit(corpora[0])
    weights = np.zeros((encoder.feature_count, 20_000), np.float32)
    best = random.integers(0, 20_000, encoder.feature_count)
    weights[np.arange(encoder.feature_count), best] = random.normal(size=encoder.feature_count) + 3
    model = model_of(encoder, weights)
    expected = [model_of(encoder, weights).label_numbers(corpus.native, 1).tobytes() for corpus in corpora]
    for _ in range(2):
        assert [model.label_numbers(corpus.native, 1).tobytes() for corpus in corpora] == expected


def test_many_labels_are_tagged_in_parts():
    """Rows of 20,000 labels take so much room that only some hundred words have theirs at a time."""
    random = np.random.default_rng(1)
    sentences = [[(f"w{random.integers(0, 700)}", "N") for _ in range(random.integers(1, 30))] for _ in range(120)]
    corpus = corpus_of(sentences)
    assert corpus.token_count > 1000
    encoder = Encoder("ngrams(word, 1..6)[0]\nsuffix(word, 1..2)[1]\nshape(word)[1]\nword[1]")
    encoder.fit(corpus)
    weights = np.zeros((encoder.feature_count, 20_000), np.float32)
    best = random.integers(0, 20_000, encoder.feature_count)
    weights[np.arange(encoder.feature_count), best] = random.normal(size=encoder.feature_count) + 3
    model = model_of(encoder, weights)
    result = model.label_numbers(corpus.native, 1)
    assert np.array_equal(result, model.label_numbers(corpus.native, 2))
    alone = [model.label_numbers(corpus_of([sentence]).native, 1) for sentence in sentences]
    assert np.array_equal(result, np.concatenate(alone))
    assert len(set(result.tolist())) > 100
