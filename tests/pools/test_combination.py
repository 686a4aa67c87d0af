"""The four combinations of BAGGING, section 4, against sums over every label sequence."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pools.tiny_pools import Tiny, close, log, tinies

from tagpool import Lattice
from tagpool.pools.combination import COMBINATIONS, weighted_sum
from tagpool.pools.weight_learning import HeldOut, fit_mixture_weights, maximise_likelihood, pool_lattices, transition_likelihood

FORBIDDING = st.floats(-3, 3) | st.floats(-3, 3) | st.just(-math.inf)
FAR = st.floats(-3, 3) | st.sampled_from([-900.0, 0.0, 900.0])


class Sums:
    """P(y_t = b), P(y_t = a, y_{t+1} = b) and P(y_{t+1} = b | y_t = a) of one member, by adding up sequences."""

    def __init__(self, member, known: dict[tuple[int, ...], float], tokens: int, labels: int) -> None:
        self.member, self.known, self.tokens, self.labels = member, known, tokens, labels
        self.node = [[self.total(lambda y, t=t, b=b: y[t] == b) for b in range(labels)] for t in range(tokens)]
        self.pair = [
            [[self.total(lambda y, t=t, a=a, b=b: y[t : t + 2] == (a, b)) for b in range(labels)] for a in range(labels)]
            for t in range(tokens - 1)
        ]

    def total(self, wanted) -> float:
        return math.fsum(p for y, p in self.known.items() if wanted(y))

    def step(self, t: int, a: int, instead: list[float]) -> list[float]:
        """The distribution after label a at t; ``instead`` if no label can follow."""
        nodes, edges, _, end = self.member
        weights = [0.0] * self.labels
        for rest in itertools.product(range(self.labels), repeat=self.tokens - 1 - t):
            y = (a, *rest)
            score = end[y[-1]] + sum(nodes[t + i][y[i]] for i in range(1, len(y)))
            score += sum((edges if isinstance(edges[0][0], float) else edges[t + i])[y[i]][y[i + 1]] for i in range(len(rest)))
            weights[rest[0]] += math.exp(score)
        total = math.fsum(weights)
        return [weight / total for weight in weights] if total > 0 else instead


def by_hand(tiny: Tiny, combine: str) -> dict[tuple[int, ...], float]:
    """The probability of every sequence under a combination, from the formulas alone."""
    T, L, shares = len(tiny.sentence), len(tiny.labels), tiny.shares.tolist()
    members = [Sums(member, known, T, L) for member, known in zip(tiny.members, tiny.probabilities(), strict=True)]
    mixed = [[math.fsum(s * m.node[t][b] for s, m in zip(shares, members, strict=True)) for b in range(L)] for t in range(T)]

    def distribution(rows: list[list[float]], instead: list[float]) -> list[float]:
        if combine == "transition-mixture":
            return [math.fsum(s * row[b] for s, row in zip(shares, rows, strict=True)) for b in range(L)]
        weights = [math.prod(row[b] ** s for s, row in zip(shares, rows, strict=True)) for b in range(L)]
        total = math.fsum(weights)
        return [weight / total for weight in weights] if total > 0 else instead

    def first() -> list[float]:
        return mixed[0] if combine.endswith("mixture") else distribution([m.node[0] for m in members], mixed[0])

    def step(t: int, a: int) -> list[float]:
        if combine == "sequence-mixture":
            pairs = [math.fsum(s * m.pair[t][a][b] for s, m in zip(shares, members, strict=True)) for b in range(L)]
            return [pair / mixed[t][a] for pair in pairs] if mixed[t][a] > 0 else mixed[t + 1]
        return distribution([m.step(t, a, mixed[t + 1]) for m in members], mixed[t + 1])

    begin, steps = first(), [[step(t, a) for a in range(L)] for t in range(T - 1)]
    return {
        y: begin[y[0]] * math.prod(steps[t][y[t]][y[t + 1]] for t in range(T - 1)) for y in itertools.product(range(L), repeat=T)
    }


def check(tiny: Tiny, combine: str, within: float = 1e-9) -> None:
    expected = by_hand(tiny, combine)
    lattice = pool_lattices(tiny.lattices(), tiny.shares, combine)
    assert lattice.log_partition() == pytest.approx(0.0, abs=1e-9)
    for y, probability in expected.items():
        assert math.exp(lattice.log_probability(y)) == pytest.approx(probability, abs=within)
    best = tuple(lattice.best().labels.tolist())
    assert expected[best] == pytest.approx(max(expected.values()), abs=within)


@pytest.mark.parametrize("combine", COMBINATIONS)
@given(tiny=tinies())
@settings(max_examples=60)
def test_combinations_equal_brute_force(combine, tiny):
    check(tiny, combine)


@pytest.mark.parametrize("combine", COMBINATIONS)
@given(tiny=tinies(FORBIDDING))
@settings(max_examples=60)
def test_forbidden_labels(combine, tiny):
    """If no label can follow for one member or for all, the node distribution of the mixture replaces the row."""
    if any(lattice.log_partition() == -math.inf for lattice in tiny.lattices()):
        return
    check(tiny, combine)


@pytest.mark.parametrize("combine", COMBINATIONS)
@given(tiny=tinies(FAR))
@settings(max_examples=60)
def test_nothing_underflows_into_nan(combine, tiny):
    lattice = pool_lattices(tiny.lattices(), tiny.shares, combine)
    assert not np.isnan(lattice.edges).any()
    assert not np.isnan(lattice.start).any()
    assert close(lattice.marginals().sum(axis=1), 1.0)
    assert lattice.log_partition() == pytest.approx(0.0, abs=1e-6)


def test_a_node_that_underflows_falls_back_to_the_nodes_of_the_mixture():
    """Label 1 at the first token has a probability below e^-800 for both members."""
    edges = [[0.0, 0.0], [3.0, 0.0]]
    members = [Lattice([[800.0, 0.0], [0.5, 0.0]], edges), Lattice([[900.0, 0.0], [0.0, 1.0]], edges)]
    shares = np.array([0.5, 0.5])
    mixed = 0.5 * (members[0].marginals() + members[1].marginals())
    assert mixed[0, 1] == 0
    lattice = pool_lattices(members, shares, "sequence-mixture")
    assert close(np.exp(lattice.edges[0, 1]), mixed[1])
    # Steps do not underflow: they are exact also after an improbable label.
    separate = [members[i].log_transitions()[1][0, 1] for i in range(2)]
    assert close(
        np.exp(pool_lattices(members, shares, "transition-mixture").edges[0, 1]),
        0.5 * (np.exp(separate[0]) + np.exp(separate[1])),
    )


@given(tinies(st.floats(-3, 3) | st.sampled_from([-900.0, 900.0, -300.0]) | st.just(-math.inf)))
@settings(max_examples=150)
def test_log_transitions_are_conditional_probabilities(tiny):
    """ln P(y) is the sum of its steps for all scores; rows are distributions, or all forbidden."""
    for lattice in tiny.lattices():
        if lattice.log_partition() == -math.inf:
            continue
        first, steps = lattice.log_transitions()
        assert np.exp(first).sum() == pytest.approx(1.0)
        rows = np.exp(steps).sum(axis=-1)
        assert close(rows[rows > 0], 1.0)
        assert ((rows > 0) == (steps.max(axis=-1) > -np.inf)).all()
        for y in itertools.product(range(len(tiny.labels)), repeat=len(tiny.sentence)):
            result = first[y[0]] + sum(steps[t][y[t], y[t + 1]] for t in range(len(y) - 1))
            expected = lattice.log_probability(y)
            assert result == pytest.approx(expected, abs=1e-9, rel=1e-12) or (math.isinf(result) and math.isinf(expected))


@given(tinies())
@settings(max_examples=60)
def test_gradient_of_the_transition_product(tiny):
    part = HeldOut(tiny.taggers(), [tiny.sentence], [[tiny.labels[n] for n in tiny.gold]])
    function = transition_likelihood(part)
    value, gradient = function(tiny.shares)
    assert value == pytest.approx(log(by_hand(tiny, "transition-product")[tuple(tiny.gold)]), abs=1e-8)
    step = 1e-5
    for j in range(len(tiny.shares)):
        there, here = tiny.shares.copy(), tiny.shares.copy()
        there[j] += step
        here[j] -= step
        assert gradient[j] == pytest.approx((function(there)[0] - function(here)[0]) / (2 * step), abs=1e-5)


@pytest.mark.parametrize("combine", ["sequence-mixture", "transition-mixture"])
@given(tiny=tinies(most_members=2))
@settings(max_examples=40)
def test_expectation_maximisation_finds_the_maximum_likelihood(combine, tiny):
    if len(tiny.members) < 2:
        return
    sentences, gold = [tiny.sentence] * 2, [[tiny.labels[n] for n in tiny.gold], [tiny.labels[-1 - n] for n in tiny.gold]]
    for tagger in (taggers := tiny.taggers()):
        tagger.fixed = tagger.fixed * 2
    result = fit_mixture_weights([HeldOut(taggers, sentences, gold)], combine)

    def likelihood(share: float) -> float:
        shares, total = np.array([share, 1 - share]), 0.0
        for row in gold:
            y = tuple(tiny.labels.index(label) for label in row)
            if combine == "sequence-mixture":
                total += log(sum(s * p[y] for s, p in zip(shares, tiny.probabilities(), strict=True)))
            else:
                total += log(by_hand(Tiny(tiny.members, shares, tiny.gold), combine)[y])
        return total

    highest = max(likelihood(share) for share in np.linspace(0, 1, 21))
    assert likelihood(result[0]) >= highest - 1e-4


def test_likelihood_of_transitions_is_the_best():
    tiny = Tiny([([[1.0, 0.0], [0.0, 2.0]], [[1.0, 0.0], [0.0, 1.0]], [0.0, 0.0], [0.0, 0.0])] * 2, np.array([0.5, 0.5]), [0, 1])
    tiny.members[1] = ([[0.0, 1.0], [1.0, 0.0]], *tiny.members[0][1:])
    part = HeldOut(tiny.taggers(), [tiny.sentence], [["A", "B"]])
    assert maximise_likelihood([part], "transition-product").round(4).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("combine", COMBINATIONS)
def test_a_label_that_nothing_follows_for_one_member(combine):
    """Label 1 is possible at the first token only for the second member; for the first member no label can follow it."""
    stuck = ([[0.5, 1.0], [0.0, 1.0]], [[0.0, 0.3], [-math.inf, -math.inf]], [0.0, 0.0], [0.0, 0.0])
    free = ([[0.0, 1.0], [0.2, 0.0]], [[0.0, 0.0], [0.4, 0.0]], [0.0, 0.0], [0.0, 0.0])
    tiny = Tiny([stuck, free], np.array([0.4, 0.6]), [0, 0])
    check(tiny, combine)
    assert (pool_lattices(tiny.lattices(), tiny.shares, combine).edges[0, 1] > -math.inf).all()


def test_weighted_sums_for_several_rows_of_weights():
    random = np.random.default_rng(5)
    values = random.normal(size=(3, 4, 2))
    rows = random.dirichlet(np.ones(3), size=5)
    expected = np.array([sum(weight * value for weight, value in zip(row, values, strict=True)) for row in rows])
    assert close(weighted_sum(rows, values), expected)
    assert close(weighted_sum(rows[0], values), expected[0])
