"""Reliability without gold labels: the accuracies of simulated experts are estimated, and the pool is better than all."""

from __future__ import annotations

import numpy as np
import pytest

from tagpool import InputError, estimate_reliability

LABELS = "abc"


def simulate(seed=0, sentences=150, accuracies=(0.95, 0.7, 0.6, 0.55), stay=0.8):
    """Labels of a Markov chain that rarely changes, and experts with these accuracies."""
    generator = np.random.default_rng(seed)
    gold = []
    for _ in range(sentences):
        row = [int(generator.integers(3))]
        while len(row) < 6:
            row.append(row[-1] if generator.random() < stay else int(generator.integers(3)))
        gold.append([LABELS[n] for n in row])
    experts = {
        f"{number}": [[y if generator.random() < rate else LABELS[generator.integers(3)] for y in row] for row in gold]
        for number, rate in enumerate(accuracies)
    }
    return experts, gold


def right(labels, gold):
    return np.mean([a == b for one, other in zip(labels, gold, strict=True) for a, b in zip(one, other, strict=True)])


@pytest.mark.parametrize("chain", [False, True])
def test_accuracies_are_estimated(chain):
    experts, gold = simulate()
    result = estimate_reliability(experts, chain=chain)
    for name, labels in experts.items():
        assert result.accuracy[name] == pytest.approx(right(labels, gold), abs=0.03)
        assert right(result.labels, gold) > right(labels, gold) - 0.005
    assert np.concatenate(result.confidence).mean() == pytest.approx(right(result.labels, gold), abs=0.03)


def test_neighbours_help_where_experts_are_poor():
    experts, gold = simulate(seed=2, accuracies=(0.5, 0.5, 0.5, 0.5), stay=0.95)
    alone, chain = (right(estimate_reliability(experts, chain=item).labels, gold) for item in (False, True))
    assert chain > alone + 0.05


def test_experts_that_abstain_are_judged_where_they_vote():
    experts, gold = simulate(seed=3)
    some = {**experts, "rarely": [row if number % 5 == 0 else None for number, row in enumerate(gold)]}
    result = estimate_reliability(some, chain=False)
    assert result.accuracy["rarely"] > 0.95


def test_two_experts_are_too_few():
    with pytest.raises(InputError, match="expected three experts or more, got 2"):
        estimate_reliability({"a": [["x"]], "b": [["y"]]})
    with pytest.raises(InputError, match="rounds=0"):
        estimate_reliability(simulate(sentences=3)[0], rounds=0)
