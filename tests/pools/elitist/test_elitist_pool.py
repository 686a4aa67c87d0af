"""ElitistPool: what a pool is, keeps, gives back and refuses."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import tagpool
from tagpool import CRF, Corpus, ElitistPool, InputError, MaxEnt, ModelError, NotFittedError, Scheme, builtin_corpus
from tagpool.experts.model_file import ModelFile
from tagpool.experts.saving import SaveOptions
from tagpool.pools.elitist.files import WEIGHTS, file_parts

TEMPLATES = "word[-1..1]\nshape(word)[0]\nsuffix(word, 1..3)[0]"


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return builtin_corpus(200, seed=3)


@pytest.fixture(scope="module")
def dev() -> Corpus:
    return builtin_corpus(80, seed=9)


@pytest.fixture(scope="module", params=["maxent", "crf"])
def pool(request, corpus) -> ElitistPool:
    return ElitistPool(TEMPLATES, expert=request.param, weights=[0.5, 0.2, 0.3], epochs=8, seed=2).fit(corpus)


def test_members_and_merge(pool, corpus, dev):
    kind = {"maxent": MaxEnt, "crf": CRF}[pool.expert]
    assert len(pool) == 3 == len(list(pool))
    assert all(type(member) is kind and member.is_fitted for member in pool)
    one = pool.merge()
    assert type(one) is kind
    assert one.predict(dev) == pool.predict(dev)
    for ours, theirs in zip(pool.predict_marginals(dev), one.predict_marginals(dev), strict=True):
        assert ours.tobytes() == theirs.tobytes()
    assert pool.score(corpus) > 0.9
    # The members disagree: they are not copies of the pool.
    predictions = [member.predict(dev) for member in pool]
    assert any(result != pool.predict(dev) for result in predictions)
    assert predictions[0] != predictions[1]
    assert pool[1].predict(dev) == predictions[1]


def test_the_pool_is_the_product_of_its_members(pool, dev):
    """Scores of the pool's lattices are Σ α_j of the members': so are logarithms of probabilities, up to a normaliser."""
    ours = pool.lattices(dev)
    theirs = [member.lattices(dev) for member in pool]
    for number, lattice in enumerate(ours):
        for part in ("nodes", "edges", "start", "end"):
            mixed = sum(a * getattr(item[number], part) for a, item in zip(pool.weights_, theirs, strict=True))
            assert getattr(lattice, part) == pytest.approx(mixed, abs=1e-4)
    if pool.expert == "maxent":
        products = [
            result**a for a, member in zip(pool.weights_, pool, strict=True) for result in member.predict_marginals(dev)[:1]
        ]
        product = np.prod(products, axis=0)
        assert pool.predict_marginals(dev)[0] == pytest.approx(product / product.sum(axis=1, keepdims=True), abs=1e-4)


def test_files(pool, dev, tmp_path: Path):
    path = tmp_path / "pool.tagpool"
    pool.save(path)
    again = ElitistPool.load(path)
    assert again.predict(dev) == pool.predict(dev)
    assert again.weights_.tolist() == pool.weights_.tolist()
    assert (again.expert, again.experts, again.strength) == (pool.expert, 3, pool.strength)
    for ours, theirs in zip(again, pool, strict=True):
        assert ours.predict(dev) == theirs.predict(dev)
    assert again.sharing().total.sizes == pool.sharing().total.sizes
    again.save(tmp_path / "again.tagpool")
    assert (tmp_path / "again.tagpool").read_bytes() == path.read_bytes()
    result = tagpool.load(path)
    assert type(result) is ElitistPool
    assert [item.predict(dev) for item in result] == [item.predict(dev) for item in pool]
    # Without pools it is a single model.
    single = type(pool.merge()).from_file(ModelFile.open(path))
    assert type(single) is type(pool.merge())
    assert single.predict(dev) == pool.predict(dev)
    other = pickle.loads(pickle.dumps(pool))
    assert other.predict(dev) == pool.predict(dev)
    assert other[2].predict(dev) == pool[2].predict(dev)
    assert repr(other) == repr(pool)
    pool[0].save(tmp_path / "member.tagpool")
    assert tagpool.load(tmp_path / "member.tagpool").predict(dev) == pool[0].predict(dev)
    with pytest.raises(ModelError, match=r"member\.tagpool.*expected an elitist pool"):
        ElitistPool.load(tmp_path / "member.tagpool")


def test_sharing_counts_supports(pool):
    names = tagpool.experts.saving.feature_names(pool.merge())
    has = np.array([member._fitted().weights_of(names).reshape(len(names), -1) != 0 for member in pool])
    shares = pool.sharing()
    assert shares.total.sizes == tuple(has.sum(axis=(1, 2)).tolist())
    assert shares.total.overlap[0, 2] == (has[0] & has[2]).sum() / (has[0] | has[2]).sum()
    assert shares.total.used == has.any(axis=0).sum()
    assert shares.total.exclusive == (has.sum(axis=0) == 1).sum()
    assert list(shares.templates) == [
        "word[-1]",
        "word[0]",
        "word[1]",
        "shape(word)[0]",
        *(f"suffix(word, {n})[0]" for n in (1, 2, 3)),
    ]
    of_shapes = has[:, [name.startswith("shape") for name in names]]
    assert shares.templates["shape(word)[0]"].sizes == tuple(of_shapes.sum(axis=(1, 2)).tolist())


def test_penalties_divide_features_differently(corpus):
    def trained(**options) -> ElitistPool:
        return ElitistPool(TEMPLATES, epochs=30, step=0.2, weights=[0.5, 0.3, 0.2], expert="maxent", **options).fit(corpus)

    kinds = (("elitist", 0.0), ("elitist", 3.0), ("l1", 0.3))
    free, elitist, l1 = (trained(penalty=penalty, strength=strength).sharing().total for penalty, strength in kinds)
    assert free.mean_overlap == 1.0
    # Elitist: the expert with the highest weight has the features, and none is lost. l1 removes features of all experts.
    assert elitist.sizes[0] > 1.3 * elitist.sizes[1] > 1.5 * elitist.sizes[2]
    assert l1.used < 0.2 * elitist.used
    assert elitist.used == free.used
    exact, approximate = (trained(strength=1.0, exact=exact)[2] for exact in (True, False))
    assert exact.weight_count != approximate.weight_count


def test_mu_makes_members_better(corpus, dev):
    def worst_member(mu: float) -> float:
        pool = ElitistPool(TEMPLATES, mu=mu, epochs=30, step=0.2, strength=1.0, weights=[0.5, 0.3, 0.2]).fit(corpus)
        return min(member.score(dev) for member in pool)

    assert worst_member(0.5) > worst_member(0.0) + 0.1


def test_learned_weights(corpus):
    pool = ElitistPool(TEMPLATES, weights="learned", epochs=10).fit(corpus)
    assert sum(pool.weights_) == pytest.approx(1.0)
    assert min(pool.weights_) >= 0
    assert max(pool.weights_) > 0.34
    assert ElitistPool(TEMPLATES, epochs=1).fit(corpus).weights_.tolist() == pytest.approx([1 / 3] * 3)


def test_seeds_threads_and_pairs(corpus, dev):
    def file(**options) -> bytes:
        return ElitistPool(TEMPLATES, epochs=3, **options).fit(corpus).to_bytes(SaveOptions())

    first = file(seed=5)
    assert file(seed=5) == first
    assert file(seed=5, threads=3) == first
    assert file(seed=6) != first
    observed = ElitistPool(TEMPLATES, epochs=3, expert="crf", pairs="observed").fit(corpus)
    assert observed.merge().weight_count < ElitistPool(TEMPLATES, epochs=3, expert="crf").fit(corpus).merge().weight_count
    mixed = sum(a * member._fitted().edges() for a, member in zip(observed.weights_, observed, strict=True))
    assert observed.merge()._fitted().edges() == pytest.approx(mixed, abs=1e-6)


def test_stops_early_and_keeps_the_best(corpus, dev):
    seen = []
    pool = ElitistPool(TEMPLATES, epochs=60, patience=3).fit(corpus, dev=dev, on_epoch=seen.append)
    scores = [epoch.score for epoch in seen]
    assert len(scores) < 60
    assert max(scores) not in scores[-3:]
    assert pool.score(dev) == pytest.approx(max(scores))
    assert pool.summary_["dev"] == max(scores)
    assert [epoch.number for epoch in pool.log_] == list(range(1, len(scores) + 1))
    assert pool.summary_["trainer"].startswith("ElitistTrainer(weights=(0.333")


def test_interrupted(corpus):
    def stop(epoch):
        if epoch.number == 2:
            raise KeyboardInterrupt

    pool = ElitistPool(TEMPLATES, epochs=5)
    with pytest.raises(KeyboardInterrupt):
        pool.fit(corpus, on_epoch=stop)
    assert pool.predict(corpus) == pool.merge().predict(corpus)
    assert len(list(pool)) == 3


def test_given_features_weights_and_unknown_labels(corpus):
    features = [[[f"word={word}", f"ends={word[-2:]}"] for word in sentence] for sentence in corpus.words]
    labels = [[None if number % 7 == 0 else label for number, label in enumerate(sentence)] for sentence in corpus.labels]
    pool = ElitistPool(epochs=5).fit(features, labels, sample_weight=np.linspace(0.5, 2, len(corpus)))
    assert pool.merge().predict(features) == pool.predict(features)
    assert pool[0].predict(features) != pool.predict(features)
    assert list(pool.sharing().templates) == ["ends", "word"]


def test_legal_decoding(corpus, dev):
    pool = ElitistPool(TEMPLATES, epochs=2, strength=2.0).fit(corpus)
    rules = Scheme.BIO2.constraints(pool.labels_)
    for expert in (pool, pool[0]):
        for lattice in expert.lattices(dev):
            result = [pool.labels_[number] for number in rules.constrain(lattice).best().labels]
            assert not tagpool.corpus.schemes.violations(result, "bio2")


def test_scikit_learn(corpus):
    pool = ElitistPool(TEMPLATES, experts=2, epochs=2, weights=[0.9, 0.1])
    other = clone(pool.fit(corpus))
    assert not other.is_fitted
    assert len(other) == 2
    assert other.get_params() == pool.get_params()
    assert repr(other.set_params(mu=0.5)) == repr(pool).replace("weights", "mu=0.5, weights")


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"experts": 1}, "experts=1.*from 2 to 10"),
        ({"experts": 11}, "experts=11.*from 2 to 10"),
        ({"expert": "svm"}, "expert='svm'.*'crf' or 'maxent'"),
        ({"penalty": "l2"}, "penalty='l2'.*'elitist' or 'l1'"),
        ({"strength": -1}, "strength=-1.*from 0"),
        ({"strength": float("nan")}, "strength=nan.*from 0"),
        ({"strength": float("inf")}, "strength=inf.*from 0"),
        ({"mu": 1.5}, r"mu=1\.5.*from 0 to 1"),
        ({"mu": "a"}, "mu='a'.*from 0 to 1"),
        ({"weights": "even"}, "weights='even'.*'uniform', 'learned'"),
        ({"weights": [0.5, 0.5]}, "expected 3 numbers, one per member"),
        ({"weights": [0.5, 0.7, -0.2]}, "finite numbers of at least 0"),
        ({"weights": [0.5, 0.5, 0.5]}, "expected a sum of 1, got 1.5"),
        ({"weights": ["a", "b", "c"]}, "expected numbers"),
        ({"epochs": 0}, "epochs=0.*from 1"),
        ({"batch": 0}, "batch=0.*from 1"),
        ({"step": 0.0}, r"step=0\.0.*above 0"),
        ({"patience": 0}, "patience=0"),
        ({"expert": "crf", "templates": "word[0]\nlabel[-1] & word[0]"}, "no transition features"),
    ],
)
def test_refusals(corpus, options, match):
    with pytest.raises(InputError, match=match):
        ElitistPool(**{"templates": TEMPLATES, **options}).fit(corpus)


def test_not_fitted(corpus):
    pool = ElitistPool()
    for use in (pool.predict, lambda _: pool.merge(), lambda _: list(pool), lambda _: pool.sharing(), lambda _: pool.weights_):
        with pytest.raises(NotFittedError):
            use(corpus)


@pytest.mark.parametrize(
    ("alpha", "expected"),
    [
        ("[0.5, 0.3, 0.2", "damaged pool: damaged metadata 'alpha': not valid JSON"),
        ('{"a": 1}', "damaged pool"),
        ("[]", "does not contain all members"),
        ("[0.25, 0.25, 0.25, 0.25]", "does not contain all members"),
    ],
)
def test_incomplete_files(pool, tmp_path: Path, alpha: str, expected: str):
    path = tmp_path / "damaged.tagpool"
    texts, arrays = file_parts(pool, False)
    path.write_bytes(pool.merge()._fitted().write(texts | {"kind": pool.expert, WEIGHTS: alpha}, arrays, False))
    with pytest.raises(ModelError, match=rf"damaged\.tagpool.*{expected}"):
        tagpool.load(path)


def test_members_with_other_labels_are_refused(pool, corpus, tmp_path: Path):
    path = tmp_path / "damaged.tagpool"
    texts, arrays = file_parts(pool, False)
    other = MaxEnt("word[0]").fit([["a", "b"]], [["X", "Y"]])._fitted().write({}, {}, False)
    path.write_bytes(pool.merge()._fitted().write(texts | {"kind": pool.expert}, arrays | {"member1": other}, False))
    with pytest.raises(ModelError, match=r"damaged\.tagpool.*other labels"):
        tagpool.load(path)


def test_an_elitist_pool_in_a_pool_is_restored_with_its_members(pool, dev, tmp_path: Path):
    tagpool.OpinionPool([pool, pool[1]]).save(tmp_path / "pool")
    again = list(tagpool.load(tmp_path / "pool"))
    assert [type(member) for member in again] == [ElitistPool, type(pool[1])]
    assert [member.predict(dev) for member in again[0]] == [member.predict(dev) for member in pool]
