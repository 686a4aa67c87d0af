"""Choice of the pooling method, and the learning curve."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pools.small_experts import sample

from tagpool import InputError, UnsupervisedPool
from tagpool.evaluation.scores import score
from tagpool.pools.choice.auto import Candidate, PoolChoice, choose_pool
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


def candidate(difference: float, error: float, *, has_prior: bool) -> Candidate:
    return Candidate("no gold labels", score([["B-X"]], [["B-X"]]), difference, error, has_prior)


def test_the_prior_decides_with_few_gold_sentences_only() -> None:
    assert candidate(-0.02, 0.06, has_prior=True).is_better
    assert candidate(-0.02, 0.06, has_prior=True).expected_gain > 0
    assert not candidate(-0.02, 0.06, has_prior=False).is_better
    assert not candidate(-0.02, 0.01, has_prior=True).is_better  # enough gold to know better
    assert not candidate(0.0, 0.0, has_prior=True).is_better
    assert candidate(0.02, 0.01, has_prior=False).is_better
    assert candidate(0.02, 0.01, has_prior=False).expected_gain == 0.02


def test_a_choice_by_the_prior_is_explained() -> None:
    majority = Candidate("majority", score([["B-X", "B-X"]], [["B-X", "O"]]), 0.0, 0.0)
    chosen = candidate(-0.02, 0.06, has_prior=True)
    choice = PoolChoice(UnsupervisedPool(), "no gold labels", [majority, chosen], None, 30)
    assert "because the gold sentences are too few to tell the methods apart" in choice.reason()
    assert "standard error of the difference 6.0" in choice.reason()


def test_few_sentences_or_experts_have_no_prior() -> None:
    corpus, experts = sample()
    repeat = 300 // len(corpus) + 1
    words, labels = corpus.words * repeat, corpus.labels * repeat
    gold = [row if number < 10 else None for number, row in enumerate(labels)]
    many = {name: rows * repeat for name, rows in experts.items()}
    few = dict(list(many.items())[:2])
    assert len(many) == 3
    for votes, count, expected in ((many, len(words), True), (few, len(words), False), (many, 100, False)):
        part = {name: rows[:count] for name, rows in votes.items()}
        choice = choose_pool(part, gold[:count], words=words[:count], l2=1.0)
        assert [one.name for one in choice.candidates if one.has_prior] == (["no gold labels"] if expected else [])


def test_documents_that_agree_by_chance_do_not_lower_the_error() -> None:
    corpus, experts = sample()
    by_sentence = choose_pool(experts, corpus.labels, words=corpus.words, l2=1.0)
    documents = [number % 2 for number in range(len(corpus))]
    by_document = choose_pool(experts, corpus.labels, words=corpus.words, documents=documents, l2=1.0)
    errors = [next(one for one in choice.candidates if one.name == "no gold labels") for choice in (by_sentence, by_document)]
    assert errors[1].standard_error >= 0.99 * errors[0].standard_error > 0


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
