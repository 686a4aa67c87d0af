"""Word functions against the oracle, and the values a reader would expect."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import encoder as oracle

from tagpool import _native

settled = st.characters(exclude_categories=["Cs", "Cn"]).filter(oracle.is_settled)
words = st.one_of(
    st.text(settled, max_size=12),
    st.text("aAzZ019.,:/%+-'\"«|<>éÉßİǅ中٣𝐀\u0301", max_size=10),
    st.from_regex(r"\A[+-]?\.?[0-9٣]{1,3}([,.:/]{1,2}[0-9]{1,2}){0,2}\.?%?\Z"),
    st.from_regex(r"\A([A-Zaé]\.?){1,5}\Z"),
    st.builds("{}{}".format, st.sampled_from(["http://", "www.", "WWW.", "x://", "-", "."]), st.text("aA.1", max_size=4)),
)


def native(function: str, word: str, a: int = 0, b: int = 0) -> list[str]:
    return _native.WordFunction([_native.Step(function, a, b)]).values(word)


@given(words)
def test_functions_with_one_value(word):
    assert native("lower", word) == [oracle.lower(word)]
    assert native("simplify", word) == [oracle.simplify(word)]
    assert native("shape", word) == [oracle.shape(word)]
    assert native("short_shape", word) == [oracle.short_shape(word)]
    assert native("digits", word) == oracle.digits(word)
    assert len(oracle.lower(word)) == len(oracle.shape(word)) == len(word)


@given(words, st.integers(1, 6))
def test_affixes(word, length):
    assert native("prefix", word, length) == ([word[:length]] if len(word) > length else [])
    assert native("suffix", word, length) == ([word[-length:]] if len(word) > length else [])


@given(st.one_of(words, st.text("abé", max_size=90)), st.integers(1, 5), st.integers(0, 4))
def test_ngrams(word, low, more):
    for function, text in (("ngrams", word), ("edge_ngrams", f"<{word}>")):
        result = native(function, word, low, low + more)
        assert sorted(result) == oracle.ngrams(text, low, low + more)
        assert len(set(result)) == len(result)


@pytest.mark.parametrize("length", [63, 64, 65, 66, 200])
def test_ngrams_of_long_words_are_each_there_once(length):
    word = ("ab" * length)[:length]
    assert native("ngrams", word, 1, 2) == ["a", "b", "ab", "ba"]


def test_ngrams_have_at_least_one_letter():
    with pytest.raises(_native.InputFault, match=r'"ngrams" has the empty range 0\.\.2'):
        native("ngrams", "ab", 0, 2)


@given(words)
def test_orthography(word):
    assert native("orthography", word) == oracle.orthography(word)
    assert native("orthography_dfi", word) == oracle.orthography_dfi(word)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("Ann", "initial-capital mixed-case"),
        ("A", "initial-capital all-capitals single-capital single-letter"),
        ("U.S.", "initial-capital ends-with-period acronym has-punctuation"),
        ("A.", "initial-capital ends-with-period initial has-punctuation"),
        ("1,000.5", "has-digit number has-punctuation"),
        ("-.5%", "has-digit number has-dash has-punctuation"),
        ("1..5", "has-digit has-punctuation"),
        ("...", "periods ends-with-period has-punctuation"),
        ("co-op", "has-dash has-punctuation"),
        ("O'Neil", "initial-capital mixed-case has-punctuation has-quote"),
        ("中", "single-letter"),
        ("", ""),
    ],
)
def test_orthography_by_hand(word, expected):
    assert native("orthography", word) == expected.split()


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("Ann", "first-upper-only"),
        ("IBM", "all-upper no-lower inner-uppers"),
        ("iPhone", "one-inner-upper"),
        ("10-5.", "digits-and-punctuation has-digit has-period has-hyphen"),
        ("http://a", "link has-other-punctuation"),
        ("www.a", "link has-period"),
        ("$", "all-punctuation has-other-punctuation"),
        ("中文", "no-lower"),
        ("the", "all-lower"),
    ],
)
def test_orthography_of_dfi_by_hand(word, expected):
    assert native("orthography_dfi", word) == expected.split()


@given(st.dictionaries(words, words), words, st.integers(0, 3))
def test_lookup(lexicon, word, length):
    words = _native.WordLexicon()
    for known, value in lexicon.items():
        words.add(known, value)
        words.add(known, "a later value does not count")
    step = _native.Step("lookup", length, 0, words)
    for item in (word, *lexicon):
        value = lexicon.get(item)
        assert words.value(item) == value
        assert _native.WordFunction([step]).values(item) == ([] if value is None else [value[:length] if length else value])
    assert len(words) == len(lexicon)
    assert dict(words.items()) == lexicon


@given(words)
def test_chains_go_from_the_inside_out(word):
    lower, prefix = _native.Step("lower"), _native.Step("prefix", 2)
    grams = _native.Step("edge_ngrams", 1, 2)
    assert _native.WordFunction([]).values(word) == [word]
    result = _native.WordFunction([lower, prefix, grams]).values(word)
    assert sorted(result) == (oracle.ngrams(f"<{oracle.lower(word)[:2]}>", 1, 2) if len(word) > 2 else [])


def test_steps_are_checked():
    with pytest.raises(ValueError, match="a lookup step needs a lexicon"):
        _native.Step("lookup")
    with pytest.raises(ValueError, match="0 or more"):
        _native.Step("prefix", -1)


@given(st.dictionaries(words, st.integers(0, 2**31 - 1)), words)
def test_rows(lexicon, word):
    rows = _native.RowLexicon()
    for known, row in lexicon.items():
        rows.add(known, row)
        rows.add(known, 7)
    assert all(rows.row(known) == row for known, row in lexicon.items())
    assert rows.row(word) == lexicon.get(word, -1)
