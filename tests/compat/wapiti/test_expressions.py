"""Regular expressions of Wapiti: equal to backtracking, in linear time."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.wapiti import match_by_backtracking

from tagpool.compat.wapiti.expressions import Expression
from tagpool.compat.wapiti.patterns import attributes_of, parse_wapiti_patterns

steps = st.builds(str.__add__, st.sampled_from(["a", "b", ".", "\\l", "\\U", "é", "\\."]), st.sampled_from(["", "", "*", "?"]))
expressions = st.builds(
    lambda start, body, end: start + "".join(body) + end,
    st.sampled_from(["", "^"]),
    st.lists(steps, max_size=6),
    st.sampled_from(["", "$"]),
)


@given(expressions, st.text("abAé.", max_size=7))
@settings(max_examples=1000)
def test_results_equal_those_of_backtracking(text: str, word: str) -> None:
    expression, letters = Expression.parse(text), word.encode()
    expected = [match_by_backtracking(expression, letters, at) for at in range(len(letters) + 1)]
    assert expression.match_all(letters) == expected
    matches = (
        letters[at : at + length].ljust(min(length, len(letters) - at + 1), b"\0")
        for at, (matched, length) in enumerate(expected[: 1 if expression.from_start else None])
        if matched
    )
    assert expression.search(letters) == next(matches, None)


def test_expressions_with_many_repetitions_take_linear_time() -> None:
    assert Expression.parse(".*" * 10 + "b$").search(b"a" * 100) is None
    assert Expression.parse("a*" * 200).search(b"a" * 1000) == b""
    assert Expression.parse("a?" * 100 + "b" * 100).search(b"a" * 100) is None


def test_a_match_length_beyond_any_memory_becomes_one_zero() -> None:
    # Wapiti adds the length of every failed attempt, so the length doubles with each "?".
    word = b"a" * 60 + b"b"
    (matched, length), *_ = Expression.parse("^" + "a?" * 60 + "a" * 59 + "b$").match_all(word)
    assert matched
    assert length > 1 << 50
    pattern = 'u:%m[0,0,"^' + "a?" * 60 + "a" * 59 + 'b$"]/x'
    assert attributes_of(parse_wapiti_patterns(pattern), [[word.decode()]]) == [["u:" + word.decode()]]
