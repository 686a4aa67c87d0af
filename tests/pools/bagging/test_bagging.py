"""BaggingPool: members of bags, trained in parallel; the result does not depend on the threads."""

from __future__ import annotations

import copy
import math
import pickle
import random
import threading

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import tagpool
from tagpool import CRF, SGD, BaggingPool, Corpus, ElitistPool, InputError, MaxEnt, NotFittedError, OpinionPool, TemplateError
from tagpool.experts.saving import SaveOptions, feature_names, to_bytes
from tagpool.pools.combination import COMBINATIONS
from tagpool.pools.weight_learning import HeldOut, maximise_f1, maximise_likelihood

TEMPLATES = "word[0]\n[shapes]\nshape(word)[-1..1]\n[endings]\nsuffix(word, 1..3)[0]\n[near]\nword[-1]\nword[1]"
ALL = ("sequence-product", *COMBINATIONS)
LEARNED = [("uniform", ALL), ("dev", ALL), ("kfold", ALL), ("likelihood", ALL[::2]), ("em", ALL[1::2])]


@pytest.fixture(scope="module")
def train() -> Corpus:
    return tagpool.builtin_corpus(120, seed=8)


@pytest.fixture(scope="module")
def dev() -> Corpus:
    return tagpool.builtin_corpus(50, seed=8, part="dev")


def crf(**parameters) -> CRF:
    return CRF(TEMPLATES, trainer=SGD(epochs=3), **parameters)


def test_members_are_the_experts_of_their_bags(train, dev):
    bagged = BaggingPool(crf(l2=0.3)).fit(train)
    assert bagged.names_ == ("shapes", "endings", "near")
    assert bagged.bags_ == {name: (name,) for name in bagged.names_}
    assert len(bagged) == 3
    templates = tagpool.load_templates(TEMPLATES)
    for name, member in zip(bagged.names_, bagged, strict=True):
        alone = CRF(templates.restrict(name), l2=0.3, trainer=SGD(epochs=3), inner_scheme="same").fit(train)
        assert to_bytes(member) == to_bytes(alone)
    pool = OpinionPool(list(bagged))
    assert bagged.predict(dev) == pool.predict(dev)
    assert bagged.merge().predict(dev) == bagged.predict(dev)
    assert bagged.summary_["near"]["sentences"] == len(train)


@pytest.mark.parametrize(("alpha", "combine"), [(alpha, item) for alpha, several in LEARNED for item in several])
def test_the_bytes_do_not_depend_on_the_threads(alpha, combine, train, dev):
    bags = {"shapes": ["shapes"], "both": ["endings", "near"]}
    result = []
    for threads in (1, 2, 5):
        bagged = BaggingPool(crf(), bags=bags, combine=combine, weights=alpha, threads=threads).fit(train, dev=dev)
        assert (bagged.weights_ >= 0).all()
        assert bagged.weights_.sum() == pytest.approx(1)
        assert all(np.allclose(item.sum(axis=1), 1) for item in bagged.predict_marginals(dev))
        result.append((bagged.to_bytes(SaveOptions()), bagged.predict(dev)))
    assert result[1:] == result[:-1]


@pytest.mark.parametrize("combine", ALL)
def test_weights_of_the_best_f1(combine, train, dev):
    two = {"shapes": ["shapes"], "endings": ["endings"]}
    bagged = BaggingPool(crf(), bags=two, combine=combine, weights="dev").fit(train, dev=dev)
    scores = [
        BaggingPool(crf(), bags=two, combine=combine, weights=[share, 1 - share]).fit(train, dev=dev).score(dev)
        for share in (0.0, 0.25, 0.5, 0.75, 1.0)
    ]
    assert bagged.score(dev) >= max(scores)


def test_folds_need_no_dev_set(train):
    expert, two = CRF(TEMPLATES, l2=0.05), {"endings": ["endings"], "near": ["near"]}
    by_folds = BaggingPool(expert, bags=two, weights="likelihood", folds=3).fit(train)
    # In-sample weights differ: the member that overfits most has a higher weight.
    in_sample = OpinionPool(list(by_folds), weights="likelihood").fit(train)
    assert np.abs(by_folds.weights_ - in_sample.weights_).max() > 0.01
    again = BaggingPool(expert, bags=two, weights="likelihood", folds=3, seed=2).fit(train)
    assert again.weights_.tolist() != by_folds.weights_.tolist()
    # A label that only one fold has is not an error.
    rare = Corpus.from_lists(word=[*train.words, ["Zzz"]], label=[*train.labels, ["B-RARE"]])
    for alpha in ("likelihood", "kfold"):
        assert "B-RARE" in BaggingPool(crf(), weights=alpha).fit(rare).labels_


