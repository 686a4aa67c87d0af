"""The native columns directly: interning, numbers out of range, and lists that misbehave."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagpool import _native
from tagpool._native import Columns


def make(*sentences: list[str]) -> Columns:
    return Columns.from_lists(["word"], [(sentence,) for sentence in sentences], [], [])


@settings(deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=3), min_size=1, max_size=300))
def test_strings_are_interned_in_the_order_they_come(words):
    columns = make(words)
    distinct = list(dict.fromkeys(words))
    assert columns.strings("word") == distinct
    assert columns.ids("word").tolist() == [distinct.index(word) for word in words]
    assert columns.column_lists("word") == [words]


def test_many_strings():
    words = [f"w{i * 7919 % 50_000}" for i in range(100_000)]
    columns = make(words)
    assert len(columns.strings("word")) == 50_000
    assert columns.column_lists("word")[0] == words


def test_numbers_out_of_range():
    columns = make(["a"], ["b", "c"])
    assert columns.length(1) == 2
    assert columns.sentence_column(1, "word") == ["b", "c"]
    for number in (2, 3, 2**32 - 1):
        with pytest.raises(IndexError):
            columns.length(number)
        with pytest.raises(IndexError):
            columns.sentence_column(number, "word")
        with pytest.raises(_native.InputFault, match="does not exist"):
            columns.select([number])
    for call in (columns.ids, columns.strings, columns.column_lists, columns.distinct):
        with pytest.raises(_native.InputFault, match='no column "x"'):
            call("x")


def test_mapped():
    columns = make(["a", "b", "a"])
    assert columns.mapped("word", [7, -1]).tolist() == [7, -1, 7]
    for mapping in ([7], [1, 2, 3]):
        with pytest.raises(_native.InputFault, match="one for each string"):
            columns.mapped("word", mapping)


def test_names_and_columns_must_pair():
    with pytest.raises(_native.InputFault, match="names"):
        make(["a"]).with_names(["word", "word"], ["x"])
    with pytest.raises(_native.InputFault, match="expected 2 columns, got 1"):
        Columns.from_lists(["a", "b"], [(["x"],)], [], [])


def test_errors_inside_a_list_come_through():
    def broken():
        yield "a"
        raise KeyError("inside")

    with pytest.raises(KeyError, match="inside"):
        make(broken())  # type: ignore[arg-type]
    with pytest.raises(KeyError, match="inside"):
        make(["a"]).with_column("x", [broken()])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("text", "conllu", "count"), [(b"", False, 0), (b"a b\tc", False, 2), (b"# x\na b", False, 2), (b"#x\n1\t2", True, 2)]
)
def test_count_columns(text, conllu, count):
    assert _native.count_columns(text, conllu) == count


def test_faults_carry_message_and_line():
    with pytest.raises(_native.InputFault) as caught:
        _native.read_conll(b"a b\n\nc\n", ["x", "y"], False)
    assert caught.value.args == ('expected 2 columns, got 1: "c"', 3)


def test_reading_in_threads():
    text = b"".join(b"w%d O\n%s" % (i, b"\n" * (i % 7 == 0)) for i in range(20_000))
    results: list[int] = []
    threads = [
        threading.Thread(target=lambda: results.append(_native.read_conll(text, ["a", "b"], False).token_count)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [20_000] * 4
