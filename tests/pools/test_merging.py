"""A merged pool is one model with the labels of the pool."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from pools.tiny_pools import Fixed, close

import tagpool
from tagpool import CRF, SGD, BaggingPool, Clusters, Corpus, Gazetteer, InputError, Lattice, MaxEnt, OpinionPool
from tagpool.experts.inside.inspection import top_features
from tagpool.experts.saving import feature_names, to_bytes

NAMES = sorted({w for words in tagpool.builtin_corpus(200, seed=5).words for w in words if w.istitle()})
PLACES = {"places": Gazetteer({"some": NAMES[::2], "others": NAMES[::3]})}
BROWN = {"brown": Clusters({"moved": "0110", "to": "0111", "lives": "0100"})}


@pytest.fixture(scope="module")
def train() -> Corpus:
    return tagpool.builtin_corpus(200, seed=5)


@pytest.fixture(scope="module")
def test() -> Corpus:
    return tagpool.builtin_corpus(150, seed=5, part="test")


def fitted(train, text, kind=CRF, **parameters):
    return kind(text, trainer=SGD(epochs=3), **parameters).fit(train)


def same(pool, expert, corpus):
    """The same labels, and the same scores up to the rounding of float32."""
    assert expert.predict(corpus) == pool.predict(corpus)
    for a, b in zip(pool.lattices(corpus), expert.lattices(corpus), strict=True):
        assert close(a.nodes, b.nodes, within=2e-5)
        assert close(a.edges, b.edges, within=2e-6)
        assert close(a.start, b.start, within=2e-6)
        assert close(a.end, b.end, within=2e-6)


@pytest.mark.parametrize("pairs", ["all", "observed"])
def test_members_with_different_features(train, test, pairs):
    members = [
        fitted(train, "word[-1..1]\nshape(word)[0]\ngazetteer(places)[0]", pairs=pairs, resources=PLACES),
        fitted(train, "word[0]\nsuffix(word, 1..3)[0]\ncluster(brown, 2)[0]", MaxEnt, pairs=pairs, resources=BROWN),
        fitted(train, "word[0] & word[1]\ngazetteer(places)[0]", pairs=pairs, resources=PLACES, min_count=2),
    ]
    pool = OpinionPool(members, weights=[0.5, 0.2, 0.3])
    one = pool.merge()
    assert type(one) is CRF
    same(pool, one, test)
    # Features that members share are one row.
    assert one.feature_count <= len(set().union(*map(feature_names, members)))
    names = ["word[0]=to", "word[0]=Oslo"]
    expected = 0.5 * members[0]._fitted().weights_of(names) + 0.2 * members[1]._fitted().weights_of(names)
    assert close(one._fitted().weights_of(names), expected, within=1e-6)


def test_maxents_merge_into_a_maxent(train, test):
    pool = OpinionPool([fitted(train, text, MaxEnt) for text in ("word[-1..1]", "shape(word)[-1..1]")])
    one = pool.merge()
    assert type(one) is MaxEnt
    same(pool, one, test)


def test_one_member_stays_itself(train, test):
    member = fitted(train, "word[-1..1]")
    one = OpinionPool([member]).merge()
    assert one.predict(test) == member.predict(test)
    assert one.weight_count == member.weight_count


def test_nested_pools(train, test):
    members = [fitted(train, text) for text in ("word[-1..1]", "shape(word)[-1..1]", "suffix(word, 2)[0]")]
    pool = OpinionPool([OpinionPool(members[:2], weights=[0.3, 0.7]), members[2]], weights=[0.6, 0.4])
    same(pool, pool.merge(), test)


def test_the_merged_expert_is_an_expert(train, test, tmp_path):
    pool = OpinionPool([fitted(train, text) for text in ("word[-1..1]\n[a]\nshape(word)[0]", "suffix(word, 2)[0]\nword[0]")])
    one = pool.merge()
    one.save(tmp_path / "one")
    assert tagpool.load(tmp_path / "one").predict(test) == pool.predict(test)
    assert pickle.loads(pickle.dumps(one)).predict(test) == pool.predict(test)
    assert top_features(one, top=1)["B-PER"].positive
    assert one.summary_["weights"] == [0.5, 0.5]
    assert one.summary_["label"] == "label"
    assert to_bytes(one) == to_bytes(pool.merge())
    # It can be trained further: it has templates, weights and names.
    one.partial_fit(train)
    assert one.score(train) > pool.score(train)


def test_a_member_from_a_file(train, test, tmp_path):
    one, two = fitted(train, "word[-1..1]\ngazetteer(places)[0]", resources=PLACES), fitted(train, "suffix(word, 2)[0]")
    one.save(tmp_path / "one")
    pool = OpinionPool([tagpool.load(tmp_path / "one"), two], weights=[0.4, 0.6])
    same(pool, pool.merge(), test)
    # Lexicons with equal content are equal, from a file or not.
    again = OpinionPool([tagpool.load(tmp_path / "one"), one])
    same(again, again.merge(), test)


def test_pools_that_do_not_merge(train, tmp_path):
    plain = fitted(train, "word[0]")
    features = [[[f"w={w}"] for w in words] for words in train.words]
    cases = {
        "transition features": [fitted(train, "word[0]\nlabel[-1] & shape(word)[0]"), plain],
        "given features, others on words": [CRF(trainer=SGD(epochs=1)).fit(features, train.labels), plain],
        '"boundary off"': [fitted(train, "boundary off\nword[-1]"), plain],
        "means different things": [
            fitted(train, "gazetteer(places)[0]", resources=PLACES),
            fitted(train, "gazetteer(places)[0]", resources={"places": Gazetteer({"some": NAMES[::2]})}),
        ],
        '"x" means different things': [fitted(train, "x: word[0]"), fitted(train, "x: word[1]")],
    }
    for message, members in cases.items():
        with pytest.raises(InputError, match=message):
            OpinionPool(members).merge()
    plain.save(tmp_path / "nameless", names=False)
    with pytest.raises(InputError, match="without names"):
        OpinionPool([tagpool.load(tmp_path / "nameless"), plain]).merge()
    fixed = Fixed([Lattice(np.zeros((1, 2)), np.zeros((2, 2)))], ("A", "B"))
    with pytest.raises(InputError, match="a member is a Fixed"):
        OpinionPool([fixed]).merge()
    bagged = BaggingPool(CRF("word[0]\n[a]\nword[1]", trainer=SGD(epochs=1)), combine="transition-mixture").fit(train)
    with pytest.raises(InputError, match="only a sequence-product merges"):
        bagged.merge()
