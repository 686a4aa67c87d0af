"""Span probabilities and calibration errors against slow definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.enumeration import Enumeration

from tagpool import Lattice, Scheme
from tagpool.corpus.schemes import spans
from tagpool.pools.stacked.confidence import calibration_error, span_probabilities

LABELS = {
    Scheme.BIO2: ["O", "B-X", "I-X", "B-Y", "I-Y"],
    Scheme.BIOES: ["O", "B-X", "I-X", "E-X", "S-X"],
}


@given(st.sampled_from(list(LABELS)), st.integers(1, 4), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_span_probabilities_equal_enumeration(scheme: Scheme, tokens: int, seed: int) -> None:
    labels = LABELS[scheme]
    chance = np.random.default_rng(seed)
    rules = scheme.constraints(labels)
    lattice = rules.constrain(Lattice(chance.normal(size=(tokens, 5)), chance.normal(size=(5, 5))))
    steps = lattice.edges.tolist() if tokens > 1 else []
    every = Enumeration(lattice.nodes.tolist(), steps, lattice.start.tolist(), lattice.end.tolist()).probabilities()
    names = {numbers: [labels[number] for number in numbers] for numbers in every}
    best = names[max(every, key=lambda numbers: every[numbers])]
    for span, probability in span_probabilities(lattice, best, rules):
        expected = math.fsum(value for numbers, value in every.items() if span in spans(names[numbers]))
        assert probability == pytest.approx(expected, abs=1e-6)


outcomes = st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=60)


@given(outcomes)
def test_the_calibration_error_equals_a_loop(pairs: list[tuple[float, bool]]) -> None:
    bins: dict[int, list[tuple[float, bool]]] = {}
    for value, right in pairs:
        bins.setdefault(min(int(value * 10), 9), []).append((value, right))
    gaps = [
        len(part) / len(pairs) * abs(sum(v for v, _ in part) / len(part) - sum(r for _, r in part) / len(part))
        for part in bins.values()
    ]
    values, right = np.array([v for v, _ in pairs]), np.array([r for _, r in pairs], bool)
    assert calibration_error(values, right) == pytest.approx(sum(gaps), abs=1e-12)
