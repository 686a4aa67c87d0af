"""Pairs of features and labels that have weights."""

from __future__ import annotations

import numpy as np
import pytest

import tagpool
from tagpool import CRF, LBFGS, SGD, Corpus, MaxEnt
from tagpool.experts.saving import feature_names

MANY = 20  # labels, more than two vectors


def corpus_of(labels: int, sentences: int = 120) -> Corpus:
    draw = np.random.default_rng(3)
    words = [[f"w{draw.integers(60) ** 2 // 60}" for _ in range(6)] for _ in range(sentences)]
    return Corpus.from_lists(word=words, label=[[f"L{int(word[1:]) % labels}" for word in row] for row in words])


def weights_of(expert, corpus):
    names = feature_names(expert)
    return dict(zip(names, expert._fitted().weights_of(names).reshape(len(names), -1), strict=True))


@pytest.mark.parametrize("kind", [CRF, MaxEnt])
def test_frequent_features_have_all_pairs(kind):
    corpus = corpus_of(MANY)
    expert = kind("word[0]\nword[-1]", pairs="frequent", trainer=LBFGS(iterations=20)).fit(corpus)
    counts: dict[tuple[str, str], int] = {}
    for words, labels in zip(corpus.words, corpus.labels, strict=True):
        for place, label in enumerate(labels):
            for name, at in (("word[0]", place), ("word[-1]", place - 1)):
                key = f"{name}={words[at]}" if at >= 0 else None
                if key:
                    counts[key, label] = counts.get((key, label), 0) + 1
    for name, weights in weights_of(expert, corpus).items():
        seen = {label: count for (feature, label), count in counts.items() if feature == name}
        if not seen:  # the boundary
            continue
        free = {expert.labels_[number] for number in np.flatnonzero(weights)}
        if sum(seen.values()) >= 8:
            assert len(free) > len(seen)
        else:
            assert free <= set(seen)


@pytest.mark.parametrize(("labels", "pairs"), [(5, "all"), (MANY, "frequent")])
def test_the_number_of_labels_decides(labels, pairs):
    corpus = corpus_of(labels)
    default, expected = (CRF("word[-1..1]", trainer=SGD(epochs=2), **options).fit(corpus) for options in ({}, {"pairs": pairs}))
    assert default.weight_count == expected.weight_count
    assert default.predict(corpus) == expected.predict(corpus)


def test_training_continues_with_more_labels(tmp_path):
    crf = CRF("word[0]").fit(corpus_of(5))
    crf.save(tmp_path / "m")
    for one in (crf, tagpool.load(tmp_path / "m")):
        one.partial_fit(corpus_of(MANY))
        assert len(one.labels_) == MANY
        assert one.score(corpus_of(MANY)) > 0.5
