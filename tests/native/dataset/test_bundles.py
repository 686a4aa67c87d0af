"""Bundles, the feature sets that tokens share, give the same losses and gradients."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.training import Problem

from tagpool import CRF, LBFGS, OWLQN, MaxEnt, _native, builtin_corpus

NONE = np.zeros(0, np.float32)
WINDOW = "word[-1..1]\nshape(word)[-1..1]\nsuffix(word, 1..3)[-1..1]\nprefix(word, 1..3)[0]"


def words_with_properties(sentences: int, words: int, labels: int, seed: int, missing: float = 0.0) -> Problem:
    """Tokens of a few words, each of which brings the same features along; some are ``missing``, some are the token's own."""
    rng = np.random.default_rng(seed)
    properties = rng.integers(0, 3 * words, (words, 5)) + words
    separate = 4 * words
    rows, gold = [], []
    for _ in range(sentences):
        sentence = []
        for word in rng.integers(0, words, rng.integers(1, 9)):
            stored = [int(p) for p in properties[word] if rng.random() >= missing]
            sentence.append([(k, 1.0) for k in [int(word), *stored, separate + int(rng.integers(0, 10))]])
        rows.append(sentence)
        gold.append([int(y) for y in rng.integers(0, labels, len(sentence))])
    return Problem(rows, gold, separate + 10, labels)


@pytest.mark.parametrize("chain", [True, False])
@settings(max_examples=30, deadline=None)
@given(
    all_pairs=st.booleans(),
    twins=st.booleans(),
    labels=st.integers(2, 20),
    words=st.integers(1, 12),
    missing=st.sampled_from([0.0, 0.0, 0.3]),
    seed=st.integers(0, 1000),
)
def test_loss_and_gradient_are_those_of_feature_by_feature(
    chain: bool, all_pairs: bool, twins: bool, labels: int, words: int, missing: float, seed: int
) -> None:
    problem = words_with_properties(60, words, labels, seed, missing)
    plain, bundled = (problem.training_set(all_pairs=all_pairs, merge_twins=twins, bundle=bundle) for bundle in (False, True))
    assert plain.bundle_count == 0
    at = np.random.default_rng(seed).normal(size=plain.parameter_count if chain else plain.cell_count)
    slow, fast = (_native.Objective(item, chain, 0.7, NONE, 1)(at) for item in (plain, bundled))
    assert fast[0] == pytest.approx(slow[0], rel=1e-12)
    np.testing.assert_allclose(fast[1], slow[1], rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("all_pairs", [True, False])
def test_bundles_are_found_where_features_come_together(all_pairs: bool) -> None:
    together = words_with_properties(200, 10, 4, seed=1).training_set(all_pairs=all_pairs, bundle=True)
    assert 0 < together.bundle_count <= 10 * 8  # a word is one bundle in each of at most eight parts
    rng = np.random.default_rng(2)
    rows = [[[(int(k), 1.0) for k in rng.permutation(500)[:6]] for _ in range(5)] for _ in range(100)]
    apart = Problem(rows, [[0, 1, 2, 3, 0]] * 100, 500, 4).training_set(all_pairs=all_pairs, bundle=True)
    assert apart.bundle_count == 0


def test_features_with_values_are_left_as_they_are() -> None:
    rows = [[[(0, 0.5), (1, 2.0), (2, 1.0)] for _ in range(4)] for _ in range(50)]
    problem = Problem(rows, [[0, 1, 0, 1]] * 50, 3, 2)
    assert problem.training_set(all_pairs=True, bundle=True).bundle_count == 0


@pytest.mark.parametrize("chain", [True, False])
def test_threads_do_not_matter(chain: bool) -> None:
    training = words_with_properties(300, 15, 5, seed=3).training_set(all_pairs=False, bundle=True)
    assert training.bundle_count > 0
    at = np.random.default_rng(4).normal(size=training.parameter_count if chain else training.cell_count)
    (one, first), (two, second) = (_native.Objective(training, chain, 0.7, NONE, threads)(at) for threads in (1, 3))
    assert one == two
    assert np.array_equal(first, second)


@pytest.mark.parametrize(
    "expert",
    [
        CRF(WINDOW, l1=0.1, trainer=OWLQN()),
        MaxEnt(WINDOW, trainer=LBFGS()),
        CRF(WINDOW + "\nlabel[-1] & word[0]", trainer=LBFGS()),
    ],
)
def test_an_expert_reaches_the_same_optimum(expert: CRF | MaxEnt, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = builtin_corpus(100)
    trainer = type(expert.trainer)
    bundled = expert.fit(corpus).log_[-1].loss
    monkeypatch.setattr(trainer, "full_batch", False)
    assert bundled == pytest.approx(expert.fit(corpus).log_[-1].loss, rel=1e-4)


def test_stochastic_descent_can_come_first() -> None:
    """L-BFGS warms up by stochastic descent on the same training set, which has the tokens' own lists beside the bundles."""
    problem = words_with_properties(100, 10, 4, seed=5)
    plain, bundled = (problem.training_set(all_pairs=False, bundle=bundle) for bundle in (False, True))
    assert bundled.bundle_count > 0
    first, second = (
        _native.Sgd(item, True, _native.SgdOptions(l2=1.0, step=0.1, average_from=1, seed=1), NONE) for item in (plain, bundled)
    )
    assert [first.epoch() for _ in range(3)] == pytest.approx([second.epoch() for _ in range(3)], rel=1e-5)
