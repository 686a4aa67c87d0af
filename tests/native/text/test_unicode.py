"""UTF-8 and character classes against Python's own."""

from __future__ import annotations

import unicodedata

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tagpool import _native

UPPER, LOWER, LETTER, DIGIT, PUNCTUATION, SPACE = 1, 2, 4, 8, 16, 32
TABLES = "14.0.0"  # the Unicode version of native/text/unicode_tables.inc
# Another version of Unicode may know more characters; the first ones never change.
POINTS = range(0x110000) if unicodedata.unidata_version == TABLES else range(0x250)


def flags(character: str) -> int:
    category = unicodedata.category(character)
    value = UPPER if category in ("Lu", "Lt") else LOWER if category == "Ll" else 0
    value |= LETTER if category[0] == "L" else PUNCTUATION if category[0] in "PS" else DIGIT if category == "Nd" else 0
    return value | (SPACE if character.isspace() else 0)


def test_every_character_has_its_class():
    assert [p for p in POINTS if _native.character_class(p) != flags(chr(p))] == []


def test_every_character_has_its_small_letter():
    def small(point: int) -> int:
        lower = chr(point).lower()
        return ord(lower) if len(lower) == 1 else point  # a word keeps its number of characters

    assert [p for p in POINTS if _native.to_lower(p) != small(p)] == []


def test_points_beyond_unicode_are_harmless():
    for point in (0x110000, 0xFFFFFFFF):
        assert _native.to_lower(point) == point
        assert _native.character_class(point) in range(64)


def is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def test_every_two_and_many_three_bytes():
    leads = [*range(0xB0, 0x100)]
    edges = [0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]
    cases = [bytes([a, b]) for a in range(256) for b in range(256)]
    cases += [bytes([a, b, c]) for a in leads for b in edges for c in edges]
    cases += [bytes([a, b, c, d]) for a in range(0xEF, 0xF7) for b in edges for c in edges for d in edges]
    assert [case for case in cases if _native.is_utf8(case) != is_utf8(case)] == []


@settings(deadline=None, max_examples=300)
@given(
    st.one_of(
        st.binary(), st.text().map(str.encode), st.tuples(st.text(), st.binary(max_size=3)).map(lambda p: p[0].encode() + p[1])
    )
)
@example(b"12345678\x80")
@example(b"1234567\xc3")
@example("12345678é".encode()[:-1])
def test_utf8_is_what_python_takes_for_it(data):
    assert _native.is_utf8(data) == is_utf8(data)
