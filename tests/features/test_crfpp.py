"""CRF++ template files, read into templates of our own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import encoder as oracle

from tagpool.corpus.corpus import Corpus
from tagpool.errors import TemplateError
from tagpool.features.crfpp import looks_like_crfpp, parse_crfpp
from tagpool.features.encoder import Encoder
from tagpool.features.parser import parse
from tagpool.features.presets import load_templates, read_templates

# The template of CRF++'s chunking example, in its usual form.
CHUNKING = """# Unigram
U00:%x[-2,0]
U01:%x[-1,0]
U02:%x[0,0]
U05:%x[-1,0]/%x[0,0]

U10:%x[-2,1]
U15:%x[-2,1]/%x[-1,1]
U20:%x[-2,1]/%x[-1,1]/%x[0,1]

# Bigram
B
"""


def test_a_template_file():
    assert str(parse_crfpp(CHUNKING)).splitlines() == [
        "U00: column0[-2]",
        "U01: column0[-1]",
        "U02: column0[0]",
        "U05: column0[-1] & column0[0]",
        "U10: column1[-2]",
        "U15: column1[-2] & column1[-1]",
        "U20: column1[-2] & column1[-1] & column1[0]",
        "B: label[-1]",
    ]
    assert [template.line for template in parse_crfpp(CHUNKING)][:5] == [2, 3, 4, 5, 7]
    assert parse(str(parse_crfpp(CHUNKING))) == parse_crfpp(CHUNKING)


def test_bigram_lines_look_at_the_previous_label():
    result = parse_crfpp("B\nB01:%x[0,0]\nB01:%x[ +1 , 2 ]")
    assert [str(template) for template in result] == [
        "B: label[-1]",
        "B01: label[-1] & column0[0]",
        "B01: label[-1] & column2[1]",
    ]
    assert all(template.is_history for template in result)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CHUNKING, True),
        ("U00:%x[0,0]", True),
        ("\ufeffU00:%x[0,0]", True),
        ("\n  # x\n  U00:%x[0,0]", True),
        ("B\n", True),
        ("U\n", True),
        ("word[0]\n", False),
        ("B: word[0]\n", False),
        ("UPOS[0]  # 50% of them\n", False),
        ("", False),
        ("# U00:%x[0,0]", False),
    ],
)
def test_whose_file_it_is(text, expected):
    assert looks_like_crfpp(text) is expected


def test_features_over_a_corpus():
    """Columns by number, as CRF++ has them; lines of one identifier are a bag of words."""
    sentences = [{"word": ["He", "reckons", "He"], "pos": ["PRP", "VBZ", "He"]}, {"word": ["the"], "pos": ["DT"]}]
    corpus = Corpus.from_columns({name: [s[name] for s in sentences] for name in ("word", "pos")})
    text = "U:%x[-1,0]\nU:%x[0,0]\nU:%x[1,0]\nU:%x[0,1]\nU9:%x[0,0]/%x[-1,1]"
    encoder = Encoder(text)
    encoded = encoder.fit_transform(corpus)
    expected = oracle.encode(parse_crfpp(text), sentences, {})
    starts = encoded.starts.tolist()
    names = encoder.feature_names
    for row, begin, end in zip(expected, starts, starts[1:], strict=False):
        assert sorted(names[i] for i in encoded.ids[begin:end]) == sorted(name for name, _ in row)
    assert {name: value for name, value in oracle.counts(expected).items() if "He" in name} == {
        "U=He": 5,
        "U9=He|_B-1": 1,
        "U9=He|VBZ": 1,
        }  # fmt: skip
    assert sorted(expected[0]) == [("U9=He|_B-1", 1.0), ("U=He", 1.0), ("U=PRP", 1.0), ("U=_B-1", 1.0), ("U=reckons", 1.0)]


def test_history_and_labels():
    corpus = Corpus.from_lists(word=[["a", "b"]], label=[["X", "Y"]])
    with pytest.raises(TemplateError, match=r"label\[-1\] depends on previous labels"):
        Encoder("U00:%x[0,0]\nB").fit(corpus)
    encoder = Encoder("U00:%x[0,0]\nB\nB1:%x[0,0]", history=True).fit(corpus)
    assert encoder.feature_names == ["U00=a", "U00=b"]
    assert sorted(encoder.history_names) == ["B1=a", "B1=b", "B=1"]
    with pytest.raises(TemplateError, match=r"'column1' is the column of the labels"):
        Encoder("U00:%x[0,0]\nU01:%x[0,1]").fit(corpus)
    with pytest.raises(TemplateError, match=r"unknown field 'column2'; the columns are word, label") as caught:
        Encoder("U00:%x[0,0]/%x[0,2]").fit(corpus)
    assert (caught.value.line, caught.value.column) == (1, 12)


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ("X00:%x[0,0]", 0, "expected a line that begins with U, B or #"),
        ("  word[0]", 2, "expected a line that begins with U, B or #"),
        ("U01:%x[0]", 4, "expected macros of the form %x[row,column]"),
        ("U01:%x[0,0]/%x[0", 12, "expected macros of the form"),
        ("U01:%x[0,0]/%y[0,0]", 12, "expected macros of the form"),
        ("U01:%x[0,-1]", 4, "expected macros of the form"),
        ("U01:%x[1234567,0]", 4, "expected macros of the form"),
        ("U01:%x[51,0]", 4, "offset out of range: expected -50 to 50, got 51"),
        ("U01:%x[0,0]/%x[-51,0]", 12, "offset out of range"),
        ("U01:", 0, "expected at least one macro"),
        ("U", 0, "expected at least one macro"),
    ],
)
def test_errors_point_at_their_place(line, column, message):
    with pytest.raises(TemplateError) as caught:
        parse_crfpp(f"# comment\nU00:%x[0,0]\n{line}\n", source="template")
    error = caught.value
    assert message in error.message
    assert (error.source, error.line, error.column, error.text) == ("template", 3, column, line)


def test_identifiers_that_cannot_be_told_apart():
    with pytest.raises(TemplateError, match=r"^t:2: the identifiers 'U-1' and 'U\+1' become the same name"):
        parse_crfpp("U-1:%x[0,0]\nU+1:%x[0,0]", source="t")


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n"])
def test_an_empty_file(text):
    with pytest.raises(TemplateError, match=r"^t: expected at least one line such as U00"):
        parse_crfpp(text, source="t")


def test_files_of_both_kinds(tmp_path):
    ours, theirs = tmp_path / "ours.txt", tmp_path / "template"
    ours.write_text("word[0]\n")
    theirs.write_text(CHUNKING)
    assert str(read_templates(ours)) == "word[0]\n"
    assert read_templates(theirs) == load_templates(str(theirs)) == load_templates(CHUNKING) == parse_crfpp(CHUNKING)
    theirs.write_text("U00:%x[0,0]\nU01:%x[0\n")
    with pytest.raises(TemplateError, match=r"template:2: expected macros"):
        load_templates(theirs)


pieces = st.sampled_from(
    [
        "U",
        "B",
        "U01",
        ":",
        "%x[0,0]",
        "%x[-1,1]",
        "%x[",
        "%",
        "/",
        "\n",
        " ",
        "#",
        "é",
        "]",
        "9" * 20,
        "٣",
        "%x[٣,0]",
        "\x85",
        "\t",
    ]
)


@given(st.one_of(st.text(), st.lists(pieces, max_size=20).map("".join)))
def test_any_text_is_read_or_refused(text):
    try:
        result = parse_crfpp(text)
    except TemplateError as error:
        assert error.text is None or 0 <= error.column <= len(error.text)  # noqa: PT017
    else:
        assert parse(str(result)) == result
