"""Every answer of a lattice against brute-force enumeration, on small lattices of every kind."""

from __future__ import annotations

import itertools
import math
import pickle
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import assume, given, settings
from lattices import WHOLE, Problem, problems
from scipy.stats import chisquare

from tagpool import InputError, Lattice

CLOSE = 1e-9


def close(score: float) -> object:
    return pytest.approx(score, rel=1e-12, abs=CLOSE)


@given(problems())
@settings(max_examples=200, deadline=None)
def test_sums_equal_enumeration(problem: Problem) -> None:
    lattice, truth = problem.lattice(), problem.enumeration()
    assert lattice.log_partition() == close(truth.log_partition())
    assume(truth.scores)
    marginals, pairs = lattice.marginals(), lattice.pair_marginals()
    assert np.abs(marginals - truth.marginals()).max() < CLOSE
    assert np.abs(marginals.sum(axis=1) - 1).max() < 1e-12
    assert pairs.shape == (problem.tokens - 1, problem.labels, problem.labels)
    if problem.tokens > 1:
        assert np.abs(pairs - truth.pair_marginals()).max() < CLOSE
        # A score of 10,000 has 2e-12 between it and the next float64.
        assert np.abs(pairs.sum(axis=2) - marginals[:-1]).max() < 1e-10
        assert np.abs(pairs.sum(axis=1) - marginals[1:]).max() < 1e-10
    assert lattice.entropy() == pytest.approx(truth.entropy(), rel=1e-9, abs=CLOSE)


@given(problems())
@settings(deadline=None)
def test_scores_and_probabilities_of_every_sequence_equal_enumeration(problem: Problem) -> None:
    lattice, truth = problem.lattice(), problem.enumeration()
    partition = truth.log_partition()
    for labels in itertools.product(range(problem.labels), repeat=problem.tokens):
        score = truth.score(labels)
        assert lattice.score(labels) == close(score)
        if truth.scores:
            assert lattice.log_probability(labels) == close(score - partition)