@pytest.mark.parametrize("weights", ["likelihood", "kfold"])
def test_fold_weights_come_from_sentences_that_the_members_have_not_seen(weights, train):
    two = {"endings": ["endings"], "near": ["near"]}
    order = list(range(len(train)))
    random.Random(1).shuffle(order)
    folds = [sorted(order[fold * 40 : (fold + 1) * 40]) for fold in range(3)]
    templates = tagpool.load_templates(TEMPLATES)
    unseen, seen = [], []
    for fold in folds:
        rest = train.select(sorted(set(order) - set(fold)))
        members = [CRF(templates.restrict(name), l2=0.05).fit(rest) for name in two]
        unseen.append(HeldOut(members, train.select(fold), train.select(fold).labels))
        seen.append(HeldOut(members, rest, rest.labels))
    learn = maximise_likelihood if weights == "likelihood" else maximise_f1
    pool = BaggingPool(CRF(TEMPLATES, l2=0.05), bags=two, weights=weights, folds=3).fit(train)
    assert pool.weights_.tolist() == learn(unseen, "sequence-product").tolist()
    assert pool.weights_.tolist() != learn(seen, "sequence-product").tolist()


def test_bags_may_overlap_or_be_the_base(train, dev):
    bags = {"most": ["shapes", "endings"], "few": ["base"], "shapes": ["shapes"]}
    bagged = BaggingPool(crf(), bags=bags, weights=[0.5, 0.2, 0.3]).fit(train)
    assert bagged.bags_ == {name: tuple(item) for name, item in bags.items()}
    assert all(name.startswith("word[0]") for name in feature_names(bagged.members_[1]))
    assert bagged.merge().predict(dev) == bagged.predict(dev)


def test_weights_may_be_an_array(train):
    bagged = [
        BaggingPool(CRF(TEMPLATES, trainer=SGD(epochs=2)), weights=alpha)
        for alpha in ([0.5, 0.3, 0.2], np.array([0.5, 0.3, 0.2]))
    ]
    one, other = (pool.fit(train) for pool in bagged)
    assert one.weights_.tolist() == other.weights_.tolist() == [0.5, 0.3, 0.2]
    assert one.predict(train) == other.predict(train)


@pytest.mark.parametrize("combine", ALL)
def test_one_bag_is_its_expert(combine, train, dev):
    one = "word[0]\n[shapes]\nshape(word)[-1..1]"
    alone = CRF(one, trainer=SGD(epochs=3)).fit(train)
    bagged = BaggingPool(CRF(one, trainer=SGD(epochs=3)), combine=combine, weights="kfold").fit(train)
    assert bagged.predict(dev) == alone.predict(dev)
    for a, b in zip(bagged.predict_marginals(dev), alone.predict_marginals(dev), strict=True):
        assert a.tobytes() == b.tobytes()


def test_other_experts_and_inputs(train, dev):
    maxents = BaggingPool(MaxEnt(TEMPLATES, trainer=SGD(epochs=3)), combine="transition-mixture").fit(train)
    assert maxents.score(dev) > 0.2
    words, labels = train.words, [[None if i % 7 == 0 else label for i, label in enumerate(row)] for row in train.labels]
    bagged = BaggingPool(crf(), weights="dev").fit(words, labels, dev=(dev.words, dev.labels))
    assert bagged.predict([["Ann", "left"]])
    with pytest.raises(InputError, match="no held-out sentence has labels for all its tokens"):
        BaggingPool(crf(), weights="kfold").fit(words, labels)
    weights = np.arange(len(train)) % 2
    half = BaggingPool(crf(), weights="kfold").fit(train, sample_weight=weights)
    assert half.predict(dev) != BaggingPool(crf(), weights="kfold").fit(train).predict(dev)


def test_epochs_are_reported_and_may_stop_training(train):
    reported = []

    def stop_after_two(name, epoch):
        reported.append((name, epoch.number))
        return epoch.number < 2 or name != "near"

    bagged = BaggingPool(crf(), threads=3).fit(train, on_epoch=stop_after_two)
    assert sorted(reported) == sorted([(n, e) for n in ("shapes", "endings") for e in (1, 2, 3)] + [("near", 1), ("near", 2)])
    assert [len(member.log_) for member in bagged] == [3, 3, 2]


