"""Plain text: the tokenisation rule, case by case and as properties."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tagpool.corpus.text import LONGEST_LINE, format_text, spaces_after, tokenize
from tagpool.errors import InputError


@pytest.mark.parametrize(
    "text",
    [
        # numbers
        "1,000.5",
        "-3",
        "+3.5",
        "21st 2nd 3RD 4th",
        "12:30",
        "1996-08-22",
        "1/2",
        "$ 1,000.50",
        "50 %",
        "4x4 3.5m 20-year-old",
        "1990s",
        # addresses
        "http://example.com/a?b=c,d . x",
        "https://x.org/(a)b ) .",
        "www.example.com , y",
        "( HTTP://A.B/c ) .",
        "ann.lee+x@example.co.uk . x",
        "< a_b@c-d.org >",
        # clitics
        "do n't",
        "DO N'T",
        "ca n’t",
        "Ann 's",
        "they 're we 've I 'll he 'd I 'm",
        "O'Brien 's",
        "rock'n'roll",
        # abbreviations and initials
        "Mr. Smith Inc. Jan. 5",
        "U.S. forces",
        "e.g. this",
        "J. Smith",
        # words
        "so-called AT&T snake_case",
        "example.com",
        "#hashtag @name",
        # punctuation
        "wait ...",
        "a -- b",
        "wow !!! ???",
        "“ quoted ”",
        "« x »",
        "`` x ''",
        "( a )",
        "…",
        "a , b ; c :",
        # other scripts, marks, emoji
        "नमस्ते दुनिया ।",
        "สวัสดีครับ",
        "你好 ， 世界 。",
        "e\u0301te\u0301",
        "Þór naïve",
        "👍👍 🎉",
        "ça va ?",
    ],
)
def test_table_of_tokens(text):
    """Each text is written as its tokens with blanks between them; gluing what may be glued must not change them."""
    expected = text.split()
    assert [token.text for token in tokenize(text)] == expected


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("don't can't won't", "do n't ca n't wo n't"),
        ("DON'T", "DO N'T"),
        ("can’t", "ca n’t"),
        ("Ann's dogs' they're I'm he'd we'll you've", "Ann 's dogs ' they 're I 'm he 'd we 'll you 've"),
        ("n't", "n't"),
        ("It's the U.S.", "It 's the U.S."),
        ("(e.g., this)", "( e.g. , this )"),
        ("J. R. Smith met Mr. X.", "J. R. Smith met Mr. X ."),
        ("He left Inc.", "He left Inc."),
        ("The end.", "The end ."),
        ("$1,000.50, 5%.", "$ 1,000.50 , 5 % ."),
        ("3-4 x-3 (-3) -3", "3-4 x-3 ( - 3 ) -3"),
        ("See http://a.b/c?d=e, or (www.f.org).", "See http://a.b/c?d=e , or ( www.f.org ) ."),
        ('<a href="http://x.y">', '< a href = " http://x.y " >'),
        ("Mail ann@b.co.uk.", "Mail ann@b.co.uk ."),
        ("a@b c@", "a @b c @"),
        ("#tag, @name: #1!", "#tag , @name : #1 !"),
        ("“It’s”", "“ It ’s ”"),
        ("'quoted' \"quoted\"", "' quoted ' \" quoted \""),
        ("well...no", "well ... no"),
        ("a--b a-b a - b", "a -- b a-b a - b"),
        ("?!?!", "? ! ? !"),
        ("AT&T's R&D", "AT&T 's R&D"),
        ("你好，世界。", "你好 ， 世界 。"),
        ("नमस्ते।", "नमस्ते ।"),
        ("👍👍🎉ok", "👍👍 🎉 ok"),
        ("👍🏽👍🏽!! I❤️U 1️⃣", "👍🏽 👍🏽 !! I ❤️ U 1️⃣"),
        ("👩\u200d👩\u200d👧🇩🇪🇫🇷🇩", "👩\u200d👩\u200d👧 🇩🇪 🇫🇷 🇩"),
        ("👩\u200da می\u200cخواهم", "👩 \u200da می\u200cخواهم"),
        ("a\u00a0b\u2003c\u3000d\x01e", "a b c d e"),
        ("a\u200bb", "a\u200bb"),
        ("x\ty\x0bz\x1fw", "x y z w"),
    ],
)
def test_cut(text, tokens):
    assert [token.text for token in tokenize(text)] == tokens.split(" ")


PIECES = [
    "a",
    "B",
    "n't",
    "'s",
    "’",
    "-",
    ".",
    "@",
    "#",
    "+",
    "_",
    "&",
    " ",
    "1",
    "23",
    "http://",
    "www.",
    "é",
    "क",
    "़",
    "中",
    "👍",
    "\U0001f3fd",
    "\U0001f1e9",
    "\u200d",
]
PIECES += ["...", "A.", "U.S.", "b.c", "@x.y", "Mr.", "st", "\t", "\x01", "\x7f", "\x85", "\ufe0f", "\0"]
any_text = st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=20).map("".join))


def is_blank(character: str) -> bool:
    return character.isspace() or character < " "


@settings(deadline=None, max_examples=500)
@given(any_text)
def test_tokens_are_in_order_and_cover_all_but_blanks(text):
    tokens = tokenize(text)
    at = 0
    for token in tokens:
        assert at <= token.start < token.end
        assert all(map(is_blank, text[at : token.start]))
        assert token.text == text[token.start : token.end]
        assert not any(map(is_blank, token.text))
        at = token.end
    assert all(map(is_blank, text[at:]))


@settings(deadline=None, max_examples=300)
@given(any_text)
def test_text_is_put_together_again(text):
    tokens = tokenize(text)
    spaces = spaces_after(text, tokens)
    lead = text[: tokens[0].start] if tokens else text
    assert lead + "".join(token.text + space for token, space in zip(tokens, spaces, strict=True)) == text


@settings(deadline=None, max_examples=300)
@given(any_text, any_text)
def test_a_blank_separates(first, second):
    """Text after a line end does not change the tokens before it, nor the other way round (except for J. and Mr.)."""
    whole = [token.text for token in tokenize(first + "\n" + second)]
    parts = [token.text for token in tokenize(first + "\n")] + [token.text for token in tokenize("\n" + second)]
    assert whole == parts


@pytest.mark.parametrize("pattern", ["-+", "AB.", "A. BB", "-+ @ b", "a@", "1- x"])
def test_hostile_text_takes_linear_time(pattern):
    """With quadratic time each of these would take more than ten minutes, the limit of a test."""
    begin, *rest = pattern.split()
    text = begin * 300_000 + "".join(rest[:1]) + "".join(rest[1:]) * 300_000
    tokens = tokenize(text)
    assert "".join(token.text for token in tokens) == text


def test_lone_surrogates_are_refused():
    with pytest.raises(InputError, match="lone surrogate"):
        tokenize("a\ud800")


# Files -------------------------------------------------------------------------------------------------------------------


def test_lines_are_sentences_and_gaps_are_documents(read):
    corpus = read("\n\n  Ann left.  \nIt rained.\r\n\n \t\nA new day\u2028dawns\n\n\n", "a.txt", format="text")
    assert corpus.columns == ("word", "space")
    assert corpus.words == [["Ann", "left", "."], ["It", "rained", "."], ["A", "new", "day", "dawns"]]
    assert corpus.column("space") == [[" ", "", ""], [" ", "", ""], [" ", " ", "\u2028", ""]]
    assert corpus.document_starts == [0, 2]
    assert corpus.label_column is None
    assert format_text(corpus) == "Ann left.\nIt rained.\n\nA new day\u2028dawns\n"


def test_one_block_has_no_documents(read):
    assert read("\na\nb\n\n", "a.txt", format="text").document_starts == []


def test_labels_cannot_be_asked_of_text(read):
    with pytest.raises(InputError, match=r"a\.txt: no column 'pos'"):
        read("a\n", "a.txt", format="text", label="pos")


def test_long_lines_are_refused(read):
    assert len(read("a" * LONGEST_LINE, "a.txt", format="text")) == 1
    with pytest.raises(InputError, match=r"a\.txt:2: expected one sentence per line, got a line of 1,000,000 characters"):
        read("a\n" + "b" * 1_000_000, "a.txt", format="text")


def test_line_ends_inside_a_sentence_become_blanks(read):
    corpus = read('{"text": "Ann\\nleft\\r\\nearly"}', "a.jsonl")
    assert format_text(corpus) == "Ann left  early\n"


safe_lines = st.lists(
    any_text.map(lambda text: text.replace("\n", " ").replace("\r", " ").replace("\0", "")).filter(tokenize), min_size=1
)


@settings(deadline=None)
@given(safe_lines)
@example(["A. "])
@example(["A.\x85"])
def test_text_files_come_back(read, lines):
    corpus = read("\n" + "\n".join(lines) + "\n", "a.txt", format="text")
    assert corpus.words == [[token.text for token in tokenize(line.rstrip())] for line in lines]
    assert format_text(corpus) == "".join(line[tokenize(line)[0].start :].rstrip() + "\n" for line in lines)
    assert read("\n" + format_text(corpus), "b.txt", format="text") == corpus