@given(problems())
@settings(max_examples=200, deadline=None)
def test_n_best_are_all_sequences_in_order(problem: Problem) -> None:
    lattice, truth = problem.lattice(), problem.enumeration()
    assume(truth.scores)
    count = len(truth.scores)
    everything = lattice.best_n(count + 3)
    result = [tuple(labels.tolist()) for labels, _ in everything]
    assert sorted(result) == sorted(truth.scores)
    assert [score for _, score in everything] == [close(score) for _, score in truth.ranked()]
    for (labels, score), following in itertools.pairwise(everything):
        assert score >= following.score
        assert score == lattice.score(labels)  # to the last bit
    best = lattice.best()
    assert (tuple(best.labels.tolist()), best.score) == (result[0], everything[0].score)
    for n in {1, 2, count // 2 + 1, count}:
        assert [tuple(labels.tolist()) for labels, _ in lattice.best_n(n)] == result[:n]


@given(problems(kinds=WHOLE))
@settings(max_examples=200, deadline=None)
def test_equal_scores_come_in_lexicographic_order(problem: Problem) -> None:
    """Sums of whole numbers are exact, so that order and scores must be exactly those of the enumeration."""
    truth = problem.enumeration()
    assume(truth.scores)
    result = [(tuple(labels.tolist()), score) for labels, score in problem.lattice().best_n(len(truth.scores))]
    assert result == truth.ranked()


@given(problems(longest=3, most=3))
@settings(max_examples=50, deadline=None)
def test_samples_are_possible_and_repeat_with_their_seed(problem: Problem) -> None:
    lattice, truth = problem.lattice(), problem.enumeration()
    assume(truth.scores)
    drawn = lattice.sample(50, seed=7)
    assert {tuple(labels) for labels in drawn.tolist()} <= set(truth.scores)
    assert (lattice.sample(20, seed=7) == drawn[:20]).all()


@pytest.mark.parametrize("varying", [False, True])
@pytest.mark.parametrize("forbid", [False, True])
def test_sample_frequencies_follow_the_probabilities(varying: bool, forbid: bool) -> None:
    random = np.random.default_rng(3)
    nodes, edges = random.normal(size=(4, 3)), random.normal(size=(3, 3, 3) if varying else (3, 3))
    if forbid:
        edges[..., 0, 1] = -np.inf
    problem = Problem(nodes.tolist(), edges.tolist())
    expected = problem.enumeration().probabilities()
    drawn = problem.lattice().sample(100_000, seed=11)
    places = {labels: number for number, labels in enumerate(expected)}
    counts = np.bincount([places[tuple(labels)] for labels in drawn.tolist()], minlength=len(places))
    assert chisquare(counts, np.array(list(expected.values())) * len(drawn)).pvalue > 0.01
    # The test can fail: with the probabilities of another lattice it does.
    other = Problem((nodes + 0.05 * random.normal(size=nodes.shape)).tolist(), edges.tolist())
    assert chisquare(counts, np.array(list(other.enumeration().probabilities().values())) * len(drawn)).pvalue < 1e-6


def xoshiro(seed: int) -> Iterator[float]:
    """Uniform numbers as the documentation names them, from the authors' descriptions: xoshiro256** seeded by splitmix64."""
    mask = 2**64 - 1

    def left(word: int, by: int) -> int:
        return (word << by | word >> (64 - by)) & mask

    state = []
    for _ in range(4):
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        word = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9 & mask
        word = (word ^ word >> 27) * 0x94D049BB133111EB & mask
        state.append(word ^ word >> 31)
    while True:
        yield (left(state[1] * 5 & mask, 7) * 9 & mask) / 2**64
        shifted = state[1] << 17 & mask
        state[2] ^= state[0]
        state[3] ^= state[1]
        state[1] ^= state[2]
        state[0] ^= state[3]
        state[2] ^= shifted
        state[3] = left(state[3], 45)


@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
def test_samples_are_drawn_with_the_documented_generator(seed: int) -> None:
    """Four labels alike: a number u in [0, 1) draws the label floor(4u)."""
    drawn = Lattice(np.zeros((5, 4)), np.zeros((4, 4))).sample(40, seed=seed)
    numbers = xoshiro(seed)
    assert drawn.ravel().tolist() == [int(4 * next(numbers)) for _ in range(200)]


def test_a_seed_means_the_same_for_ever() -> None:
    lattice = Lattice([[0.3, 0.1, -0.2]] * 6, [[0.5, 0.0, -1.0], [0.0, 0.2, 0.0], [0.1, 0.0, -np.inf]])
    assert lattice.sample(3, seed=2026).tolist() == SEED_2026
    assert lattice.sample(3, seed=2**64 - 1).tolist() != SEED_2026


SEED_2026 = [[1, 0, 1, 2, 1, 2], [2, 1, 2, 0, 2, 0], [2, 1, 1, 1, 0, 0]]


@given(problems())
@settings(deadline=None)
def test_the_oracle_notices_a_changed_score(problem: Problem) -> None:
    """The comparison is sharp: a node moved by 0.01 in the native input alone is seen in scores and partition."""
    truth = problem.enumeration()
    assume(truth.scores)
    (labels, score), *_ = truth.ranked()
    nodes = np.array(problem.nodes)
    nodes[0, labels[0]] += 0.01
    moved = Problem(nodes.tolist(), problem.edges, problem.start, problem.end).lattice()
    # The best sequence begins with that label, and there are at most 1024: d ln Z / d node is at least 1/1024.
    assert moved.log_partition() != close(truth.log_partition())
    assert moved.score(labels) != close(score)


def test_one_token_and_one_label() -> None:
    single = Lattice([[3.0]], [[-np.inf]])
    assert (single.best().labels.tolist(), single.best().score, single.log_partition()) == ([0], 3.0, 3.0)
    assert (single.marginals().tolist(), single.pair_marginals().shape, single.entropy()) == ([[1.0]], (0, 1, 1), 0.0)
    token = Lattice([[1.0, 2.0]], np.zeros((2, 2)), start=[0.5, 0.0], end=[1.0, 0.0])
    assert (token.best().labels.tolist(), token.best().score) == ([0], 2.5)
    assert token.log_partition() == pytest.approx(math.log(math.exp(2.5) + math.exp(2.0)))
    label = Lattice(np.ones((4, 1)), [[2.0]])
    assert (label.best_n(5)[0].score, len(label.best_n(5)), label.log_probability([0] * 4)) == (10.0, 1, 0.0)


def test_a_lattice_without_a_sequence_says_so() -> None:
    impossible = Lattice([[0.0, -np.inf], [-np.inf, 0.0]], [[0.0, -np.inf], [0.0, 0.0]])
    assert impossible.log_partition() == -math.inf
    assert impossible.score([0, 1]) == -math.inf
    for answer in (
        impossible.best,
        impossible.marginals,
        impossible.pair_marginals,
        impossible.entropy,
        impossible.sample,
        lambda: impossible.best_n(2),
        lambda: impossible.log_probability([0, 1]),
        lambda: impossible.best(at_most_once=[0]),
    ):
        with pytest.raises(InputError, match="no label sequence is possible"):
            answer()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.0], [[0.0]]), r"nodes: expected shape \(tokens, labels\)"),
        ((np.zeros((2, 0)), np.zeros((0, 0))), r"nodes: expected shape \(tokens, labels\) with at least 1 label, got \(2, 0\)"),
        (([[0.0, 0.0]], [[0.0]]), r"edges: expected shape \(2, 2\) or \(0, 2, 2\), got \(1, 1\)"),
        ((np.zeros((3, 2)), np.zeros((3, 2, 2))), r"edges: expected shape \(2, 2\) or \(2, 2, 2\)"),
        (([[0.0, 0.0]], np.zeros((2, 2)), [0.0]), r"start: expected shape \(2,\)"),
        (([[0.0, 0.0]], np.zeros((2, 2)), None, [[0.0, 0.0]]), r"end: expected shape \(2,\)"),
        (([[0.0, np.nan]], np.zeros((2, 2))), r"nodes\[0, 1\]: expected a finite score, or -inf to forbid, got nan"),
        (([[0.0, 0.0]], [[0.0, np.inf], [0.0, 0.0]]), r"edges\[0, 1\]: expected a finite score.*got inf"),
        (([[0.0, -1e200]], np.zeros((2, 2))), r"nodes\[0, 1\]: expected a score within"),
        (([["a", "b"]], np.zeros((2, 2))), "nodes: expected an array of numbers"),
        (([[0.0, 0.0], [0.0]], np.zeros((2, 2))), "nodes: expected an array of numbers"),
    ],
)
def test_bad_scores_are_refused(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Lattice(*arguments)


def test_bad_arguments_are_refused() -> None:
    lattice = Lattice(np.zeros((3, 2)), np.zeros((2, 2)))
    for labels, message in [
        ([0, 1], "expected 3 labels"),
        ([0, 1, 2], r"labels\[2\]: expected a number from 0 to 1"),
        ([0.0, 1.0, 1.0], "expected label numbers"),
    ]:
        for function in (lattice.score, lattice.log_probability):
            with pytest.raises(InputError, match=message):
                function(labels)
    for call, message in [
        (lambda: lattice.best_n(0), "^n: expected a number from 1 to 9223372036854775807, got 0"),
        (lambda: lattice.best_n(2**63), "^n: expected a number"),
        (lambda: lattice.best_n(1.5), "^n: expected a whole number, got 1.5"),
        (lambda: lattice.sample(-1), "^n: expected a number from 0 to 9223372036854775807, got -1"),
        (lambda: lattice.sample(2**63), "^n: expected a number"),
        (lambda: lattice.sample(1, seed=-1), "^seed: expected a number from 0 to 18446744073709551615, got -1"),
        (lambda: lattice.sample(1, seed=2**64), "^seed: expected a number"),
        (lambda: lattice.best(continues=[True]), "^continues: expected"),
    ]:
        with pytest.raises(InputError, match=message):
            call()


def test_a_lattice_is_a_value() -> None:
    nodes = np.zeros((3, 2))
    lattice = Lattice(nodes, np.eye(2), start=[1, 0])
    nodes[0] = 5
    assert lattice.nodes[0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        lattice.edges[0, 0] = 1
    again = pickle.loads(pickle.dumps(lattice))
    assert (again.marginals() == lattice.marginals()).all()
    assert repr(lattice) == "<Lattice of 3 tokens, 2 labels, edges>"
    assert repr(Lattice(nodes, np.zeros((2, 2, 2)))) == "<Lattice of 3 tokens, 2 labels, edges for each step>"
