"""Tagging with a model that has BILOU inside: n best, probabilities, schemes and labelled lines."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tagpool import CRF, SGD, Corpus, builtin_corpus
from tagpool.corpus.schemes import violations
from tagpool.experts.linear.lattices import state_scores
from tagpool.experts.states import States
from tagpool.tagging.labeller import Labeller

WORDS = ["Ann", "Smith", "left", "Oslo"]


@pytest.fixture(scope="module")
def crf() -> CRF:
    corpus = builtin_corpus(200)
    labels = [[label if label == "O" else f"{label[:2]}X" for label in row] for row in corpus.labels]
    return CRF("word[-1..1]", inner_scheme="bilou", trainer=SGD(epochs=3)).fit(corpus.with_labels(labels))


@pytest.fixture(scope="module")
def dev() -> Corpus:
    return builtin_corpus(40, seed=4)


@pytest.mark.parametrize("scheme", [None, "bio2"])
def test_the_best_of_n_is_the_prediction(crf, dev, scheme):
    readings = Labeller(crf, nbest=5, probabilities=True, scheme=scheme).readings(dev.native)
    assert [row[0].labels for row in readings] == crf.predict(dev)
    for row in readings:
        sequences = [tuple(one.labels) for one in row]
        assert len(set(sequences)) == len(sequences)
        assert not any(violations(labels, "bio2") for labels in sequences)
        assert sorted((one.score for one in row), reverse=True) == [one.score for one in row]


def test_probabilities_are_those_of_labels(crf, dev):
    numbers = {label: number for number, label in enumerate(crf.labels_)}
    for (reading,), marginals in zip(Labeller(crf, probabilities=True).readings(dev.native), crf.predict_proba(dev), strict=True):
        expected = [row[numbers[label]] for label, row in zip(reading.labels, marginals, strict=True)]
        assert reading.probabilities == pytest.approx(expected)


def test_log_probabilities_are_sums_over_states(crf):
    corpus = Corpus.from_lists(word=[WORDS])
    lattice = next(iter(state_scores(crf, corpus).lattices()))
    names = States(crf._fitted().labels).names
    for reading in Labeller(crf, nbest=4).readings(corpus.native)[0]:
        choices = [[state for state, name in enumerate(names) if name == label] for label in reading.labels]
        total = sum(np.exp(lattice.log_probability(states)) for states in itertools.product(*choices))
        assert reading.log_probability == pytest.approx(np.log(total))


def test_lines_get_the_labels(crf, dev):
    text = "".join("".join(f"{word}\n" for word in words) + "\n" for words in dev.words).encode()
    labelled = Labeller(crf).lines(dev.native, text, None)
    assert labelled is not None
    lines = [line.split() for line in labelled[0].decode().splitlines() if line]
    assert [line[-1] for line in lines] == [label for row in crf.predict(dev) for label in row]
