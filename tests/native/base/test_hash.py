"""Hashing against the xxhash package, characters against Python's Unicode database."""

from __future__ import annotations

import random
import sys
import unicodedata

import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st
from oracles import encoder as oracle

from tagpool import _native

U64 = st.integers(0, 2**64 - 1)

# XXH64 --------------------------------------------------------------------------------------------------------------------


@given(st.binary(max_size=300), U64)
def test_xxh64(data, seed):
    assert _native.xxh64(data, seed) == xxhash.xxh64_intdigest(data, seed)


@pytest.mark.parametrize("seed", [0, 1, 2654435761, 2**64 - 1])
def test_xxh64_of_every_length(seed):
    data = random.Random(seed).randbytes(300)
    for length in range(301):
        assert _native.xxh64(data[:length], seed) == xxhash.xxh64_intdigest(data[:length], seed), length


def test_xxh64_known_values():
    assert _native.xxh64(b"") == 0xEF46DB3751D8E999
    assert _native.xxh64(b"abc") == 0x44BC2CF5AD770999


@given(U64, U64)
def test_combine_is_what_model_files_rely_on(first, second):
    """The mixing is part of the identity of every feature: it may never change."""
    mask = 2**64 - 1
    product = (first ^ 0x9E3779B97F4A7C15) * ((second ^ 0xD6E8FEB86659FD93) | 1)
    expected = (product & mask) ^ (product >> 64) ^ ((second * 0xC2B2AE3D27D4EB4F) & mask)
    assert _native.combine(first, second) == expected


# UTF-8 --------------------------------------------------------------------------------------------------------------------


def is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


@given(st.one_of(st.binary(max_size=40), st.text(max_size=20).map(lambda text: text.encode("utf-8", "surrogatepass"))))
def test_utf8(data):
    assert _native.is_utf8(data) == is_utf8(data)


def test_utf8_of_every_beginning():
    """All pairs of bytes, and the edges of the longer forms, at every place in a block of eight."""
    edges = [b"\xe0\x9f\x80", b"\xe0\xa0\x80", b"\xed\x9f\xbf", b"\xed\xa0\x80", b"\xf0\x8f\xbf\xbf", b"\xf0\x90\x80\x80"]
    edges += [
        b"\xf4\x8f\xbf\xbf",
        b"\xf4\x90\x80\x80",
        b"\xf5\x80\x80\x80",
        b"\xc1\xbf",
        b"\xc2\x80",
        b"\xef\xbf\xbf",
        b"\xe2\x82",
    ]
    for data in [bytes((a, b)) for a in range(256) for b in range(256)] + edges:
        assert _native.is_utf8(data) == is_utf8(data), data
    for data in edges:
        for before in range(9):
            padded = b"a" * before + data + b"b" * 7
            assert _native.is_utf8(padded) == is_utf8(padded), padded


# Characters ---------------------------------------------------------------------------------------------------------------

UPPER, LOWER, LETTER, DIGIT, PUNCTUATION, SPACE = 1, 2, 4, 8, 16, 32
TABLES = (14, 0, 0)  # the version native/text/unicode_tables.inc was made from


def points() -> list[int]:
    """All code points; with a Python of another Unicode version those that all versions agree on."""
    everything = [point for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    if tuple(map(int, unicodedata.unidata_version.split("."))) == TABLES:
        return everything
    return [point for point in everything if oracle.is_settled(chr(point))]


def test_character_classes():
    wrong = []
    for point in points():
        c = chr(point)
        expected = (
            UPPER * oracle.is_upper(c)
            + LOWER * oracle.is_lower(c)
            + LETTER * oracle.is_letter(c)
            + DIGIT * oracle.is_digit(c)
            + PUNCTUATION * oracle.is_punctuation(c)
            + SPACE * c.isspace()
        )
        if _native.character_class(point) != expected:
            wrong.append(hex(point))
    assert wrong == []


def test_lower_casing():
    wrong = [hex(point) for point in points() if _native.to_lower(point) != ord(oracle.lower_character(chr(point)))]
    assert wrong == []


def test_the_highest_code_point():
    assert _native.character_class(sys.maxunicode) == 0
    assert _native.to_lower(sys.maxunicode) == sys.maxunicode


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("USA", "A"), ("U.S.", "A"), ("A", "C"), ("A.", "C"), ("Ann", "C"), ("AnN", "C"), ("É", "C"), ("ǅ", "C"),
        ("iPhone", "M"), ("1A", "M"), ("1AB", "A"), ("-Ann", "M"), ("ann", "l"), ("1st", "l"), ("中", "l"), ("1999", "d"),
        ("1,5", "d"), ("٣", "d"), ("...", "."), ("", "."), ("😀", "."), ("²", "."),
    ],
)  # fmt: skip
def test_capital_classes_by_hand(word, expected):
    assert _native.capital_class(word) == expected


@given(
    st.one_of(st.text(st.characters(exclude_categories=["Cs", "Cn"]).filter(oracle.is_settled)), st.text("aA1.-Éé中", max_size=5))
)
def test_capital_classes(word):
    assert _native.capital_class(word) == oracle.capital_class(word)
