"""The logarithmic opinion pool: equal to brute force, its gradient to finite differences, its merged model to itself."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from oracles.enumeration import Enumeration
from pools.tiny_pools import Fixed, Tiny, close, tinies
from sklearn.base import clone

import tagpool
from tagpool import CRF, SGD, Corpus, InputError, Lattice, MaxEnt, NotFittedError, OpinionPool
from tagpool.pools.weight_learning import HeldOut, product_likelihood

TEMPLATES = ("word[-1..1]\nshape(word)[0]", "suffix(word, 1..3)[0]\nword[0]", "shape(word)[-1..1]")


@pytest.fixture(scope="module")
def train() -> Corpus:
    return tagpool.builtin_corpus(150, seed=4)


@pytest.fixture(scope="module")
def dev() -> Corpus:
    return tagpool.builtin_corpus(60, seed=4, part="dev")


@pytest.fixture(scope="module")
def members(train):
    kinds = (CRF, MaxEnt, CRF)
    return [kind(text, trainer=SGD(epochs=3)).fit(train) for kind, text in zip(kinds, TEMPLATES, strict=True)]


def product(tiny: Tiny, shares) -> dict[tuple[int, ...], float]:
    """P(y) ∝ Π_j P_j(y)^α_j, sequence by sequence."""
    result = tiny.probabilities()
    weights = {y: math.prod(item[y] ** share for item, share in zip(result, shares, strict=True)) for y in result[0]}
    total = math.fsum(weights.values())
    return {y: weight / total for y, weight in weights.items()}


@given(tinies())
def test_the_pool_is_the_product_of_its_members(tiny):
    pool = OpinionPool(tiny.taggers(), weights=tiny.shares)
    (lattice,) = pool.lattices([tiny.sentence])
    for labels, probability in product(tiny, tiny.shares).items():
        assert lattice.log_probability(labels) == pytest.approx(math.log(probability), abs=1e-9)
    (best,) = pool.predict([tiny.sentence])
    expected = product(tiny, tiny.shares)
    assert expected[tuple(tiny.labels.index(item) for item in best)] == pytest.approx(max(expected.values()), rel=1e-9)
    (marginals,) = pool.predict_marginals([tiny.sentence])
    for t in range(len(tiny.sentence)):
        for label in range(len(tiny.labels)):
            assert marginals[t, label] == pytest.approx(sum(p for y, p in expected.items() if y[t] == label), abs=1e-9)


@given(tinies())
def test_pools_nest(tiny):
    inner = OpinionPool(tiny.taggers(), weights=tiny.shares)
    outer = OpinionPool([inner, tiny.taggers()[0]], weights=[0.25, 0.75])
    flat = np.append(0.25 * tiny.shares, 0.75)
    (result,) = outer.lattices([tiny.sentence])
    expected = Lattice.combine([*tiny.lattices(), tiny.lattices()[0]], flat)
    assert close(result.nodes, expected.nodes)
    assert close(result.edges, expected.edges)


@given(tinies())
@settings(max_examples=50)
def test_likelihood_and_its_gradient(tiny):
    """Against brute force and central differences; edges that vary and edges that do not."""
    function = product_likelihood(_held_out(tiny))
    shares = tiny.shares * 1.3
    value, gradient = function(shares)
    assert value == pytest.approx(math.log(product(tiny, shares)[tuple(tiny.gold)]), abs=1e-8)
    step = 1e-5
    for j in range(len(shares)):
        there, here = shares.copy(), shares.copy()
        there[j] += step
        here[j] -= step
        assert gradient[j] == pytest.approx((function(there)[0] - function(here)[0]) / (2 * step), abs=1e-5)


def _held_out(tiny: Tiny) -> HeldOut:
    """As if the members had their scores at once."""

    class Batch(OpinionPool):
        def scored(self, sentences):
            lattice = self.members[0].lattices(sentences)[0]
            T, L = lattice.nodes.shape
            edges = lattice.edges if lattice.edges.ndim == 2 else np.concatenate([np.zeros((1, L, L)), lattice.edges])
            offsets = np.array([0, T], np.uint32)
            return tagpool.experts.linear.lattices.Scored(lattice.nodes, edges, lattice.start, lattice.end, offsets)

    members = [Batch([tagger]) for tagger in tiny.taggers()]
    return HeldOut(members, [tiny.sentence], [[tiny.labels[n] for n in tiny.gold]])


def test_the_likelihood_does_not_depend_on_threads(members, dev):
    held_out = HeldOut(members, dev, dev.labels)
    shares = np.array([0.2, 0.5, 0.3])
    value, gradient = product_likelihood(held_out, 1)(shares)
    for threads in (2, 3, 7):
        again = product_likelihood(held_out, threads)(shares)
        assert again[0] == value
        assert again[1].tobytes() == gradient.tobytes()


def test_learned_shares_are_the_best(members, dev):
    """No shares of a fine grid are more likely than those on the simplex; none at all than the free ones."""
    function = product_likelihood(HeldOut(members, dev, dev.labels))
    bounded = OpinionPool(members, weights="likelihood").fit(dev).weights_
    assert bounded.sum() == pytest.approx(1)
    assert (bounded >= 0).all()
    value = function(bounded)[0]
    for a in np.linspace(0, 1, 11):
        for b in np.linspace(0, 1 - a, 6):
            assert function(np.array([a, b, 1 - a - b]))[0] <= value + 1e-6
    free = OpinionPool(members, weights="free").fit(dev).weights_
    assert function(free)[0] >= value
    assert np.abs(function(free)[1]).max() < 1e-2
    assert OpinionPool(members, weights="likelihood", threads=3).fit(dev).weights_.tobytes() == bounded.tobytes()


def test_shares_by_f1_are_the_best_of_the_grid(members, dev):
    two = members[:2]
    pool = OpinionPool(two, weights="dev").fit(dev)
    scores = [OpinionPool(two, weights=[a / 20, 1 - a / 20]).score(dev) for a in range(21)]
    assert pool.score(dev) == max(scores)
    assert OpinionPool(two, weights="dev").fit([], [], dev=dev).weights_.tolist() == pool.weights_.tolist()
    assert OpinionPool(two, weights="dev").fit(dev.words, dev.labels).weights_.tolist() == pool.weights_.tolist()


def test_among_equal_f1_the_shares_nearest_to_equal_ones():
    wrong, right = (Fixed([Lattice([scores], np.zeros((2, 2)))], ("A", "B")) for scores in ([0.0, 2.9], [1.0, 0.0]))
    pool = OpinionPool([wrong, right], weights="dev").fit([["x"]], [["A"]])
    assert pool.weights_.tolist() == [0.25, 0.75]


def test_the_pool_equals_the_sum_of_lattices(members, dev):
    pool = OpinionPool(members, weights=[0.5, 0.2, 0.3])
    expected = [Lattice.combine(item, [0.5, 0.2, 0.3]) for item in zip(*(m.lattices(dev) for m in members), strict=True)]
    for result, lattice in zip(pool.lattices(dev), expected, strict=True):
        assert close(result.nodes, lattice.nodes)
        assert close(result.edges, lattice.edges)
        assert close(result.start, lattice.start)
        assert close(result.end, lattice.end)
    names = pool.labels_
    assert pool.predict(dev) == [[names[n] for n in lattice.best().labels] for lattice in expected]
    assert list(pool) == members
    assert pool.classes_ == members[0].classes_
    assert pool.predict([]) == []
    assert pool.lattices([]) == []


def test_members_may_number_their_labels_differently(train, dev):
    backwards = Corpus.from_lists(word=train.words[::-1], label=train.labels[::-1])
    one, two = (CRF("word[-1..1]", trainer=SGD(epochs=2)).fit(item) for item in (train, backwards))
    assert one.labels_ != two.labels_
    pool = OpinionPool([one, two])
    other = OpinionPool([two, one])
    assert pool.labels_ == one.labels_
    assert pool.predict(dev) == other.predict(dev)
    order = [other.labels_.index(label) for label in pool.labels_]
    for a, b in zip(pool.predict_marginals(dev), other.predict_marginals(dev), strict=True):
        assert close(a, b[:, order])
    assert pool.merge().predict(dev) == pool.predict(dev)


def test_a_pool_of_one_is_its_member(members, dev):
    for alpha in ("uniform", [1.0], "likelihood", "dev"):
        pool = OpinionPool(members[:1], weights=alpha).fit(dev)
        assert pool.predict(dev) == members[0].predict(dev)
        for result, expected in zip(pool.predict_marginals(dev), members[0].predict_marginals(dev), strict=True):
            assert result.tobytes() == expected.tobytes()
    # So is a pool in which one has everything to say.
    pool = OpinionPool(members, weights=[0, 1, 0])
    assert pool.predict(dev) == members[1].predict(dev)


def test_features_of_transitions(train, dev):
    chains = [CRF(text, trainer=SGD(epochs=3)).fit(train) for text in ("word[0]\nlabel[-1] & shape(word)[0]", TEMPLATES[1])]
    pool = OpinionPool(chains, weights="likelihood").fit(dev)
    lattices = [Lattice.combine(item, pool.weights_) for item in zip(*(chain.lattices(dev) for chain in chains), strict=True)]
    for result, expected in zip(pool.lattices(dev), lattices, strict=True):
        assert close(result.marginals(), expected.marginals())
    names = pool.labels_
    assert pool.predict(dev) == [[names[n] for n in lattice.best().labels] for lattice in lattices]
    assert OpinionPool(chains, weights="dev").fit(dev).score(dev) >= pool.score(dev) - 1e-12


def test_given_features(train, dev):
    def features(corpus, size):
        return [[[f"w={w}", f"s={w[-size:]}"] for w in words] for words in corpus.words]

    one, two = (CRF(trainer=SGD(epochs=3), min_count=count).fit(features(train, 2), train.labels) for count in (1, 2))
    pool = OpinionPool([one, two], weights="likelihood").fit(features(dev, 2), dev.labels)
    assert pool.merge().predict(features(dev, 2)) == pool.predict(features(dev, 2))
    lattices = zip(*(member.lattices(features(dev, 2)) for member in pool), strict=True)
    for result, expected in zip(pool.lattices(features(dev, 2)), lattices, strict=True):
        assert close(result.nodes, Lattice.combine(expected, pool.weights_).nodes)


@pytest.mark.parametrize(
    ("alpha", "message"),
    [
        ([0.5, 0.6, 0.5], "expected a sum of 1, got 1.6"),
        ([0.5, 0.5], "expected 3 numbers, one per member"),
        ([-0.5, 1.0, 0.5], "expected finite numbers of at least 0"),
        ([math.nan, 1.0, 0.0], "expected finite numbers of at least 0"),
        ([math.inf, 1.0, 0.0], "expected finite numbers of at least 0"),
        (["a", "b", "c"], "expected numbers"),
        ("best", "expected 'uniform', 'dev', 'likelihood', 'free'"),
        (0.5, "expected .*a Sequence"),
    ],
)
def test_bad_shares(members, dev, alpha, message):
    for use in (lambda pool: pool.predict(dev), lambda pool: pool.fit(dev)):
        with pytest.raises(InputError, match=message):
            use(OpinionPool(members, weights=alpha))


def test_bad_members(members, train, dev):
    other = CRF("word[0]", trainer=SGD(epochs=1)).fit([["a", "b"]], [["X", "B-PER"]])
    with pytest.raises(InputError, match=r"same labels; only member 0 has .*, only member 1 has X"):
        OpinionPool([members[0], other]).predict(dev)
    with pytest.raises(NotFittedError, match="member 1, a CRF, is not fitted"):
        OpinionPool([members[0], CRF()]).predict(dev)
    assert not OpinionPool([CRF()]).is_fitted
    with pytest.raises(NotFittedError, match=r"weights='dev'\) is not fitted"):
        OpinionPool(members, weights="dev").predict(dev)
    for wrong in ([], "abc", None, members[0]):
        with pytest.raises(InputError, match=r"expected a (list of at least one tagger|Sequence)"):
            OpinionPool(wrong).predict(dev)
    with pytest.raises(InputError, match="member 1 is a int; expected a tagger"):
        OpinionPool([members[0], 3]).predict(dev)
    with pytest.raises(InputError, match="no held-out sentence has only labels that the members know"):
        OpinionPool(members, weights="likelihood").fit([["Ann"]], [["B-XYZ"]])
    with pytest.raises(InputError, match="no label column"):
        OpinionPool(members, weights="dev").fit([["Ann"]])
    forbids = Lattice(np.zeros((1, 2)), [[0.0, -np.inf], [0.0, 0.0]])
    fixed = [Fixed([forbids], ("A", "B"))] * 2
    with pytest.raises(InputError, match="without forbidden labels"):
        OpinionPool(fixed, weights="free").fit([["x"]], [["A"]])


def test_scikit_learn_conventions(members, dev):
    pool = OpinionPool(members, weights=[0.5, 0.25, 0.25])
    assert pool.get_params() == {"members": members, "weights": [0.5, 0.25, 0.25], "threads": 1}
    other = clone(pool)
    assert not other.is_fitted
    assert other.weights == pool.weights
    assert repr(pool).startswith("OpinionPool([CRF(templates=")
    assert pool.set_params(weights="uniform").weights_.tolist() == [1 / 3] * 3
    fitted = OpinionPool(list(members), weights="likelihood").fit(dev)
    fitted.members = members[:2]
    with pytest.raises(NotFittedError, match="was fitted with other members"):
        fitted.predict(dev)


def test_the_oracle_notices_a_wrong_share():
    tiny = Tiny([([[1.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]], [0.0, 0.0], [0.0, 0.0])] * 2, np.array([0.5, 0.5]), [0])
    tiny.members[1] = ([[0.0, 3.0]], *tiny.members[0][1:])
    (lattice,) = OpinionPool(tiny.taggers(), weights=[0.4, 0.6]).lattices([["x"]])
    assert lattice.log_probability([0]) != pytest.approx(math.log(product(tiny, tiny.shares)[(0,)]), abs=1e-3)
    assert Enumeration(*tiny.members[0]).probabilities()[(0,)] == pytest.approx(1 / (1 + math.exp(-1)))
