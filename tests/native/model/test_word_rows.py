"""Scores of words that are summed once per distinct word, against features that are named, looked up and summed one by one."""

from __future__ import annotations

import numpy as np
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
