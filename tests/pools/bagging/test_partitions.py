"""Schemes: parts of the features, positions, labels."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pools.tiny_pools import close

import tagpool
from tagpool import (
    CRF,
    LBFGS,
    SGD,
    BaggingPool,
    Corpus,
    Encoder,
    InputError,
    LabelWise,
    MaxEnt,
    Positions,
    RandomParts,
    SequentialParts,
)
from tagpool.experts.saving import SaveOptions, feature_names, to_bytes
from tagpool.pools.bagging.label_wise import OTHER, expand_labels, merge_labels
from tagpool.pools.bagging.partitions import Part

TEMPLATES = "word[-1..1]\nshape(word)[0]\nsuffix(word, 1..2)[0]\nword[-1] & word[1]"


@pytest.fixture(scope="module")
def train() -> Corpus:
    return tagpool.builtin_corpus(120, seed=8)


@pytest.fixture(scope="module")
def dev() -> Corpus:
    return tagpool.builtin_corpus(50, seed=8, part="dev")


def bagged(train, scheme, kind=CRF, **parameters):
    return BaggingPool(kind(TEMPLATES, trainer=LBFGS(iterations=10)), bags=scheme, **parameters).fit(train)


@given(st.integers(0, 50), st.integers(1, 7), st.none() | st.integers(0, 5))
def test_parts_are_a_partition(features, count, seed):
    marks = np.array([list(Part(number, count, seed).marks(features)) for number in range(count)]).reshape(count, features)
    assert (marks.sum(axis=0) == 1).all()
    assert np.ptp(marks.sum(axis=1)) <= 1


@pytest.mark.parametrize("scheme", [RandomParts(3), RandomParts(2, seed=5), SequentialParts(3)])
def test_members_have_parts_of_the_features(scheme, train, dev):
    pool = bagged(train, scheme)
    everything = Encoder(TEMPLATES).fit(train).feature_names
    parts = [set(feature_names(member)) for member in pool]
    assert sum(map(len, parts)) == len(everything)
    assert set().union(*parts) == set(everything)
    assert pool.merge().predict(dev) == pool.predict(dev)
    if isinstance(scheme, SequentialParts):
        assert [name for member in pool for name in feature_names(member)] == everything
    else:
        assert parts != [set(feature_names(member)) for member in bagged(train, RandomParts(scheme.count, seed=9))]
    assert pool.to_bytes(SaveOptions()) == bagged(train, scheme, threads=2).to_bytes(SaveOptions())


def test_a_part_is_trained_as_if_there_were_no_other_features(train, dev):
    """The second half of the features of two templates, if one of them has exactly that half."""
    encoder = Encoder("shape(word)[0]\nword[0]").fit(train)
    keep = bytes(name.startswith("word") for name in encoder.feature_names)

    class Words:
        def marks(self, features):
            assert features == len(keep)
            return keep

    one, other = (kind(text, trainer=SGD(epochs=3)) for kind, text in ((CRF, "shape(word)[0]\nword[0]"), (CRF, "word[0]")))
    one._part = Words()
    one.fit(train)
    other.fit(train)
    assert feature_names(one) == feature_names(other)
    assert one._encoder.feature_counts.tolist() == other._encoder.feature_counts.tolist()
    for a, b in zip(one.lattices(dev), other.lattices(dev), strict=True):
        assert a.nodes.tobytes() == b.nodes.tobytes()
        assert a.edges.tobytes() == b.edges.tobytes()


def test_keeping_features_is_checked(train):
    encoder = Encoder("word[0]")
    encoded = encoder.fit_transform(train)
    with pytest.raises(InputError, match=r"marks: expected [0-9]+, got 1"):
        encoder.keep(encoded, b"\1")


def test_positions(train, dev):
    pool = bagged(train, Positions())
    assert pool.names_ == ("before", "here", "after")
    assert pool.bags_["before"] == ("word[-1]", "word[-1] & word[1]")
    assert pool.bags_["here"] == ("word[0]", "shape(word)[0]", "suffix(word, 1)[0]", "suffix(word, 2)[0]", "word[-1] & word[1]")
    assert pool.bags_["after"] == ("word[1]", "word[-1] & word[1]")
    assert pool.merge().predict(dev) == pool.predict(dev)
    only_here = BaggingPool(CRF("word[0]", trainer=SGD(epochs=1)), bags=Positions()).fit(train)
    assert only_here.names_ == ("here",)


@pytest.mark.parametrize("kind", [CRF, MaxEnt])
def test_an_expanded_expert_scores_merged_labels(kind, train, dev):
    labels = list(dict.fromkeys(label for row in train.labels for label in row))
    stored = ("B-PER", "I-PER")
    narrow, wide = (kind(TEMPLATES, trainer=SGD(epochs=3)).fit(merge_labels(train, stored)) for _ in range(2))
    expand_labels(wide, labels, np.zeros(0, np.uint8))
    assert wide.labels_ == tuple(labels)
    place = [narrow.labels_.index(label if label in stored else OTHER) for label in labels]
    for a, b in zip(narrow.lattices(dev), wide.lattices(dev), strict=True):
        assert close(a.nodes[:, place], b.nodes, within=1e-5)
        assert close(a.edges[np.ix_(place, place)], b.edges)
        assert close(a.start[place], b.start)
        assert close(a.end[place], b.end)


def test_a_member_for_each_label(train, dev, tmp_path):
    pool = bagged(train, LabelWise(), weights="kfold")
    assert set(pool.names_) == {"O", "MISC", "ORG", "PER", "LOC"}
    assert set(pool.bags_["PER"]) == {"B-PER", "I-PER"}
    assert pool.merge().predict(dev) == pool.predict(dev)
    assert pool.to_bytes(SaveOptions()) == bagged(train, LabelWise(), weights="kfold", threads=3).to_bytes(SaveOptions())
    # The pool is better than each member.
    assert pool.score(train) > max(member.score(train) for member in pool)
    pool.save(tmp_path / "pool")
    again = tagpool.load(tmp_path / "pool")
    assert again.predict(dev) == pool.predict(dev)
    assert again.bags is None
    with_dev = BaggingPool(CRF(TEMPLATES, trainer=SGD(epochs=3)), bags=LabelWise(), weights="dev").fit(train, dev=dev)
    assert with_dev.labels_ == pool.labels_
    assert pickle.loads(pickle.dumps(pool)).predict(dev) == pool.predict(dev)


def test_unknown_labels(train):
    labels = [[None if i % 5 == 0 else label for i, label in enumerate(row)] for row in train.labels]
    pool = BaggingPool(CRF(TEMPLATES, trainer=SGD(epochs=2)), bags=LabelWise()).fit(train.words, labels)
    assert set(pool.labels_) == {label for row in labels for label in row if label is not None}
    assert to_bytes(pool.merge())


@pytest.mark.parametrize(
    ("expert", "scheme", "message"),
    [
        (CRF(TEMPLATES), RandomParts(0), "count=0: expected a whole number"),
        (CRF("word[-1] & word[1]"), Positions(), "no template fits the scheme"),
        (CRF(TEMPLATES + "\nlabel[-1] & word[0]"), LabelWise(), "no transition features"),
    ],
)
def test_schemes_that_do_not_fit(train, expert, scheme, message):
    with pytest.raises(InputError, match=message):
        BaggingPool(expert, bags=scheme).fit(train)


def test_more_parts_than_features():
    tiny = Corpus.from_lists(word=[["Ann", "left"]], label=[["PER", "O"]])
    with pytest.raises(InputError, match=r"bag 'part 1'.*no feature is left"):
        BaggingPool(CRF("word[0]"), bags=SequentialParts(3)).fit(tiny)
