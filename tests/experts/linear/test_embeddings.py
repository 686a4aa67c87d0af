"""Experts with word vectors, against given features, enumeration and finite differences: a dimension is a feature."""

from __future__ import annotations

import itertools
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tagpool
from tagpool import (
    CRF,
    LBFGS,
    SGD,
    BaggingPool,
    Corpus,
    Embeddings,
    Encoder,
    MaxEnt,
    OpinionPool,
    _native,
    builtin_corpus,
    load,
)
from tagpool.errors import InputError, ModelError
from tagpool.experts.inside.inspection import features_by_template, top_features
from tagpool.experts.inside.linear import explain
from tagpool.experts.saving import to_bytes

WIDTH = 3
TEMPLATES = "word[0]\nembedding(v, lower(word))[-1..1]\nembedding(v)[0]"
EXACT = LBFGS(tolerance=1e-13, iterations=3000, warm_up=0)
NONE = np.zeros(0, np.float32)


def random_vectors(words: list[str], seed: int = 3, width: int = WIDTH) -> Embeddings:
    """Random vectors; some numbers are zero."""
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(len(words), width)) * (random.random((len(words), width)) < 0.9)
    return Embeddings(words, vectors)


def vocabulary(corpus: Corpus) -> list[str]:
    """Two thirds of the words, and these in lower case."""
    words = sorted({word for words in corpus.words for word in words})
    return list(dict.fromkeys(form for i, word in enumerate(words) if i % 3 for form in (word, word.lower())))


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return builtin_corpus(60, seed=4)


@pytest.fixture(scope="module")
def vectors(corpus: Corpus) -> Embeddings:
    return random_vectors(vocabulary(corpus))


def spelled_out(words: list[str], embeddings: Embeddings) -> list[dict[str, float]]:
    """Features of a sentence, written without templates."""
    result = []
    for t, word in enumerate(words):
        features = {f"word[0]={word}": 1.0}
        for key, other, text in [
            *((f"embedding(v, lower(word))[{k}]", t + k, str.lower) for k in (-1, 0, 1)),
            ("embedding(v)[0]", t, str),
        ]:
            row = embeddings.rows.row(text(words[other])) if 0 <= other < len(words) else -1
            if row >= 0:
                values = enumerate(embeddings.vectors[row].tolist())
                features |= {f"{key}={dimension}": value for dimension, value in values if value}
        result.append(features)
    return result


def test_every_dimension_is_a_feature(corpus: Corpus, vectors: Embeddings) -> None:
    encoder = Encoder(TEMPLATES, resources={"v": vectors}, dimensions=True)
    encoded = encoder.fit_transform(corpus)
    assert not encoded.dense
    names, values = encoder.feature_names, encoded.values
    assert values is not None
    tokens = [token for words in corpus.words for token in spelled_out(words, vectors)]
    assert {name for token in tokens for name in token} == set(names)
    for t, expected in enumerate(tokens):
        rows = range(int(encoded.starts[t]), int(encoded.starts[t + 1]))
        result = {names[encoded.ids[i]]: float(values[i]) for i in rows}
        assert result == expected
    assert [dict(token) for token in encoder.describe(corpus, 1)] == spelled_out(corpus.words[1], vectors)


@pytest.mark.parametrize("trainer", [EXACT, SGD(epochs=5), "owlqn", "fobos", "perceptron"])
@pytest.mark.parametrize("kind", [CRF, MaxEnt])
def test_the_same_as_with_given_features(kind: Any, trainer: Any, corpus: Corpus, vectors: Embeddings) -> None:
    expert = kind(TEMPLATES, resources={"v": vectors}, trainer=trainer).fit(corpus)
    features = [spelled_out(words, vectors) for words in corpus.words]
    other = kind(trainer=trainer).fit(features, corpus.labels)
    close = 1e-4 if trainer is EXACT else 2e-2
    for ours, theirs in zip(expert.predict_marginals(corpus), other.predict_marginals(features), strict=True):
        assert np.allclose(ours, theirs, atol=close)
    assert expert.feature_count == other.feature_count


