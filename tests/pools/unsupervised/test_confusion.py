"""Dawid–Skene against plain loops."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import dawid_skene as oracle

from tagpool.pools.unsupervised.confusion import dawid_skene


@st.composite
def votes_of_experts(draw: st.DrawFn) -> tuple[list[list[int]], int]:
    size, experts, tokens = draw(st.integers(2, 4)), draw(st.integers(1, 4)), draw(st.integers(1, 12))
    row = st.lists(st.integers(-1, size - 1), min_size=experts, max_size=experts)
    return draw(st.lists(row, min_size=tokens, max_size=tokens)), size


@given(votes_of_experts(), st.integers(1, 30))
@settings(deadline=None)
def test_beliefs_equal_plain_loops(drawn: tuple[list[list[int]], int], rounds: int) -> None:
    votes, size = drawn
    belief = dawid_skene(np.array(votes, np.int32), size, rounds)
    assert np.allclose(belief, oracle.dawid_skene(votes, size, rounds), atol=1e-9)
