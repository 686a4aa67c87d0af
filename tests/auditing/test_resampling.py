"""Samples of a reference, and the limits that chance alone rarely exceeds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tagpool import Corpus
from tagpool.auditing.resampling import Resampler, sentence_lengths, student_factor, tail_limit, units_of


@given(
    st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=5), min_size=2, max_size=8),
    st.integers(1, 120),
    st.integers(0, 3),
)
def test_samples_are_parts_of_the_reference_of_the_wanted_size(documents: list[list[int]], tokens: int, seed: int) -> None:
    sizes = np.array([size for document in documents for size in document])
    bounds = np.concatenate([[0], np.cumsum([len(document) for document in documents])]).tolist()
    table = np.column_stack([sizes, np.ones(len(sizes)), sizes**2]).astype(float)  # tokens, sentences, a third sum
    sampler = Resampler(table, sizes, bounds, draws=50, seed=seed)
    sums = sampler.draw(tokens)
    assert (sums[:, 1] >= 1).all()
    # Only the last unit is cut, to the nearest sentence: half of the longest one at both ends, or one sentence.
    assert (np.abs(sums[:, 0] - tokens) <= sizes.max()).all()
    assert (sums[:, 2] >= sums[:, 0]).all()
    assert np.array_equal(sums, sampler.draw(tokens))
    assert (
        not np.array_equal(sums, Resampler(table, sizes, bounds, draws=50, seed=seed + 1).draw(tokens)) or sums.std(0).max() == 0
    )


def test_samples_of_whole_documents_are_sums_of_them() -> None:
    sizes = np.array([2, 3, 5, 10])
    sampler = Resampler(np.eye(4), sizes, [0, 1, 2, 4], draws=500, seed=0)
    sums = sampler.draw(10_000, most_units=3)
    assert (sums[:, 2] == sums[:, 3]).all()  # two sentences of one document
    assert (sums[:, :3].sum(axis=1) == 3).all()
    assert sums[:, :3].mean(axis=0) == pytest.approx([1, 1, 1], abs=0.15)
    assert (sampler.units_in(10_000, 3), sampler.units_in(40), sampler.units_in(1)) == (3, 6, 1)


def test_the_spread_of_samples_is_that_of_their_size() -> None:
    """The variance of the mean of n independent tokens is that of a token divided by n."""
    random = np.random.default_rng(3)
    values = random.random(1000)
    sampler = Resampler(values[:, None], np.ones(1000, np.int64), list(range(1001)), draws=4000, seed=1)
    for tokens in (1, 10, 100, 1000):
        means = sampler.draw(tokens)[:, 0] / tokens
        assert means.mean() == pytest.approx(values.mean(), abs=0.03)
        assert means.std() == pytest.approx(values.std() / np.sqrt(tokens), rel=0.06)


def test_units_are_documents_or_runs() -> None:
    words = [["a"]] * 40
    marked = Corpus.from_columns({"word": words}, documents=range(0, 40, 4))
    assert units_of(marked) == (list(range(0, 41, 4)), "10 documents")
    late = Corpus.from_columns({"word": words}, documents=range(1, 40, 3))
    assert units_of(late)[0][:3] == [0, 1, 4]
    few = Corpus.from_columns({"word": words}, documents=range(0, 40, 5))
    assert units_of(few) == (units_of(Corpus.from_lists(word=words))[0], "6 runs of about 7 sentences")
    assert units_of(few)[0] == [0, 6, 13, 20, 26, 33, 40]
    assert sentence_lengths(Corpus.from_lists(word=[["a", "b"], [], ["c"]])).tolist() == [2, 0, 1]


@pytest.mark.parametrize("share", [0.02, 0.001, 1e-4])
@pytest.mark.parametrize("freedom", [8, 20, 200])
def test_the_factor_of_student(share: float, freedom: float) -> None:
    expected = stats.t.isf(share, freedom) / stats.norm.isf(share)
    assert student_factor(share, freedom) == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("name", ["norm", "expon", "gamma"])
@pytest.mark.parametrize("share", [0.1, 0.01, 1e-3, 1e-4])
def test_limits_are_rarely_exceeded(name: str, share: float) -> None:
    """The limit is at least the quantile of distributions whose tail is exponential or lighter, and not far above it."""
    distribution = stats.gamma(4) if name == "gamma" else getattr(stats, name)()
    values = distribution.rvs(size=4000, random_state=7)
    limit, quantile = tail_limit(values, share, 0.025, 100), distribution.isf(share)
    assert 0.9 * quantile <= limit <= 1.35 * quantile


def test_limits_of_few_values_are_larger() -> None:
    values = np.random.default_rng(2).normal(size=4000)
    limits = [tail_limit(values, 1e-4, 0.025, count) for count in (2, 5, 20, 1000)]
    assert limits == sorted(limits, reverse=True)
    assert tail_limit(np.zeros(100), 1e-4, 0.025, 10) == 0


def test_the_largest_samples_have_a_thousand_units() -> None:
    for count, largest in ((10, 20), (1000, 2000), (5000, 2000)):
        sampler = Resampler(np.ones((count, 1)), np.full(count, 2), list(range(count + 1)))
        assert (sampler.token_count, sampler.largest) == (2 * count, largest)