@given(st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=40, deadline=None)
def test_loss_and_gradient(seed: int, chain: bool) -> None:
    """The loss equals that of all label sequences with vectors from the table; the gradient equals finite differences."""
    random = np.random.default_rng(seed)
    embeddings = random_vectors(["a", "b", "c"], seed % 1000, 2)
    words = [[str(random.choice(["a", "b", "c", "d"])) for _ in range(random.integers(1, 4))] for _ in range(3)]
    words[0][0] = "a"
    embeddings = Embeddings(["a", "b", "c"], np.where(embeddings.vectors == 0, 0.5, embeddings.vectors))
    labels = [random.integers(0, 3, len(sentence)).tolist() for sentence in words]
    encoder = Encoder("embedding(v)[0]", resources={"v": embeddings}, dimensions=True)
    encoded = encoder.fit_transform(Corpus.from_lists(word=words))
    order = [int(name.rpartition("=")[2]) for name in encoder.feature_names]
    gold = np.array([label for sentence in labels for label in sentence], np.int32)
    training = _native.TrainingSet(encoded.native, gold, encoded.feature_count, 3)
    objective = _native.Objective(training, chain, 0.5, NONE, 1)
    point = random.normal(size=objective.parameter_count)
    weights = np.zeros((2, 3))
    weights[order] = point[:6].reshape(2, 3)
    edges = point[6:].reshape(5, 3) if chain else np.zeros((5, 3))
    table = dict(zip("abc", embeddings.vectors.astype(float), strict=True))
    expected = 0.25 * float(point @ point)
    for sentence, right in zip(words, labels, strict=True):
        nodes = [table.get(word, np.zeros(2)) @ weights for word in sentence]
        scores = {}
        for y in itertools.product(range(3), repeat=len(sentence)):
            score = edges[3][y[0]] + edges[4][y[-1]] + sum(node[label] for node, label in zip(nodes, y, strict=True))
            scores[y] = score + sum(edges[a][b] for a, b in itertools.pairwise(y))
        expected += math.log(sum(map(math.exp, scores.values()))) - scores[tuple(right)]
    value, gradient = objective(point)
    assert value == pytest.approx(expected, rel=1e-6)
    for i in range(len(point)):
        step = np.zeros(len(point))
        step[i] = 1e-5
        slope = (objective(point + step)[0] - objective(point - step)[0]) / 2e-5
        assert gradient[i] == pytest.approx(slope, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("kind", [CRF, MaxEnt])
def test_files_hold_the_vectors(kind: Any, corpus: Corpus, vectors: Embeddings, tmp_path: Path) -> None:
    expert = kind(TEMPLATES, resources={"v": vectors}, trainer=SGD(epochs=3)).fit(corpus)
    expert.save(tmp_path / "model")
    again = load(tmp_path / "model")
    unseen = Corpus.from_lists(word=[[vocabulary(corpus)[0], "never", vocabulary(corpus)[1]], ["never"]])
    for sentences in (corpus, unseen):
        assert again.predict(sentences) == expert.predict(sentences)
        for old, new in zip(expert.predict_marginals(sentences), again.predict_marginals(sentences), strict=True):
            assert np.array_equal(old, new)
    assert again._fitted().sizes()["program.vectors.0.vectors"] == len(vectors) * WIDTH * 4
    assert [name for name in again._fitted().sizes() if name.endswith(".vectors")] == ["program.vectors.0.vectors"]
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()
    assert pickle.loads(pickle.dumps(expert)).predict(corpus) == expert.predict(corpus)
    expert.save(tmp_path / "small", size="small")
    small = load(tmp_path / "small").predict(corpus)
    assert np.mean([a == b for a, b in zip(small, expert.predict(corpus), strict=True)]) > 0.9
    assert to_bytes(kind(TEMPLATES, resources={"v": vectors}, trainer=SGD(epochs=3), threads=3).fit(corpus)) == to_bytes(expert)


def test_a_file_whose_vectors_do_not_fit_is_refused(corpus: Corpus, vectors: Embeddings) -> None:
    model = MaxEnt(TEMPLATES, resources={"v": vectors}, trainer=SGD(epochs=1)).fit(corpus)._fitted()
    for array in (b"", b"\0" * 7):
        block = model.write({"kind": "maxent"}, {"program.vectors.0.vectors": array}, False)
        with pytest.raises((_native.InputFault, ModelError)):
            _native.Model.read(block)


@pytest.mark.parametrize("from_file", [False, True])
def test_training_continues(from_file: bool, corpus: Corpus, vectors: Embeddings, tmp_path: Path) -> None:
    crf = CRF(TEMPLATES + "\nlabel[-1] & word[0]", resources={"v": vectors}, trainer=EXACT).fit(corpus[:25])
    before, iterations = crf.predict_marginals(corpus[:25]), len(crf.log_)
    if from_file:
        crf.save(tmp_path / "model")
        crf = load(tmp_path / "model").set_params(trainer=EXACT)
    crf.set_params(warm_start=True).fit(corpus[:25])
    assert len(crf.log_) < iterations / 3
    for old, new in zip(before, crf.predict_marginals(corpus[:25]), strict=True):
        assert np.allclose(old, new, atol=1e-4)
    crf.partial_fit(corpus[25:])
    assert crf.summary_["sentences"] == 60


def test_inspection_and_explanation(corpus: Corpus, vectors: Embeddings) -> None:
    crf = CRF(TEMPLATES, resources={"v": vectors}, trainer=SGD(epochs=5)).fit(corpus)
    counts = features_by_template(crf)
    assert counts["embedding(v, lower(word))[0]"] == counts["embedding(v)[0]"] == WIDTH
    result = top_features(crf, top=WIDTH, template="embedding(v, lower(word))[0]")
    assert all(len(item.positive) + len(item.negative) == WIDTH for item in result.values())
    (lattice,) = crf.lattices(corpus[:1])
    for place, one in enumerate(explain(crf, corpus)):
        score = lattice.nodes[place, crf.labels_.index(one.label)]
        assert sum(item.score for item in one.contributions) == pytest.approx(score, abs=1e-4)


def test_vectors_label_words_that_training_never_saw(tmp_path: Path) -> None:
    """Vectors of names and verbs point in different directions; the test has other names and verbs."""
    random = np.random.default_rng(1)
    names, verbs = [f"N{i}" for i in range(40)], [f"v{i}" for i in range(40)]
    table = np.concatenate([random.normal(1, 0.5, (40, 4)), random.normal(-1, 0.5, (40, 4))])
    vectors = Embeddings(names + verbs, table)
    words = [[names[i], verbs[i]] for i in range(20)]
    expert = MaxEnt("word[0]\nembedding(v)[0]", resources={"v": vectors}).fit(words, [["NAME", "VERB"]] * 20)
    assert expert.predict([[names[i], verbs[i]] for i in range(20, 40)]) == [["NAME", "VERB"]] * 20


def test_restricted_and_pooled(corpus: Corpus, vectors: Embeddings, tmp_path: Path) -> None:
    resources = {"v": vectors}
    plain = CRF(TEMPLATES, resources=resources, trainer=SGD(epochs=3)).fit(corpus)
    # The tables of the members are equal: the merged model has one.
    again = CRF(TEMPLATES, resources={"v": random_vectors(vocabulary(corpus))}, seed=2, trainer=SGD(epochs=2)).fit(corpus)
    pool = OpinionPool([plain, again])
    one = pool.merge()
    for a, b in zip(pool.predict_marginals(corpus), one.predict_marginals(corpus), strict=True):
        assert np.allclose(a, b, atol=1e-3)
    assert [name for name in one._fitted().sizes() if name.endswith(".vectors")] == ["program.vectors.0.vectors"]
    other = CRF(TEMPLATES, resources={"v": random_vectors(vocabulary(corpus), seed=9)}, trainer=SGD(epochs=2)).fit(corpus)
    with pytest.raises(InputError, match="means different things"):
        OpinionPool([plain, other]).merge()
    bags = "word[0]\n[vectors]\nembedding(v)[0]\n[shapes]\nshape[0]"
    bagging = BaggingPool(CRF(bags, resources=resources, trainer=SGD(epochs=2))).fit(corpus)
    bagging.save(tmp_path / "pool")
    assert tagpool.load(tmp_path / "pool").predict(corpus) == bagging.predict(corpus)
