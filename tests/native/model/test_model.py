"""Tagging with a model's weights against the lattice, which is checked by enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tagpool import GivenEncoder, Lattice, _native

NO_EDGES = np.zeros(0, np.float32)


def encoded(random: np.random.Generator, sentences: int, features: int, valued: bool) -> _native.Encoding:
    encoder = GivenEncoder().fit([[{f"f{k}": 1.0 for k in range(features)}]])
    rows = [
        [
            {f"f{k}": float(random.choice([1.0, 0.5, -2.0])) if valued else 1.0 for k in random.choice(features, 3)}
            for _ in range(random.integers(1, 8))
        ]
        for _ in range(sentences)
    ]
    return encoder.transform(rows).native


def dense_scores(encoding: _native.Encoding, weights: NDArray[np.float32]) -> NDArray[np.float64]:
    starts, ids = encoding.starts(), encoding.ids()
    values = encoding.values() if encoding.has_values else np.ones(len(ids), np.float32)
    rows = zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    return np.array([(weights[ids[a:b]].astype(float) * values[a:b, None]).sum(axis=0) for a, b in rows])


@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 2, 5, 9, 22, 40, 50]), st.booleans(), st.booleans(), st.booleans())
@settings(max_examples=60)
def test_tags_are_the_best_sequences(seed: int, labels: int, few: bool, valued: bool, chain: bool) -> None:
    random = np.random.default_rng(seed)
    features = 12
    encoding = encoded(random, 5, features, valued)
    weights = random.integers(-8, 9, (features, labels)).astype(np.float32)  # whole numbers: sums are exact, ties are real
    if few:
        weights *= random.random(weights.shape) < 0.2  # kept as pairs, not as rows
    edges = random.integers(-8, 9, labels * (labels + 2)).astype(np.float32)
    pairs = [(k, y) for k in range(features) for y in range(labels) if weights[k, y] != 0 or not few]
    model = _native.Model.of_encoded(
        features,
        [f"label {y}" for y in range(labels)],
        np.array([k for k, _ in pairs], np.uint32),
        np.array([y for _, y in pairs], np.uint16),
        np.array([weights[pair] for pair in pairs], np.float32),
        edges if chain else NO_EDGES,
    )
    nodes = dense_scores(encoding, weights)
    assert np.array_equal(model.score_encoding(encoding).reshape(-1, labels), nodes)
    tags = model.tag_encoding(encoding, 1)
    assert np.array_equal(tags, model.tag_encoding(encoding, 3))
    transitions, start, end = np.split(
        edges.astype(float) if chain else np.zeros(labels * (labels + 2)), [labels**2, labels**2 + labels]
    )
    for first, last in zip(encoding.sentences()[:-1].tolist(), encoding.sentences()[1:].tolist(), strict=True):
        lattice = Lattice(nodes[first:last], transitions.reshape(labels, labels), start, end)
        assert lattice.score(tags[first:last]) == lattice.best().score
        if not chain:
            assert tags[first:last].tolist() == nodes[first:last].argmax(axis=1).tolist()


def test_bad_models_and_encodings() -> None:
    encoding = encoded(np.random.default_rng(1), 2, 4, False)
    one = (np.array([0], np.uint32), np.array([0], np.uint16), np.array([1.0], np.float32), NO_EDGES)
    with pytest.raises(_native.InputFault, match="the encoding has features"):
        _native.Model.of_encoded(1, ["a", "b"], *one).tag_encoding(encoding, 1)
    with pytest.raises(_native.InputFault, match="out of range or out of order"):
        _native.Model.of_encoded(1, ["a", "b"], np.array([3], np.uint32), *one[1:])
    with pytest.raises(_native.InputFault, match="edges: expected"):
        _native.Model.of_encoded(1, ["a", "b"], *one[:3], np.zeros(3, np.float32))
    with pytest.raises(_native.InputFault, match="infinite or not a number"):
        _native.Model.of_encoded(1, ["a", "b"], *one[:2], np.array([np.nan], np.float32), NO_EDGES)
