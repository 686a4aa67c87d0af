"""Thresholds for a precision: the bound holds on new documents, and few documents are not enough."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagpool import InputError
from tagpool.pools.stacked.precision import HeldOutSpans, _fit, _quantile

outcomes = st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=60)


def spans_of(chance: np.random.Generator, documents: int, size: int, spread: float) -> HeldOutSpans:
    """Return spans of documents whose errors are alike: the logits of a document are shifted by a normal variable."""
    units = np.repeat(np.arange(documents), size)
    probability = chance.beta(6, 0.6, documents * size).clip(0.01, 0.999)
    shift = np.repeat(chance.normal(-0.3, spread, documents), size)
    rate = 1 / (1 + np.exp(-np.log(probability / (1 - probability)) - shift))
    return HeldOutSpans(probability, chance.random(documents * size) < rate, units)


@pytest.mark.parametrize(("documents", "size", "spread"), [(20, 20, 0.0), (20, 20, 1.0), (150, 3, 0.5)])
def test_the_precision_holds_on_new_documents_at_least_as_often_as_stated(documents: int, size: int, spread: float) -> None:
    chance = np.random.default_rng(1)
    new = spans_of(chance, 3000, 20, spread)
    held = share = 0
    for _ in range(100):
        threshold = spans_of(chance, documents, size, spread).threshold(0.95, 0.9, new.probability)
        above = new.probability >= (math.inf if threshold is None else threshold.probability)
        held += not above.any() or new.correct[above].mean() >= 0.95
        share += above.mean()
    assert held >= 88
    assert share > 10  # percent


def test_spans_of_few_documents_say_less_than_those_of_many() -> None:
    chance = np.random.default_rng(2)
    many = spans_of(chance, 400, 1, 0.0)
    few = HeldOutSpans(many.probability, many.correct, many.units % 8)
    first, second = many.threshold(0.95), few.threshold(0.95)
    assert first is not None
    assert second is None or second.share < first.share
    assert HeldOutSpans(many.probability, many.correct, many.units % 4).threshold(0.01) is None
    assert HeldOutSpans(many.probability, many.correct, many.units % 4).best() is None


def test_a_document_of_confident_errors_lowers_the_bound() -> None:
    units = np.repeat(np.arange(20), 20)
    sure = np.linspace(0.6, 0.9999, 20).tolist() * 20
    right = np.ones(400, bool)
    good = HeldOutSpans(np.array(sure), right, units).best()
    bad = HeldOutSpans(np.array(sure), right & (units != 3), units).best()
    assert good is not None
    assert bad is not None
    assert good.bound > 0.95 > bad.bound


def test_the_spans_to_choose_from_decide() -> None:
    held_out = spans_of(np.random.default_rng(3), 300, 5, 0.0)
    sure, doubtful = np.full(50, 0.999), np.full(50, 0.7)
    both = held_out.threshold(0.95, 0.9, np.concatenate((sure, doubtful)))
    assert both is not None
    assert both.probability == 0.999
    assert held_out.threshold(0.95, 0.9, doubtful) is None
    more = held_out.threshold(0.95, 0.9, np.concatenate((np.repeat(sure, 40), doubtful)))
    assert more is not None
    assert more.probability == 0.7  # few of many spans may be doubtful


@given(outcomes, st.floats(0.05, 0.95))
@settings(deadline=None)
def test_a_threshold_describes_the_spans_above_it(pairs: list[tuple[float, bool]], precision: float) -> None:
    held_out = HeldOutSpans(np.array([v for v, _ in pairs]), np.array([r for _, r in pairs], bool), np.arange(len(pairs)))
    threshold, best = held_out.threshold(precision), held_out.best()
    assert (best is None) == (len(pairs) < 5)
    if threshold is None:
        assert best is None or best.bound < precision
        return
    chosen = [right for value, right in pairs if value >= threshold.probability]
    assert threshold.precision == pytest.approx(sum(chosen) / len(chosen))
    assert threshold.share == pytest.approx(len(chosen) / len(pairs))
    assert best is not None
    assert precision <= threshold.bound <= best.bound < 1


@given(st.integers(0, 2**32 - 1), st.floats(0, 1))
@settings(deadline=None, max_examples=40)
def test_coefficients_are_a_minimum(seed: int, wrong: float) -> None:
    chance = np.random.default_rng(seed)
    table = np.column_stack((np.ones(80), chance.uniform(-5, 13.8, 80)))
    correct = (chance.random(80) > wrong).astype(float)
    weights = chance.uniform(0.1, 1, 80)

    def loss(values: np.ndarray) -> float:
        return float(
            weights @ np.logaddexp(0, (1 - 2 * correct) * (table @ values)) + values[0] ** 2 / 2 + (values[1] - 1) ** 2 / 0.5
        )

    found, _ = _fit(table, correct, weights)
    assert all(loss(found) <= loss(found + chance.normal(0, 0.05, 2)) + 1e-9 for _ in range(20))


@given(st.integers(4, 300), st.sampled_from([0.5, 0.8, 0.9, 0.95]))
def test_quantiles_are_those_of_student(freedom: int, level: float) -> None:
    student = pytest.importorskip("scipy.stats").t
    assert _quantile(level, freedom) == pytest.approx(student.ppf(level, freedom), abs=0.01)


@pytest.mark.parametrize(("precision", "level"), [(0, 0.9), (1, 0.9), (math.nan, 0.9), (0.9, 0), (0.9, 2)])
def test_rates_are_between_0_and_1(precision: float, level: float) -> None:
    with pytest.raises(InputError, match="expected a precision and a level between 0 and 1"):
        HeldOutSpans(np.zeros(0), np.zeros(0, bool), np.zeros(0, np.int64)).threshold(precision, level)
