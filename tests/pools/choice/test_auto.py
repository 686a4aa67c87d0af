"""Choice of the pooling method, and the learning curve."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pools.small_experts import sample

from tagpool import InputError, UnsupervisedPool
from tagpool.pools.choice.auto import choose_pool
from tagpool.pools.choice.learning_curve import fit_curve


@given(st.floats(0.05, 0.9), st.floats(0.05, 1), st.lists(st.integers(5, 500), min_size=2, max_size=5, unique=True))
def test_a_power_law_is_restored(scale: float, power: float, counts: list[int]) -> None:
    curve = fit_curve([(count, 1 - scale * count**-power) for count in counts])
    if scale * max(counts) ** -power > 1e-4:  # smaller errors are rounded up
        assert curve.power == pytest.approx(power, abs=1e-6)
        assert curve.f1_at(2 * max(counts)) == pytest.approx(1 - scale * (2 * max(counts)) ** -power, abs=1e-6)
    assert curve.gain(2) >= 0
    assert curve.gain(9) == curve.gain(4)


def test_a_falling_curve_is_flat() -> None:
    assert fit_curve([(10, 0.9), (20, 0.8)]).gain(4) == 0
    assert fit_curve([(10, 0.9)]).gain(4) == 0


def test_equal_experts_have_no_weights() -> None:
    corpus, experts = sample()
    choice = choose_pool({"a": experts["one"], "b": experts["one"]}, corpus)
    assert "weighted votes" not in {candidate.name for candidate in choice.candidates}
    assert choice.pool.predict({"a": experts["one"], "b": experts["one"]}, words=corpus.words)


@pytest.mark.parametrize("gold_sentences", [2, 10])
def test_few_gold_sentences(gold_sentences: int) -> None:
    corpus, experts = sample()
    gold = [row if number < gold_sentences else None for number, row in enumerate(corpus.labels)]
    choice = choose_pool(experts, gold, words=map(iter, corpus.words))
    assert choice.gold_sentences == gold_sentences
    assert choice.candidates[0].name == "majority"
    assert choice.chosen.name == choice.name
    assert choice.name in choice.reason()
    assert choice.outlook() is None


def test_one_expert_is_the_reference() -> None:
    corpus, experts = sample()
    choice = choose_pool({"only": experts["two"]}, corpus)
    assert choice.candidates[0].name == "only"
    assert "best expert" not in {candidate.name for candidate in choice.candidates}


def test_the_majority_does_not_depend_on_gold() -> None:
    _, experts = sample()
    expected = UnsupervisedPool("majority", scheme="bio2").fit(experts).predict(experts)
    actual = UnsupervisedPool("majority", scheme="bio2").fit(experts, labels={"B-PER", "I-ORG"}).predict(experts)
    assert actual == expected


def test_no_gold_is_refused() -> None:
    corpus, experts = sample()
    with pytest.raises(InputError, match="no sentence has gold labels; use an UnsupervisedPool"):
        choose_pool(experts, [None] * len(corpus), words=corpus)
    with pytest.raises(InputError, match="expected gold labels"):
        choose_pool(experts, None)  # type: ignore[arg-type]
