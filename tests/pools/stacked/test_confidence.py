"""Span probabilities, calibration errors, bounds and thresholds against slow definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.enumeration import Enumeration

from tagpool import InputError, Lattice, Scheme
from tagpool.corpus.schemes import spans
from tagpool.pools.stacked.confidence import HeldOutSpans, calibration_error, least_precision, span_probabilities

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


@given(st.integers(1, 400), st.floats(0, 1), st.sampled_from([0.8, 0.9, 0.95]))
@settings(deadline=None)
def test_the_bound_is_that_of_clopper_and_pearson(count: int, rate: float, level: float) -> None:
    beta = pytest.importorskip("scipy.stats").beta
    correct = round(rate * count)
    expected = 0.0 if not correct else beta.ppf(1 - level, correct, count - correct + 1)
    assert least_precision(correct, count, level) == pytest.approx(expected, abs=1e-9)


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


@given(outcomes, st.floats(0.05, 0.95))
def test_a_threshold_has_the_precision_that_it_reports(pairs: list[tuple[float, bool]], precision: float) -> None:
    held_out = HeldOutSpans(np.array([v for v, _ in pairs]), np.array([r for _, r in pairs], bool), np.arange(len(pairs)))
    threshold = held_out.threshold(precision)
    if threshold is None:
        assert not pairs or least_precision(sum(r for _, r in pairs), len(pairs), 0.9) < precision
        return
    chosen = [right for value, right in pairs if value >= threshold.probability]
    assert threshold.precision == pytest.approx(sum(chosen) / len(chosen))
    assert threshold.share == pytest.approx(len(chosen) / len(pairs))
    assert precision <= threshold.bound <= threshold.precision + 1e-12


@pytest.mark.parametrize(("precision", "level"), [(0, 0.9), (1, 0.9), (math.nan, 0.9), (0.9, 0), (0.9, 2)])
def test_rates_are_between_0_and_1(precision: float, level: float) -> None:
    with pytest.raises(InputError, match="expected a precision and a level between 0 and 1"):
        HeldOutSpans(np.zeros(0), np.zeros(0, bool), np.zeros(0, np.int64)).threshold(precision, level)
