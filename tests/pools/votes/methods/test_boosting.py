"""ESPBoost and stepwise selection against plain versions of their algorithms; Theorem 5 against the margins themselves."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.paths import Paths
from pools.votes.small_ballots import Small, automata, smalls

from tagpool import Automaton
from tagpool.pools.votes.guarantees import margin_bound


def boosted(paths, sentences, rounds):
    """Algorithm 1 of the paper over all paths; the first of equal ones."""
    places = [(i, k) for i, (_, gold) in enumerate(sentences) for k in range(len(gold))]
    weight = dict.fromkeys(places, 1 / len(places))
    reads = {path: {(i, r.token): r for i in range(len(sentences)) for r in paths.reads(path, i)} for path in paths.paths}

    def wrong(path, place):
        messages = sentences[place[0]][0][place[1]][reads[path][place].expert]
        return 0.5 if messages is None else float(messages != sentences[place[0]][1][place[1]])

    errors, alphas, sums = [], [], [0.0] * paths.edges
    for number in range(rounds):
        error_of = {path: math.fsum(weight[place] * wrong(path, place) for place in places) for path in paths.paths}
        least = min(error_of.values())
        path = next(item for item in paths.paths if error_of[item] <= least + 1e-12)
        if least >= 0.5 - 1e-9 and number:
            break
        alpha = 1.0 if least >= 0.5 - 1e-9 else 0.5 * math.log((1 - max(least, 1e-12)) / max(least, 1e-12))
        errors.append(least)
        alphas.append(alpha)
        for edge in path:
            sums[edge] += alpha
        if least >= 0.5 - 1e-9 or least < 1e-12:
            break
        weight = {place: w * math.exp(-alpha * (1 - 2 * wrong(path, place))) for place, w in weight.items()}
        total = math.fsum(weight.values())
        weight = {place: w / total for place, w in weight.items()}
    return errors, alphas, sums


@given(smalls(longest=2, same_length=True), st.data())
def test_boosting_is_the_papers_algorithm_over_all_paths(small, data):
    length = len(small.sentences[0][1])
    edges = data.draw(automata(small.experts, length))
    automaton = Automaton(edges, start=0)
    native = small.native(automaton)
    order = automaton.edge_order()
    weights, found_errors, found_alphas = native.boosted(3)
    errors, alphas, sums = boosted(Paths.of_automaton(edges, small.sentences), small.sentences, 3)
    assert found_errors == pytest.approx(errors, abs=1e-9)
    if min(errors) > 1e-9:
        assert found_alphas == pytest.approx(alphas, abs=1e-6)
        assert weights == pytest.approx([sums[edge] for edge in order], abs=1e-6)


@given(smalls(abstentions=False), st.sampled_from([0.0, 0.1, 0.3]))
def test_theorem_5_bounds_the_margins(small, margin):
    weights, errors, alphas = small.native().boosted(20)
    if errors[0] >= 0.5 or errors.min() < 1e-9:
        return
    table = weights.reshape(-1, small.experts)
    low = total = 0
    for votes, gold in small.sentences:
        for k, y in enumerate(gold):
            score = {v: sum(table[k][j] for j, messages in enumerate(votes[k]) if messages == v) for v in range(3)}
            rival = max(value for v, value in score.items() if v != y)
            low += score[y] - rival <= margin * alphas.sum() + 1e-12
            total += 1
    assert low / total <= margin_bound(errors, margin) + 1e-9


def vote_loss(sentences, counts):
    losses = []
    for votes, gold in sentences:
        wrong = 0
        for messages, y in zip(votes, gold, strict=True):
            sums = {v: sum(c for v2, c in zip(messages, counts, strict=True) if v2 == v) for v in messages if v is not None}
            best = next((v for v in messages if v is not None and sums[v] == max(sums.values())), None)
            wrong += best not in (None, y)
        losses.append(wrong / len(gold))
    return sum(losses) / len(losses)


@given(smalls(), st.booleans())
def test_stepwise_selection_takes_the_expert_that_helps_most(small, stop):
    counts, losses = small.native().stepwise(8, stop)
    tried, stored, least, expected = [0] * small.experts, None, math.inf, []
    for _ in range(8):
        options = [vote_loss(small.sentences, [c + (j == k) for k, c in enumerate(tried)]) for j in range(small.experts)]
        taken = min(range(small.experts), key=lambda j: (round(options[j], 12), tried[j], j))
        tried[taken] += 1
        expected.append(options[taken])
        if options[taken] < least - 1e-12:
            least, stored = options[taken], list(tried)
        elif stop:
            break
    assert losses == pytest.approx(expected)
    assert counts.tolist() == stored


def test_a_path_without_errors_ends_boosting_with_a_large_finite_weight():
    small = Small([([[0, 1]], [0])] * 3, 2)
    weights, errors, alphas = small.native().boosted(10)
    assert (errors.tolist(), len(alphas)) == ([0.0], 1)
    assert 5 < alphas[0] < 50
    assert np.isfinite(weights).all()
