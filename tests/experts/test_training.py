"""Summaries of trainings, and what an interruption leaves."""

from __future__ import annotations

from typing import Any

import pytest

import tagpool
from tagpool import CRF, SGD, InducingTagger
from tagpool.corpus.corpus import Corpus
from tagpool.optim.watch import Epoch


@pytest.fixture(scope="module")
def train() -> Corpus:
    return tagpool.builtin_corpus(60)


def test_the_summary_of_a_corpus(train: Corpus) -> None:
    crf = CRF("word[0]", trainer=SGD(epochs=3)).fit(train)
    assert crf.summary_ | {"loss": 0, "step": 0} == {
        "sentences": 60,
        "tokens": train.token_count,
        "columns": ["word", "pos", "chunk", "label"],
        "label": "label",
        "trainer": "SGD(epochs=3)",
        "epochs": 3,
        "loss": 0,
        "dev": None,
        "step": 0,
    }
    assert crf.summary_["loss"] == crf.log_[-1].loss
    assert crf.summary_["step"] > 0
    crf.fit(train)
    assert crf.summary_["sentences"] == 60


def test_the_summary_of_given_features_and_a_dev_set() -> None:
    sentences = [[["a"], ["b"]], [["b"], ["a"]]] * 5
    labels = [["x", "y"], ["y", "x"]] * 5
    crf = CRF(trainer=SGD(epochs=2)).fit(sentences, labels, dev=(sentences, labels))
    assert (crf.summary_["columns"], crf.summary_["label"], crf.summary_["tokens"]) == ([], None, 20)
    assert crf.summary_["dev"] == max(epoch.score or 0 for epoch in crf.log_)


def test_text_with_spaces_has_no_column_for_them() -> None:
    corpus = Corpus.from_lists(word=[["Ann", "left"]], label=[["B-PER", "O"]], space=[["yes", "no"]])
    assert CRF("word[0]").fit(corpus).summary_["columns"] == ["word", "label"]


class Interrupt:
    """Raises KeyboardInterrupt in an epoch."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __call__(self, epoch: Epoch) -> None:
        if epoch.number == self.number:
            raise KeyboardInterrupt


TEMPLATES = "word[-1..1]\nsuffix(word, 1..3)[0]\nshape(word)[-1..1]\nlabel[-1]\nlabel[-2] & label[-1]"


@pytest.mark.parametrize(
    ("tagger", "shorter"),
    [
        (CRF("ner"), CRF("ner", trainer=SGD(epochs=3))),
        (InducingTagger(TEMPLATES), InducingTagger(TEMPLATES, epochs=3)),
    ],
    ids=["crf", "inducing"],
)
def test_an_interruption_leaves_the_finished_epochs(tagger: Any, shorter: Any, train: Corpus) -> None:
    with pytest.raises(KeyboardInterrupt):
        tagger.fit(train, on_epoch=Interrupt(3))
    assert tagger.summary_["epochs"] == 3
    assert tagger.predict(train) == shorter.fit(train).predict(train)


def test_an_interruption_before_the_first_epoch_leaves_no_model(train: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(SGD, "train", interrupt)
    crf = CRF("word[0]")
    with pytest.raises(KeyboardInterrupt):
        crf.fit(train)
    assert not crf.is_fitted


def test_the_dev_score_uses_the_beam(train: Corpus) -> None:
    dev = tagpool.builtin_corpus(60, part="dev")
    scores = {}
    for beam in (1, 8):
        tagger = InducingTagger(TEMPLATES, epochs=4, beam=beam).fit(train, dev=dev)
        best = max(epoch.score or 0 for epoch in tagger.log_)
        assert best == pytest.approx(tagger.score(dev))
        scores[beam] = [epoch.score for epoch in tagger.log_]
    assert scores[1] != scores[8]
