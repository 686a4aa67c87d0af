"""Names of features are sorted by their bytes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tagpool import _native

names = st.lists(st.text("ab\u00e9\ud7ff\U0001f600", max_size=12), max_size=40)


@given(st.lists(st.tuples(st.sampled_from(["", "word[-1]=", "word[-1]=abcdefgh", "x" * 600]), names), max_size=3))
def test_names_are_sorted(groups: list[tuple[str, list[str]]]) -> None:
    texts = sorted({start + name for start, group in groups for name in group} - {""})
    features = _native.GivenFeatures()
    features.fit([[[text]] for text in reversed(texts)], 1)
    assert features.packed_names().split(b"\0") == (sorted(text.encode() for text in texts) or [b""])
