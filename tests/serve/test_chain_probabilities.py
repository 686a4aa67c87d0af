"""Probabilities with prepared transitions are those of lattices, bit by bit."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from serve.served import names_tagger

from tagpool import CRF, Corpus, InducingTagger, MaxEnt, OpinionPool, builtin_corpus
from tagpool.experts.sequence_tagger import SequenceTagger
from tagpool.serve.chain_probabilities import ChainProbabilities
from tagpool.serve.forms import Form, Pace

WORDS = st.sampled_from(["Ann", "Smith", "Oslo", "left", ".", "🙂", "שלום"])
SENTENCES = st.lists(st.lists(WORDS, min_size=1, max_size=8), min_size=1, max_size=5)


def lattice_probabilities(tagger: SequenceTagger, sentences: list[list[str]]) -> list[list[float]]:
    rows = zip(tagger.predict(sentences), tagger.lattices(sentences), strict=True)
    return [lattice.marginals()[range(len(row)), [tagger.labels_.index(one) for one in row]].tolist() for row, lattice in rows]


@given(SENTENCES)
def test_the_same_as_lattices(sentences: list[list[str]]) -> None:
    for tagger in (names_tagger(), names_tagger().without("capitals")):
        assert ChainProbabilities.suits(tagger)
        labels, probabilities = Form(tagger).tag(Corpus.from_lists(word=sentences), confidence=True)
        assert labels == tagger.predict(sentences)
        assert probabilities == lattice_probabilities(tagger, sentences)


@pytest.mark.parametrize(
    ("train", "suits"),
    [
        (lambda corpus: MaxEnt("word[-1..1]").fit(corpus), True),
        (lambda corpus: CRF("word[-1..1]", inner_scheme="bilou").fit(corpus), False),
        (lambda corpus: CRF("word[-1..1]\nword[0] & label[-1]").fit(corpus), False),
        (lambda corpus: InducingTagger("word[0]").fit(corpus), False),
        (lambda corpus: OpinionPool([CRF("word[0]").fit(corpus), CRF("word[-1]").fit(corpus)], weights=[0.5, 0.5]), False),
    ],
)
def test_other_models_have_the_same_probabilities_as_before(train: Callable[[Corpus], SequenceTagger], suits: bool) -> None:
    tagger = train(builtin_corpus(100))
    assert ChainProbabilities.suits(tagger) == suits
    sentences = [["Ann", "Smith", "left", "Oslo", "."], ["Oslo"]]
    _, probabilities = Form(tagger).tag(Corpus.from_lists(word=sentences), confidence=True)
    if not tagger.has_probabilities:
        assert probabilities is None
        return
    assert probabilities is not None
    for row, (labels, matrix) in zip(
        probabilities, zip(tagger.predict(sentences), tagger.predict_proba(sentences), strict=True), strict=True
    ):
        expected = [matrix[place, tagger.labels_.index(label)] for place, label in enumerate(labels)]
        assert row == pytest.approx(expected, abs=1e-6)


def test_a_pace_follows_slow_calls_slowly() -> None:
    pace = Pace()
    pace.add(0, 1.0)
    pace.add(16, 0.2)
    assert pace.seconds(0) == pytest.approx(0.1)
    pace.add(0, 100.0)  # interrupted
    assert pace.seconds(0) == pytest.approx(0.1 + 0.1 * (0.4 - 0.1))
    for _ in range(100):
        pace.add(0, 0.2)
    assert pace.seconds(0) == pytest.approx(0.2, rel=0.01)
