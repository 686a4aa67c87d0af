"""The online learner against a dense version of its algorithm, and the models it makes against what they stand for."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles.online import DenseLearner, OnlineProblem, Settings

from tagpool import GivenEncoder, _native


@st.composite
def problems(draw: st.DrawFn) -> OnlineProblem:
    features, labels = draw(st.integers(2, 6)), draw(st.integers(2, 4))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))

    def keys(count: int) -> list[int]:
        return [int(key) for key in random.integers(0, 2**64, count, np.uint64)]

    value = st.sampled_from([1.0] * 8 + draw(st.sampled_from([[], [0.5, -2.0]])))
    token = st.lists(st.tuples(st.integers(0, features - 1), value), max_size=5)
    rows = draw(st.lists(st.lists(token, min_size=1, max_size=5), min_size=1, max_size=6))
    gold = [[draw(st.integers(-1, labels - 1)) for _ in sentence] for sentence in rows]
    problem = OnlineProblem(rows, gold, features, labels, keys(features), keys(labels + 1))
    if draw(st.booleans()):
        problem.backs = draw(st.lists(st.sampled_from([[1], [2], [1, 2], [3, 1]]), min_size=1, max_size=3))
        problem.history_templates = [draw(st.integers(0, len(problem.backs) - 1)) for _ in range(draw(st.integers(1, 4)))]
        problem.history_keys = keys(len(problem.history_templates))
        static = st.lists(st.integers(0, len(problem.history_templates) - 1), max_size=3, unique=True)
        problem.history = [[draw(static) for _ in sentence] for sentence in rows]
    if draw(st.booleans()):
        problem.weights = [draw(st.sampled_from([0.5, 1.0, 2.0])) for _ in rows]
    return problem


options = st.builds(
    Settings,
    step=st.sampled_from([0.02, 0.5]),
    l1=st.sampled_from([0.0, 1e-3, 0.05]),
    dual_averaging=st.sampled_from([True, True, False]),
    strongest=st.sampled_from([0, 2, 3, 5]),
    slots=st.integers(6, 200),
    batch=st.integers(1, 3),
    gold_share=st.sampled_from([0.0, 0.5, 0.95, 1.0]),
    dropout=st.sampled_from([0.0, 0.0, 0.3, 0.8]),
    average_from=st.sampled_from([0, 1, 10]),
    seed=st.integers(0, 1000),
)


def encoded(rows: list[list[list[tuple[int, float]]]], count: int) -> _native.Encoding:
    """An encoding in which feature k has number k, as often in a row as it is there."""
    encoder = GivenEncoder().fit([[[f"f{k}" for k in range(count)]]])
    tokens = [[_given(row) for row in sentence] for sentence in rows]
    return encoder.transform(tokens).native


def _given(row: list[tuple[int, float]]) -> list[str] | dict[str, float]:
    """A list of names where all values are 1; a dict, which has each name once, where not."""
    if all(value == 1 for _, value in row):
        return [f"f{k}" for k, _ in row]
    return {f"f{k}": value for k, value in row}


def single(problem: OnlineProblem) -> OnlineProblem:
    """The problem as ``encoded`` has it: in rows with values each feature once."""
    for sentence in problem.rows:
        for t, row in enumerate(sentence):
            if any(value != 1 for _, value in row):
                sentence[t] = list(dict(row).items())
    return problem


class Both:
    """The native learner and the dense one, side by side."""

    def __init__(self, problem: OnlineProblem, chosen: Settings) -> None:
        self.problem = single(problem)
        self.encoding = encoded(problem.rows, problem.features)
        self.history = None
        if problem.backs:
            rows = [[[(k, 1.0) for k in token] for token in sentence] for sentence in problem.history]
            self.history = encoded(rows, len(problem.history_templates))
        history = None
        if self.history is not None:
            keys = np.array(problem.history_keys, np.uint64)
            history = _native.OnlineHistory(self.history, keys, problem.backs, np.array(problem.history_templates, np.uint16))
        data = _native.OnlineData(
            self.encoding,
            np.array([label for sentence in problem.gold for label in sentence], np.int32),
            np.array(problem.keys, np.uint64),
            np.array(problem.label_keys, np.uint64),
            history,
            np.array(problem.weights, np.float32),
        )
        options = _native.OnlineOptions(
            update=_native.AdaGrad(step=chosen.step, rho=chosen.rho, l1=chosen.l1, dual_averaging=chosen.dual_averaging),
            strongest=chosen.strongest,
            slots=chosen.slots,
            batch=chosen.batch,
            gold_share=chosen.gold_share,
            average_from=chosen.average_from,
            seed=chosen.seed,
        )
        options.set_dropout(chosen.dropout)
        self.native = _native.OnlineLearner(data, options)
        self.dense = DenseLearner(problem, chosen)

    def learned(self) -> tuple[NDArray[np.float32], set[int]]:
        """The native weights in the rows of the dense ones, and F."""
        result, out = self.native.learned(), np.zeros_like(self.dense.c)
        rows = result.numbers().tolist()
        labels = result.history_labels().reshape(-1, max(result.width, 1)).tolist() if result.width else []
        for feature, before in zip(result.history_features().tolist(), labels, strict=True):
            back = self.problem.backs[self.problem.history_templates[feature]]
            rows.append(self.dense.combinations[feature, tuple(before[: len(back)])])
        rows += [self.dense.first_slot + slot for slot in result.conjunction_slots().tolist()]
        begins = result.begins().tolist()
        for row, (begin, end) in zip(rows, itertools.pairwise(begins), strict=True):
            out[row, result.weight_labels()[begin:end]] = result.weights()[begin:end]
        return out, set(result.conjunction_slots().tolist())

    def model(self, forbidden: NDArray[np.uint8] | None = None) -> _native.OnlineModel:
        labels = [f"L{y}" for y in range(self.problem.labels)]
        edges = np.zeros(0, np.uint8) if forbidden is None else forbidden.ravel()
        return _native.OnlineModel.of_encoded(labels, self.native.learned(), edges)

    def tagged(self, beam: int, forbidden: NDArray[np.uint8] | None = None) -> list[list[int]]:
        flat = self.model(forbidden).tag_encoding(self.encoding, 1, beam, self.history).tolist()
        offsets = self.encoding.sentences().tolist()
        return [flat[a:b] for a, b in itertools.pairwise(offsets)]


@settings(max_examples=300)
@given(problems(), options)
def test_learns_what_the_dense_rule_learns(problem: OnlineProblem, chosen: Settings) -> None:
    both = Both(problem, chosen)
    for _ in range(4):
        assert both.native.epoch() == pytest.approx(both.dense.epoch(), rel=1e-5, abs=1e-5)
        weights, pairs = both.learned()
        assert pairs == both.dense.F
        np.testing.assert_allclose(weights, both.dense.learned(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("labels", [17, 45, 70])
@pytest.mark.parametrize("chosen", [Settings(l1=0.0, step=0.5), Settings(l1=1e-4, slots=300), Settings(dual_averaging=False)])
def test_many_labels_are_learned_as_the_dense_rule_learns_them(labels: int, chosen: Settings) -> None:
    """Rows grow from a few labels to all of them, and most tokens are decided by sketches of their weights."""
    random = np.random.default_rng(labels)
    features = 25
    rows = [[[(int(k), 1.0) for k in random.choice(features, 4, replace=False)] for _ in range(8)] for _ in range(40)]
    gold = [[(min(row)[0] * 7 + max(row)[0]) % labels for row in sentence] for sentence in rows]
    keys = [int(key) for key in random.integers(0, 2**64, features + labels + 1, np.uint64)]
    both = Both(OnlineProblem(rows, gold, features, labels, keys[:features], keys[features:]), chosen)
    for _ in range(6):
        assert both.native.epoch() == pytest.approx(both.dense.epoch(), rel=1e-4)
        weights, pairs = both.learned()
        assert pairs == both.dense.F
        np.testing.assert_allclose(weights, both.dense.learned(), rtol=1e-4, atol=1e-5)
    assert np.count_nonzero(both.learned()[0], axis=1).max() > labels / 3  # some rows are whole by then


@pytest.mark.parametrize(("features", "each", "labels", "slots"), [(40, 12, 5, 4000), (60, 20, 45, 9000), (9, 4, 250, 60)])
def test_many_pairs_are_learned_as_the_dense_rule_learns_them(features: int, each: int, labels: int, slots: int) -> None:
    """Many pairs a token, many that share a place of the table, and a table that grows; labels too many for sketches of pairs."""
    random = np.random.default_rng(slots)
    rows = [[[(int(k), 1.0) for k in random.choice(features, each, replace=False)] for _ in range(6)] for _ in range(30)]
    gold = [[int(random.integers(labels)) for _ in sentence] for sentence in rows]
    keys = [int(key) for key in random.integers(0, 2**64, features + labels + 2, np.uint64)]
    problem = OnlineProblem(rows, gold, features, labels, keys[:features], keys[features : features + labels + 1])
    problem.backs, problem.history_templates, problem.history_keys = [[1], [3]], [0, 1], keys[-2:]
    problem.history = [[[0, 1] for _ in sentence] for sentence in rows]
    both = Both(problem, Settings(slots=slots, strongest=each, l1=1e-5))
    for _ in range(4):
        assert both.native.epoch() == pytest.approx(both.dense.epoch(), rel=1e-4)
        weights, pairs = both.learned()
        assert pairs == both.dense.F
        np.testing.assert_allclose(weights, both.dense.learned(), rtol=1e-4, atol=1e-5)
    assert len(pairs) > 600 or labels > 240  # more than half of the places there are at first


@given(problems(), options)
def test_greedy_labels_score_most(problem: OnlineProblem, chosen: Settings) -> None:
    both = Both(problem, chosen)
    for _ in range(3):
        both.native.epoch()
        both.dense.epoch()
    for sentence, labels in enumerate(both.tagged(1)):
        for t, label in enumerate(labels):
            scores = both.dense.local(sentence, t, labels)
            assert scores[label] >= scores.max() - 1e-4


@given(problems(), options, st.booleans(), st.integers(0, 2**32 - 1))
def test_a_wide_beam_finds_the_best_sequence(problem: OnlineProblem, chosen: Settings, forbids: bool, seed: int) -> None:
    """Forbidden edges exclude sequences; the others keep their probability."""
    problem.rows = [sentence[:4] for sentence in problem.rows]
    problem.gold = [labels[:4] for labels in problem.gold]
    problem.history = [sentence[:4] for sentence in problem.history]
    both = Both(problem, chosen)
    for _ in range(2):
        both.native.epoch()
        both.dense.epoch()
    count = problem.labels
    edges = np.zeros((count + 2, count), np.uint8)  # label before or start, label; in the last row the last labels
    if forbids:
        edges[:] = np.random.default_rng(seed).random(edges.shape) < 0.3

    def score(sentence: int, labels: tuple[int, ...]) -> float:
        total = 0.0
        for t, label in enumerate(labels):
            local = both.dense.local(sentence, t, list(labels))
            total += local[label] - np.logaddexp.reduce(local)
        return total

    def is_allowed(labels: tuple[int, ...]) -> bool:
        steps = itertools.pairwise((count, *labels))
        return not any(edges[before, label] for before, label in steps) and not edges[count + 1, labels[-1]]

    for sentence, labels in enumerate(both.tagged(count**4, edges)):
        allowed = [item for item in itertools.product(range(count), repeat=len(labels)) if is_allowed(item)]
        if allowed:
            assert is_allowed(tuple(labels))
            assert score(sentence, tuple(labels)) >= max(score(sentence, item) for item in allowed) - 1e-4


def test_what_cannot_be_is_refused() -> None:
    problem = OnlineProblem([[[(0, 1.0)], [(1, 1.0)]]], [[0, 1]], 2, 2, [1 << 40, 2 << 40], [1, 2, 3])
    with pytest.raises(_native.InputFault, match="as many slots as features, 2, got 1"):
        Both(problem, Settings(slots=1))
    with pytest.raises(_native.InputFault, match="dropout: expected a rate from 0 to less than 1"):
        Both(problem, Settings(dropout=1.0))
    with pytest.raises(_native.InputFault, match="a label is out of range"):
        Both(OnlineProblem(problem.rows, [[0, 2]], 2, 2, problem.keys, problem.label_keys), Settings())
    with pytest.raises(_native.InputFault, match="expected a label at distance 1 to 8"):
        Both(
            OnlineProblem(problem.rows, [[0, 1]], 2, 2, problem.keys, problem.label_keys, [[[0], [0]]], [5], [0], [[0]]),
            Settings(),
        )
