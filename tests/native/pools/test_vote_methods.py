"""The native learners against enumeration of all path experts."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.paths import Paths, WeightedMajority, best_score, position_votes
from pools.votes.small_ballots import Small, automata, smalls

from tagpool import Automaton
from tagpool._native import LearnerKind
from tagpool.pools.votes.methods.online import best_suffix

BETAS = st.sampled_from([0.3, 0.8, 0.95])


def wmwp(native, beta, first=0, last=None):
    losses = native.expected_losses(LearnerKind(False, beta, 0))
    return losses, native.averaged(LearnerKind(False, beta, 0), first, len(losses) if last is None else last)


@st.composite
def with_automaton(draw, abstentions=True):
    small = draw(smalls(abstentions=abstentions))
    longest = max(len(gold) for _, gold in small.sentences)
    return small, draw(automata(small.experts, longest))


@settings(max_examples=35)
@given(with_automaton(), BETAS, st.data())
def test_weights_and_losses_of_an_automaton_are_those_of_its_paths(case, beta, data):
    small, edges = case
    automaton = Automaton(edges, start=0)
    native = small.native(automaton)
    order = automaton.edge_order()
    oracle = WeightedMajority(Paths.of_automaton(edges, small.sentences), small.sentences, beta)
    first = data.draw(st.integers(0, len(small.sentences) - 1))
    losses, averaged = wmwp(native, beta, first)
    assert losses == pytest.approx(oracle.expected_losses(), abs=1e-9)
    expected = oracle.averaged(first)
    assert averaged == pytest.approx([expected[edge] for edge in order], abs=1e-9)
    # Weight pushing: the edges of a state sum to 1, and the product along a path is its probability.
    outgoing = native.distributions(LearnerKind(False, beta, 0), np.array([first], np.uint32))
    by_edge = dict(zip(order, outgoing.tolist(), strict=True))
    for path, probability in oracle.rounds[first].items():
        assert np.prod([by_edge[edge] for edge in path]) == pytest.approx(probability, abs=1e-9)
    for state in {edge[0] for edge in edges}:
        assert sum(by_edge[number] for number, edge in enumerate(edges) if edge[0] == state) == pytest.approx(1)


@settings(max_examples=35)
@given(smalls(), BETAS, st.data())
def test_weights_and_losses_of_a_table_are_those_of_its_paths(small, beta, data):
    count = data.draw(st.integers(1, 3))
    states = [[s % count for s in data.draw(st.permutations(range(3)))[: len(gold)]] for _, gold in small.sentences]
    used = max(s for row in states for s in row) + 1
    native = small.native(states=states)
    oracle = WeightedMajority(Paths.of_table(states, used, small.experts), small.sentences, beta)
    first = data.draw(st.integers(0, len(small.sentences) - 1))
    losses, averaged = wmwp(native, beta, first)
    assert losses == pytest.approx(oracle.expected_losses(), abs=1e-9)
    assert averaged == pytest.approx(oracle.averaged(first), abs=1e-9)


@given(smalls(same_length=True), BETAS)
def test_the_positional_automaton_is_the_table_of_positions(small, beta):
    length = len(small.sentences[0][1])
    table, general = small.native(), small.native(Automaton.positional(small.experts, length))
    for one, other in zip(wmwp(table, beta), wmwp(general, beta), strict=True):
        assert one == pytest.approx(other, abs=1e-12)
    assert table.boosted(5)[1] == pytest.approx(general.boosted(5)[1])
    weights = wmwp(table, beta)[1]
    # Labels may differ if rounding decides between equal votes; their part of the votes may not.
    assert table.vote(weights, True)[1] == pytest.approx(general.vote(weights, True)[1])


@settings(max_examples=35)
@given(with_automaton(), BETAS)
def test_the_vote_of_an_automaton_is_the_best_of_its_label_sequences(case, beta):
    small, edges = case
    automaton = Automaton(edges, start=0)
    native = small.native(automaton)
    order = automaton.edge_order()
    averaged = wmwp(native, beta)[1]
    by_edge = [0.0] * len(edges)
    for edge, weight in zip(order, averaged.tolist(), strict=True):
        by_edge[edge] = weight
    labels, shares = native.vote(averaged, True)
    paths = Paths.of_automaton(edges, small.sentences)
    token = 0
    for number, (votes, gold) in enumerate(small.sentences):
        best, products = best_score(paths, by_edge, votes, number)
        result = tuple(labels[token : token + len(gold)].tolist())
        weight = position_votes(paths, by_edge, votes, number)
        if best > 0:
            assert products[result] == pytest.approx(best, rel=1e-9)
        for t, label in enumerate(result):
            total = sum(weight[t].values())
            assert shares[token + t] == pytest.approx(weight[t].get(label, 0.0) / total if total else 0.0, abs=1e-9)
        token += len(gold)


@given(smalls(), BETAS)
def test_the_vote_of_a_table_is_the_most_at_each_token_and_the_first_expert_of_equal_ones(small, beta):
    native, ballots = small.native(), small.ballots()
    weights = wmwp(native, beta)[1]
    labels, _ = native.vote(weights, True)
    table = weights.reshape(-1, small.experts)
    token = 0
    for votes, _ in small.sentences:
        for position, messages in enumerate(votes):
            sums = {y: sum(table[position][j] for j, v in enumerate(messages) if v == y) for y in messages if y is not None}
            expected = next((y for y in messages if y is not None and sums[y] == max(sums.values())), -1)
            assert labels[token] == expected
            token += 1
    assert token == len(ballots.votes)


def path_frequencies(native, outgoing, sentences):
    labels = native.draw(outgoing, 7).reshape(sentences, -1)
    return {key: count / sentences for key, count in Counter(map(tuple, labels.tolist())).items()}


@pytest.mark.parametrize("general", [False, True])
def test_paths_are_drawn_as_often_as_they_are_probable(general):
    edges = [(0, 1, 0), (0, 1, 1), (0, 2, 2), (1, 3, 0), (1, 3, 1), (2, 3, 2), (2, 3, 0)]
    count = 20_000
    asked = ([[0, 1, 2], [0, 1, 2]], [0, 0])
    learned = [([[0, 1, 0], [1, 0, 2]], [0, 0]), ([[1, 1, 0], [0, 1, 1]], [0, 1]), ([[0, 0, 2], [2, 1, 1]], [2, 1])]
    small, many = Small(learned, 3), Small([asked] * count, 3)
    automaton = Automaton(edges) if general else None
    rounds = np.array([1, 2], np.uint32)
    outgoing = small.native(automaton).distributions(LearnerKind(False, 0.5, 0), rounds)
    paths = Paths.of_automaton(edges, learned) if general else Paths.of_table([[0, 1]] * 3, 2, 3)
    oracle = WeightedMajority(paths, learned, 0.5)
    expected: Counter[tuple[int, ...]] = Counter()
    for weights in oracle.rounds[1:]:
        for path, weight in weights.items():
            experts = [edges[edge][2] if general else edge % 3 for edge in path]
            expected[tuple(asked[0][t][j] for t, j in enumerate(experts))] += weight / 2
    result = path_frequencies(many.native(automaton), outgoing, count)
    assert set(result) == {labels for labels, weight in expected.items() if weight > 0}
    for labels, weight in expected.items():
        assert result.get(labels, 0.0) == pytest.approx(weight, abs=4.5 * np.sqrt(weight * (1 - weight) / count))


def test_an_expert_that_abstains_keeps_its_weight():
    small = Small([([[0, 1, None]], [0])] * 5 + [([[0, 1, 1]], [0])], 3)
    native = small.native()
    tables = native.distributions(LearnerKind(False, 0.8, 0), np.arange(6, dtype=np.uint32)).reshape(6, 3)
    assert tables[:, 2] == pytest.approx([1 / 3] * 6)
    assert (np.diff(tables[:, 0]) > 0).all()


@settings(max_examples=35)
@given(with_automaton(abstentions=False))
def test_without_noise_the_perturbed_leader_is_the_best_path_so_far(case):
    small, edges = case
    for automaton in (Automaton(edges, start=0), None):
        native = small.native(automaton)
        longest = max(len(gold) for _, gold in small.sentences)
        positions = [list(range(len(gold))) for _, gold in small.sentences]
        paths = Paths.of_automaton(edges, small.sentences) if automaton else Paths.of_table(positions, longest, small.experts)
        order = automaton.edge_order() if automaton else range(longest * small.experts)
        lost = dict.fromkeys(paths.paths, 0)
        for number, (votes, gold) in enumerate(small.sentences):
            chosen = native.averaged(LearnerKind(True, 1e12, 3), number, number + 1)
            leader = {edge for edge, weight in zip(order, chosen.tolist(), strict=True) if weight == 1}
            assert set(chosen.tolist()) <= {0.0, 1.0}
            assert min(lost.values()) == lost[next(path for path in paths.paths if set(path) == leader)]
            for path in paths.paths:
                lost[path] += sum(votes[r.token][r.expert] != gold[r.token] for r in paths.reads(path, number))


def test_the_perturbation_is_uniform():
    # With losses 0 and 1 and noise in [0, 2] on both, the second leads with probability ½·(1 - ½)² = 1/8.
    count = 4000
    sentences = [([[0, 1]], [0]), *[([[0, 0]], [0])] * count]
    chosen = Small(sentences, 2).native().averaged(LearnerKind(True, 0.5, 11), 1, count + 1)
    assert chosen[1] == pytest.approx(0.125, abs=4 * np.sqrt(0.125 * 0.875 / count))


@settings(max_examples=40)
@given(smalls(abstentions=False), BETAS)
def test_losses_ahead_are_those_of_each_rounds_vote_on_the_rounds_behind_it(small, beta):
    native = small.native()
    count = len(small.sentences)
    rounds = np.arange(count - 1, dtype=np.uint32)
    tables = native.distributions(LearnerKind(False, beta, 0), rounds).reshape(count - 1, -1)
    expected = []
    for t in range(count - 1):
        labels = native.vote(np.ascontiguousarray(tables[t]), True)[0].tolist()
        starts = list(itertools.accumulate([len(gold) for _, gold in small.sentences], initial=0))
        rest = range(t + 1, count)
        wrong = [
            sum(labels[starts[s] + k] != y for k, y in enumerate(small.sentences[s][1])) / len(small.sentences[s][1])
            for s in rest
        ]
        expected.append(sum(wrong) / len(wrong))
    assert native.losses_ahead(LearnerKind(False, beta, 0), rounds) == pytest.approx(expected)


def test_the_best_suffix_is_the_least_by_trying_all():
    generator = np.random.default_rng(5)
    for _ in range(20):
        losses = generator.random(30) * np.linspace(1, generator.random(), 30)
        tried = [losses[t:].mean() + 2.0 * np.sqrt(np.log(20) / (30 - t)) for t in range(30)]
        assert best_suffix(losses, 0.05, 2.0) == int(np.argmin(tried))


def test_many_rounds_lose_nothing_to_underflow():
    # The second expert is wrong 5,000 times, then always right: it leads again after the first has as many errors.
    wrong, right = ([[0, 1]], [0]), ([[1, 0]], [0])
    sentences = [wrong] * 5000 + [right] * 10_001
    for automaton in (None, Automaton([(0, 1, 0), (0, 1, 1)])):
        native = Small(sentences, 2).native(automaton)
        assert native.averaged(LearnerKind(False, 0.5, 0), 15_000, 15_001) == pytest.approx([0.0, 1.0], abs=1e-9)
