"""Dropout: an epoch is an epoch on the sentences without what was left out, which follows from the seed alone."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.training import Problem, random_numbers, random_problem, shuffled

from tagpool import CRF, SGD, MaxEnt, _native, builtin_corpus
from tagpool.errors import InputError

NONE = np.zeros(0, np.float32)
MASK = 2**64 - 1
ALWAYS = 2**16 - 1


def chance(seed: int, visit: int, what: int) -> float:
    """Uniform in [0, 1), as native/dataset/dropout.cpp has it: SplitMix64's finaliser over visit and feature, or group."""

    def mixed(x: int) -> int:
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
        x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
        return x ^ x >> 31

    first = mixed(seed + (visit + 1) * 0x9E3779B97F4A7C15 & MASK)
    return mixed(first + what * 0xD1342543DE82EF95 & MASK) / 2**64


def thinned(problem: Problem, order: list[int], rate: float, seed: int, row_of: list[int], groups: list[int] | None) -> Problem:
    """The sentences as an epoch meets them."""
    rows: list[list[list[tuple[int, float]]]] = [[] for _ in problem.rows]
    for visit, sentence in enumerate(order):
        for position, token in enumerate(problem.rows[sentence]):
            stored = []
            for feature, value in token:
                if groups is not None and groups[feature] == ALWAYS:
                    stored.append((feature, value))
                    continue
                what = position << 32 | row_of[feature] if groups is None else groups[feature]
                if chance(seed, visit, what) >= rate:
                    stored.append((feature, value / (1 - rate)))
            rows[sentence].append(stored)
    return Problem(rows, problem.gold, problem.features, problem.labels)


@pytest.mark.parametrize("chain", [True, False])
@pytest.mark.parametrize("groups", [None, [0, 0, 1, 1, 2, 2, ALWAYS, ALWAYS, ALWAYS]])
def test_an_epoch_is_one_on_what_was_kept(chain: bool, groups: list[int] | None) -> None:
    problem, seed, rate = random_problem(40, 5, 4, 9, seed=7), 11, 0.4
    training = problem.training_set(all_pairs=True)
    supplied = None if groups is None else np.array(groups, np.uint16)
    learner = _native.Sgd(
        training,
        chain,
        _native.SgdOptions(l2=0.0, step=0.2, average_from=1, seed=seed, batch=3, threads=1, dropout=rate),
        NONE,
        supplied,
    )
    stored = thinned(problem, shuffled(40, random_numbers(seed)), rate, seed, rows_of(training), groups)
    plain = _native.Sgd(
        stored.training_set(all_pairs=True),
        chain,
        _native.SgdOptions(l2=0.0, step=0.2, average_from=1, seed=seed, batch=3, threads=1),
        NONE,
    )
    assert learner.epoch() == pytest.approx(plain.epoch(), rel=1e-5)
    np.testing.assert_allclose(learner.parameters(), plain.parameters(), atol=1e-5)
    other = _native.Sgd(
        training,
        chain,
        _native.SgdOptions(l2=0.0, step=0.2, average_from=1, seed=seed + 1, batch=3, threads=1, dropout=rate),
        NONE,
        supplied,
    )
    other.epoch()
    assert not np.allclose(other.parameters(), learner.parameters(), atol=1e-3)


def rows_of(training: _native.TrainingSet) -> list[int]:
    return [training.row_of(feature) for feature in range(training.cell_count // 4)]


@pytest.mark.parametrize("drop", ["features", "templates", "bags"])
@pytest.mark.parametrize("expert", [CRF, MaxEnt])
@pytest.mark.parametrize("pairs", ["all", "observed"])
def test_experts_with_dropout_are_the_same_whatever_the_threads(drop: str, expert: type[CRF], pairs: str) -> None:
    corpus = builtin_corpus(60)
    text = "word[-1..1]\n[ends]\nsuffix(word, 1..3)[0]\n[shapes]\nshape(word)[0]"
    result = [
        expert(text, pairs=pairs, threads=threads, trainer=SGD(epochs=3, dropout=0.3, drop=drop)).fit(corpus)
        for threads in (1, 2)
    ]
    assert [item.loss for item in result[0].log_] == [item.loss for item in result[1].log_]
    assert result[0].predict(corpus) == result[1].predict(corpus)
    assert result[0].log_[-1].loss != expert(text, pairs=pairs, trainer=SGD(epochs=3)).fit(corpus).log_[-1].loss


def test_units_of_dropout_differ() -> None:
    corpus = builtin_corpus(60)
    text = "word[-1..1]\n[ends]\nsuffix(word, 1..3)[0]\n[shapes]\nshape(word)[0]"
    trainers = [SGD(epochs=2, dropout=0.3, drop=drop) for drop in ("features", "templates", "bags")]
    assert len({CRF(text, trainer=trainer).fit(corpus).log_[-1].loss for trainer in trainers}) == 3


def test_a_strong_clue_that_is_missing_at_times_leaves_more_to_the_weak_ones() -> None:
    # One feature gives every label away; six others do so three times out of four.
    random = np.random.default_rng(3)
    gold = random.integers(0, 2, (300, 4))
    noisy = np.where(random.random((300, 4, 6)) < 0.75, gold[..., None], 1 - gold[..., None])
    features = [
        [[*(f"weak{k}={v}" for k, v in enumerate(token)), f"strong={y}"] for token, y in zip(sentence, row, strict=True)]
        for sentence, row in zip(noisy, gold, strict=True)
    ]
    labels = [["ab"[y] for y in sentence] for sentence in gold]

    def evidence(model: MaxEnt, *names: str) -> float:
        probabilities = model.predict_marginals([[list(names)]])[0][0]
        return float(abs(np.log(probabilities[0] / probabilities[1])))

    shares = {}
    for rate in (0.0, 0.5):
        model = MaxEnt(trainer=SGD(epochs=30, dropout=rate)).fit(features, labels)
        shares[rate] = evidence(model, *(f"weak{k}=1" for k in range(6))) / evidence(model, "strong=1")
    assert shares[0.5] > 1.2 * shares[0.0]


@pytest.mark.parametrize("rate", [1.0, -0.1, float("nan"), "much", True])
def test_rates_that_cannot_be(rate: object) -> None:
    with pytest.raises(InputError, match="from 0 to less than 1"):
        CRF("word[0]", trainer=SGD(dropout=rate)).fit(builtin_corpus(5))  # type: ignore[arg-type]


def test_groups_that_cannot_be() -> None:
    corpus = builtin_corpus(5)
    with pytest.raises(InputError, match=r"features.*templates.*bags"):
        CRF("word[0]", trainer=SGD(dropout=0.1, drop="words")).fit(corpus)
    with pytest.raises(InputError, match="no \\[bags\\]"):
        CRF("word[0]", trainer=SGD(dropout=0.1, drop="bags")).fit(corpus)
    with pytest.raises(InputError, match="given features have no bags"):
        CRF(trainer=SGD(dropout=0.1, drop="bags")).fit([[["a"], ["b"]]], [["x", "y"]])