def test_an_error_ends_the_other_trainings(train):
    count = threading.active_count()

    def fail(name, epoch):
        raise KeyError(name)

    with pytest.raises(KeyError):
        BaggingPool(CRF(TEMPLATES, trainer=SGD(epochs=1000)), threads=2).fit(train, on_epoch=fail)
    assert threading.active_count() == count


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"combine": "vote"}, InputError, "expected 'sequence-product', 'sequence-mixture'"),
        ({"weights": "best"}, InputError, "expected 'uniform', 'dev', 'kfold', 'em', 'likelihood'"),
        ({"weights": [0.5, 0.5]}, InputError, "expected 3 numbers"),
        ({"weights": [0.5, 0.5, 0.5]}, InputError, "a sum of 1, got 1.5"),
        ({"weights": [math.nan, 0.5, 0.5]}, InputError, "finite numbers of at least 0"),
        ({"weights": "em"}, InputError, "is for mixtures"),
        ({"weights": "likelihood", "combine": "sequence-mixture"}, InputError, "is for products"),
        ({"weights": "dev"}, InputError, "needs dev sentences"),
        ({"weights": "kfold", "folds": 1}, InputError, "folds=1.: expected a whole number from 2"),
        ({"weights": "kfold", "folds": 1000}, InputError, "folds=1000: expected 2 to 120, the number of sentences"),
        ({"threads": 0}, InputError, "threads=0"),
        ({"bags": {"a": ["shape"]}}, TemplateError, "there is no bag 'shape'; the bags are base, shapes, endings, near"),
        ({"bags": {"a": []}}, InputError, "is empty"),
        ({"bags": {"a": "shapes"}}, InputError, "expected a list of bag names"),
        ({"bags": {}}, InputError, "expected None, 'auto', a dict"),
        ({"bags": "all"}, InputError, "bags='all'.: expected 'auto'"),
        ({"expert": "crf"}, InputError, "expected a"),
        ({"expert": ElitistPool("word[0]")}, InputError, "expected an unfitted CRF or MaxEnt"),
        ({"expert": CRF("word[0]")}, InputError, "expected at least two kinds of templates"),
        ({"expert": CRF("nothing")}, TemplateError, "neither a file nor a preset"),
        ({"expert": CRF("[some]\nword[0]\n[none]\ndigits(word)[0]", min_count=40)}, InputError, "bag 'none'.*no feature is left"),
        ({"expert": CRF("[a]\nword[0]\n[b]\nword[1]"), "bags": {"x": ["base"]}}, TemplateError, "no template is left"),
    ],
)
def test_bad_parameters(parameters, error, message, train):
    bagged = BaggingPool(crf())
    with pytest.raises(error, match=message):
        bagged.set_params(**parameters).fit(train)
    assert not bagged.is_fitted
    with pytest.raises(NotFittedError, match="is not fitted"):
        bagged.predict(train)


def test_given_features_have_no_bags(train):
    with pytest.raises(InputError, match="given features have no bags"):
        BaggingPool(crf()).fit([[["w=a"]]], [["A"]])


def test_scikit_learn_conventions(train):
    bagged = BaggingPool(crf(l2=0.5), weights="uniform")
    other = clone(bagged)
    assert other.expert is not bagged.expert
    assert other.get_params()["expert__l2"] == 0.5
    other.set_params(expert__l2=2.0, combine="transition-product")
    assert (bagged.expert.l2, bagged.combine) == (0.5, "sequence-product")
    assert not other.is_fitted
    assert bool(other)
    assert "combine='transition-product'" in repr(other)
    search = GridSearchCV(bagged, {"expert__l2": [0.1, 100.0], "combine": ["sequence-product", "transition-mixture"]}, cv=2)
    search.fit(train.words, train.labels)
    assert search.best_params_["expert__l2"] == 0.1
    assert not bagged.expert.is_fitted


def test_copies_are_the_same(train, dev):
    bagged = BaggingPool(crf(), combine="sequence-mixture", weights="em").fit(train, dev=dev)
    for other in (copy.deepcopy(bagged), pickle.loads(pickle.dumps(bagged))):
        assert other.predict(dev) == bagged.predict(dev)
        assert other.weights_.tobytes() == bagged.weights_.tobytes()
    pool = OpinionPool(list(bagged), weights="likelihood").fit(dev)
    assert pickle.loads(pickle.dumps(pool)).predict(dev) == copy.deepcopy(pool).predict(dev) == pool.predict(dev)


def test_missing_features_cost_less():
    """Undertraining (BAGGING, section 3): without a strong feature, bags are better than one expert on all features."""

    def with_clues(corpus, there):
        clues = [[label.partition("-")[2] or "O" if there else "none" for label in row] for row in corpus.labels]
        return Corpus.from_lists(word=corpus.words, clue=clues, label=corpus.labels)

    train = with_clues(tagpool.builtin_corpus(600, seed=2), True)
    blank = with_clues(tagpool.builtin_corpus(300, seed=2, part="test"), False)
    expert = CRF("shape(word)[-1..1]\n[words]\nword[-1..1]\nsuffix(word, 1..3)[0]\n[clues]\nclue[0]", l2=0.1)
    assert BaggingPool(expert).fit(train).score(blank) > clone(expert).fit(train).score(blank) + 0.05
