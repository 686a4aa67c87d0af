"""Labels of a dev set that training does not have count as errors, as conlleval counts them."""

from __future__ import annotations

from typing import Any

import pytest
from oracles.conlleval import conlleval

import tagpool
from tagpool import (
    CRF,
    LBFGS,
    OWLQN,
    SGD,
    BaggingPool,
    Checkpoint,
    Corpus,
    ElitistPool,
    InducingTagger,
    InputError,
    MaxEnt,
    OpinionPool,
    Perceptron,
    TwoStageTagger,
    builtin_corpus,
)
from tagpool.pools.member_weights import weight_grid

TEMPLATES = "word[-1..1]\nshape(word)[0]\nsuffix(word, 1..3)[0]"
BAGS = "word[0]\n[shapes]\nshape(word)[-1..1]\n[endings]\nsuffix(word, 1..3)[0]"


def in_documents(corpus: Corpus) -> Corpus:
    return Corpus.from_columns({"word": corpus.words, "label": corpus.labels}, documents=range(0, len(corpus), 5))


TRAIN, DEV = in_documents(builtin_corpus(100)), in_documents(builtin_corpus(40, part="dev"))
NEW = {"B-LOC": "B-PLACE", "I-LOC": "I-PLACE"}


def with_new_labels(corpus: Corpus) -> Corpus:
    """Give every second sentence a type that the training does not have."""
    rows = corpus.labels
    return corpus.with_labels([[NEW.get(label, label) if n % 2 else label for label in row] for n, row in enumerate(rows)])


STRANGE = with_new_labels(DEV)


def oracle(tagger: Any, corpus: Corpus, *, raw: bool = False) -> float:
    return conlleval(corpus.labels, tagger.predict(corpus), raw=raw).rates()[2] / 100


TAGGERS = {
    "sgd": lambda: CRF(TEMPLATES, trainer=SGD(epochs=4)),
    "lbfgs": lambda: CRF(TEMPLATES, trainer=LBFGS(iterations=40)),
    "owlqn": lambda: CRF(TEMPLATES, l1=0.1, trainer=OWLQN(iterations=40)),
    "perceptron": lambda: CRF(TEMPLATES, trainer=Perceptron(epochs=3)),
    "maxent": lambda: MaxEnt(TEMPLATES, trainer=SGD(epochs=4)),
    "inducing": lambda: InducingTagger(TEMPLATES, epochs=4),
}


@pytest.mark.parametrize("name", TAGGERS)
def test_the_dev_score_of_taggers_is_that_of_conlleval(name: str) -> None:
    assert sum(label.endswith("PLACE") for row in STRANGE.labels for label in row) > 5
    tagger = TAGGERS[name]().fit(TRAIN, dev=STRANGE)
    assert tagger.summary_["dev"] == pytest.approx(oracle(tagger, STRANGE), abs=1e-12)
    assert tagger.score(STRANGE) == pytest.approx(oracle(tagger, STRANGE), abs=1e-12)
    assert tagger.score(STRANGE) < tagger.score(DEV)
    assert not any(label in tagger.labels_ for label in NEW.values())


POOLS = {
    "bagging": lambda: BaggingPool(CRF(BAGS, trainer=SGD(epochs=2)), weights="dev"),
    "likelihood": lambda: BaggingPool(CRF(BAGS, trainer=SGD(epochs=2)), weights="likelihood"),
    "em": lambda: BaggingPool(CRF(BAGS, trainer=SGD(epochs=2)), weights="em", combine="sequence-mixture"),
    "auto": lambda: BaggingPool(CRF(BAGS, trainer=SGD(epochs=2)), bags="auto"),
    "single labels": lambda: BaggingPool(CRF(TEMPLATES, trainer=SGD(epochs=2)), bags=tagpool.LabelWise(), weights="dev"),
    "elitist": lambda: ElitistPool(TEMPLATES, experts=2, epochs=3),
    "two stages": lambda: TwoStageTagger(CRF(TEMPLATES, trainer=SGD(epochs=2))),
}


@pytest.mark.parametrize("name", POOLS)
def test_pools_are_trained_and_scored(name: str) -> None:
    pool = POOLS[name]().fit(TRAIN, dev=STRANGE)
    assert pool.score(STRANGE) == pytest.approx(oracle(pool, STRANGE), abs=1e-12)
    assert pool.score(STRANGE) < pool.score(DEV)


def test_the_weights_of_an_opinion_pool_have_the_best_score() -> None:
    members = [CRF(text, trainer=SGD(epochs=2)).fit(TRAIN) for text in ("word[0]", "shape(word)[-1..1]", "suffix(word, 1..2)[0]")]
    pool = OpinionPool(members, weights="dev").fit(STRANGE)
    scores = [oracle(OpinionPool(members, weights=point.tolist()), STRANGE) for point in weight_grid(3)]
    assert oracle(pool, STRANGE) == max(scores)
    known = [number for number, row in enumerate(STRANGE.labels) if not any(label in NEW.values() for label in row)]
    by_likelihood = OpinionPool(members, weights="likelihood").fit(STRANGE).weights_.tolist()
    # The probability of other sentences is 0 with all weights.
    assert by_likelihood == OpinionPool(members, weights="likelihood").fit(STRANGE.select(known)).weights_.tolist()


def test_plain_labels_and_given_features() -> None:
    words, labels = [["a", "b", "c"]] * 4, [["X", "Y", "X"]] * 4
    dev = [["X", "Z", "X"], ["W", "Y", "X"]]
    corpus = Corpus.from_lists(word=words[:2], label=dev)
    tagger = CRF("word[0]", trainer=SGD(epochs=3)).fit(words, labels, dev=(words[:2], dev))
    assert tagger.summary_["dev"] == pytest.approx(4 / 6)
    assert oracle(tagger, corpus, raw=True) == pytest.approx(4 / 6)
    features = [[[word] for word in sentence] for sentence in words]
    on_features = CRF(trainer=SGD(epochs=3)).fit(features, labels, dev=(features[:2], dev))
    assert on_features.summary_["dev"] == pytest.approx(4 / 6)
    alone = CRF(trainer=SGD(epochs=3)).fit(features, labels, dev=(features[:1], [["P", "Q", "R"]]))
    assert alone.summary_["dev"] == 0


def test_tokens_whose_label_is_unknown_are_not_scored() -> None:
    words, labels = [["a", "b"]] * 4, [["X", "Y"]] * 4
    with pytest.raises(InputError, match=r"the label None, which is unknown: they have no score; leave them out"):
        CRF("word[0]").fit(words, labels, dev=(words[:1], [["X", None]]))
    with pytest.raises(InputError, match=r"the label '\?', which is unknown"):
        CRF("word[0]", unknown_label="?").fit(words, labels, dev=(words[:1], [["X", "?"]]))


def test_a_checkpoint_is_of_these_labels(tmp_path: Any) -> None:
    def fit(label: str) -> None:
        dev = (["a", "b"],), (["X", label],)
        CRF("word[0]", trainer=SGD(epochs=2)).fit([["a", "b"]] * 4, [["X", "Y"]] * 4, dev=dev, checkpoint=Checkpoint(tmp_path))

    fit("Z")
    fit("Z")
    with pytest.raises(InputError, match="differ"):
        fit("B-Z")
