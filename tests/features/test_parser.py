"""The template language: what is written is what is read, and every error points at its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import template_sets

from tagpool.corpus.corpus import Corpus
from tagpool.errors import TemplateError
from tagpool.features.encoder import Encoder
from tagpool.features.functions import FUNCTIONS
from tagpool.features.parser import parse
from tagpool.features.presets import preset_names, preset_text
from tagpool.features.template import Call, Field, Range, Template, TemplateSet, Term

# Reading and writing ------------------------------------------------------------------------------------------------------


@given(template_sets(history=True, size=8))
def test_what_is_written_is_read_again(templates):
    assert parse(str(templates)) == templates
    for template in templates:
        (alone,) = parse(str(template))
        assert (alone.terms, alone.name) == (template.terms, template.name)


@given(
    st.dictionaries(st.sampled_from(["lists", "brown"]), st.text(st.characters(exclude_characters='"\n'), min_size=1), min_size=1)
)
def test_paths_are_written_and_read_again(uses):
    templates = parse("gazetteer(lists)[0]\ncluster(brown)[0]")
    with_uses = TemplateSet(templates.templates, tuple(uses.items()))
    assert parse(str(with_uses)) == with_uses


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("word", "word[0]"),
        ("  word [ -1 .. +1 ]  # a comment", "word[-1..1]"),
        ("lower[0]", "lower(word)[0]"),
        ("shape(short)", "shape(word, short)[0]"),
        ("shape(pos,short)", "shape(pos, short)[0]"),
        ("ngrams(2..4,edges)", "ngrams(word, 2..4, edges)[0]"),
        ("gazetteer(x, word, plain)[0,1]", "gazetteer(x, plain)[0, 1]"),
        ("cluster(brown,4,6)", "cluster(brown, 4, 6)[0]"),
        ("cluster(brown, lower, 4)", "cluster(brown, lower(word), 4)[0]"),
        ("name:word&pos", "name: word[0] & pos[0]"),
        ("a-b-c : x", "a-b-c: x[0]"),
        ("embedding(glove)[-1..-1]", "embedding(glove)[-1]"),
        ("position", "position[0]"),
        ("bias[0]", "bias[0]"),
        ("label[-1,-2]", "label[-1, -2]"),
        ("word[-0]", "word[0]"),
        ("\tword\t[0]\r", "word[0]"),
        ("capitals(-1..1)", "capitals(word, -1..1)[0]"),
    ],
)
def test_canonical_spelling(text, canonical):
    assert list(map(str, parse(text))) == list(map(str, parse(canonical))) == [canonical]


def test_a_template_in_full():
    (template,) = parse("T: prefix(lower(word), 1, 3..4)[-1, 1..2] & gazetteer(names, plain)[0]")
    prefix = Call("prefix", Call("lower", Field("word")), numbers=(Range(1, 1), Range(3, 4)))
    names = Call("gazetteer", Field("word"), "names", flag="plain")
    zero = (Range(0, 0),)
    assert template == Template((Term(prefix, (Range(-1, -1), Range(1, 2))), Term(names, zero)), "T")


def test_bags_directives_and_lines():
    text = "\ufeffuse g from lists/g.txt # here\n\n# nothing\nboundary off\nword\r\n"
    text += "[a, b , a]\nlower # x\n[base]\ngazetteer(g)\n[c-1]\npos"
    result = parse(text, source="t.txt")
    assert [(str(t), t.bags, t.line) for t in result] == [
        ("word[0]", (), 5),
        ("lower(word)[0]", ("a", "b"), 7),
        ("gazetteer(g)[0]", (), 9),
        ("pos[0]", ("c-1",), 11),
    ]
    assert result.bags == ("a", "b", "c-1")
    assert result.uses == (("g", "lists/g.txt"),)
    assert not result.boundary
    assert parse('use g from "a # b"\ngazetteer(g)').uses == (("g", "a # b"),)
    assert parse("boundary off\nboundary on\nword").boundary


def test_restrict_and_without():
    result = parse("word\n[a]\ncluster(brown)\n[b]\ndisjunction(cluster(brown), -1..1)\ngazetteer(g)")
    assert [str(t) for t in result.restrict("a")] == ["word[0]", "cluster(brown)[0]"]
    assert [str(t) for t in result.restrict("base")] == ["word[0]"]
    assert [str(t) for t in result.without("brown")] == ["word[0]", "gazetteer(g)[0]"]
    assert result.resources == {"brown": "cluster", "g": "gazetteer"}
    with pytest.raises(TemplateError, match=r"no bag 'c'; the bags are base, a, b"):
        result.restrict("c")
    with pytest.raises(TemplateError, match=r"no template uses a resource 'x'; the resources are brown, g"):
        result.without("x")


# Errors -------------------------------------------------------------------------------------------------------------------

BAD = [
    # template, column of the caret, part of the message
    ("wrd(word)[0]", 0, "unknown function 'wrd'; the functions are lower"),
    ("word[0] & foo(word)[0]", 10, "unknown function 'foo'"),
    ("word[0", 6, "expected ], got the end of the line"),
    ("word[0 & pos[0]", 7, "expected ], got '&'"),
    ("lower(word[0]", 10, "expected a comma or ), got '['"),
    ("lower(word", 10, "expected a comma or ), got the end of the line"),
    ("lower(", 6, "expected a field or a function"),
    ("lower()", 6, "expected a field or a function"),
    ("lower(word,)", 11, "unexpected argument"),
    ("word[]", 5, "expected an offset"),
    ("word[x]", 5, "expected an offset, such as 0 or -2..2, got 'x'"),
    ("word[1..]", 8, "expected the last number of the range, got ']'"),
    ("word[2..-2]", 5, "the range 2..-2 is empty: write -2..2"),
    ("word[0, 2..1]", 8, "empty"),
    ("prefix(word, 3..1)[0]", 13, "empty"),
    ("word[51]", 5, "offset out of range: expected -50 to 50, got 51"),
    ("word[0] & word[0, -51..0]", 18, "offset out of range"),
    ("word[0, 0]", 0, "the offset 0 occurs twice"),
    ("word & pos[1, 0..2]", 7, "the offset 1 occurs twice"),
    ("label[0]", 6, "unknown when tagging"),
    ("word & label[-1..1]", 13, "unknown when tagging"),
    ("label", 0, "expected negative offsets"),
    ("word[0] & label", 10, "expected negative offsets"),
    ("label[-9]", 6, "offset out of range: expected -8 to 8, got -9"),
    ("lower(label)[-1]", 6, "label is not an argument of functions"),
    ("number(label)", 7, "label is not an argument of functions"),
    ("gazetteer(g, label)", 13, "label is not an argument of functions"),
    ("embedding(glove)[0] & word[0]", 0, "an embedding is dense"),
    ("word[0] & embedding(glove)[0]", 10, "an embedding is dense"),
    ("E: embedding(glove)[0]", 0, "an embedding has no name"),
    ("lower(word, 3)", 12, "lower takes no numbers: write it as lower(word)[0]"),
    ("orthography(word, 2)", 18, "takes no numbers"),
    ("gazetteer(g, 3)", 13, "takes no numbers"),
    ("lower(word, pos)", 12, "unexpected argument"),
    ("lower(word, short)", 12, "unexpected argument: write it as lower(word)[0]"),
    ("shape(word, long)", 12, "unexpected argument: write it as shape(word, short)[0]"),
    ("shape(word, short, short)", 19, "unexpected argument"),
    ("shape(short, word)", 13, "unexpected argument"),
    ("prefix(2, word)", 10, "unexpected argument"),
    ("prefix(word)", 0, "prefix needs lengths, as in prefix(word, 1..4)[0]"),
    ("word & suffix", 7, "suffix needs lengths"),
    ("ngrams(word)", 0, "ngrams needs one range of numbers"),
    ("ngrams(word, 2, 3)", 0, "ngrams needs one range of numbers"),
    ("disjunction(word)", 0, "disjunction needs one range of numbers"),
    ("capitals", 0, "capitals needs one range of numbers"),
    ("prefix(word, 0)", 13, "out of range: expected numbers from 1 to 512, got 0"),
    ("prefix(word, 1, 2..513)", 16, "out of range"),
    ("ngrams(word, -1..2)", 13, "out of range"),
    ("disjunction(word, -51..0)", 18, "out of range: expected numbers from -50 to 50"),
    ("gazetteer", 0, "gazetteer needs a resource, as in gazetteer(cities)[-1..1]"),
    ("gazetteer()", 10, "expected the name of a resource"),
    ("cluster(4)", 8, "expected the name of a resource"),
    ("embedding[0]", 0, "embedding needs a resource"),
    ("lower(ngrams(word, 2))", 6, "lower does not apply to ngrams, which has several values or none"),
    ("disjunction(gazetteer(g), -1..1)", 12, "gazetteer, which has several values or none"),
    ("lower(bias)", 6, "bias, which has several values or none"),
    ("capitals(lower(word), -1..1)", 9, "capitals applies to a column"),
    ("number(lower(word))", 7, "number applies to a column"),
    ("position(word)", 9, "unexpected argument: write it as position[0]"),
    ("bias[1]", 0, "bias is the same at every offset"),
    ("bias[-1..1]", 0, "bias is the same at every offset"),
    ("word[1000000]", 5, "the number is too large"),
    ("prefix(word, 99999999999999999999)", 13, "the number is too large"),
    ("word[0] pos[0]", 8, "expected & and another term, or the end of the line, got 'pos'"),
    ("word[0] &", 9, "expected a field or a function, such as word or shape, got the end of the line"),
    ("& word", 0, "expected a field or a function"),
    ("a: b: word", 4, "expected & and another term"),
    (": word", 0, "expected a field or a function"),
    ("T:", 2, "expected a field or a function"),
    ("word[0] | pos[0]", 8, "unexpected '|'"),
    ("wörd[0]", 1, "unexpected 'ö'"),
    ("word[0]  é", 9, "unexpected 'é'"),
    ("word[0]\u00a0& pos[0]", 7, "unexpected '\\xa0'"),
    ("word[٣]", 5, "unexpected"),
    ("0", 0, "expected a field or a function"),
    ("word[0]]", 7, "expected & and another term"),
    ("word.lower", 4, "unexpected '.'"),
    ("word-1[0]", 4, "expected & and another term"),
    ("\tword\t[x]", 7, "expected an offset"),
    ("lower(" * 100 + "word" + ")" * 100, None, "nested"),
    ("lower(" * 5000, None, "nested"),
    # headers and directives
    ("[]", 1, "expected the name of a bag"),
    ("[a b]", 1, "expected the name of a bag"),
    ("[a, 1b]", 4, "expected the name of a bag"),
    (
        "[a,  ,b]",
        5,  # at the comma before which a name is missing
        "expected the name of a bag",
    ),
    ("[a, base]", 4, "[base] belongs to every bag; write it alone"),
    ("[a", 0, "expected a field or a function"),
    ("[a] word[0]", 0, "expected a field or a function"),
    ("boundary maybe", 9, "expected on or off"),
    ("  boundary   ON # x", 13, "expected on or off"),
    ("boundary on off", 9, "expected & and another term"),
    ("use g gazetteers/g", 4, "expected use NAME from PATH"),
    ("use g from", 4, "expected use NAME from PATH"),
    ("use g from my lists", 4, "in double quotes if it has blanks"),
    ('use g from "x', 4, "expected use NAME from PATH"),
]


@pytest.mark.parametrize(("line", "column", "message"), BAD, ids=[line[:30] for line, *_ in BAD])
def test_errors_point_at_their_place(line, column, message):
    with pytest.raises(TemplateError) as caught:
        parse(f"word[0]\n# comment\n{line}\nbias", source="my.txt")
    error = caught.value
    assert message in error.message
    assert (error.source, error.line, error.text) == ("my.txt", 3, line)
    if column is not None:
        assert error.column == column
    head, shown, caret = str(error).split("\n")
    assert head == f"my.txt:3: {error.message}"
    assert shown == "  " + line.replace("\t", " ")
    assert caret == "  " + " " * error.column + "^"


def test_flag_and_numbers_in_any_order():
    assert str(parse("ngrams(word, edges, 2)")) == "ngrams(word, 2, edges)[0]\n"


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("cluster(x)\nword & gazetteer(x)", 2, 7, "the resource 'x' is used as a cluster above and as a gazetteer here"),
        ("gazetteer(x, lower(cluster(x)))", 1, 0, "the resource 'x' is used as a gazetteer above and as a cluster here"),
        ("ambiguity(x)\nbias\ndisjunction(cluster(x), 0..1)", 3, 0, "is used as a ambiguity above and as a cluster here"),
        ("T: word\n[a]\nT: pos", 3, 0, "must be in the same bags"),
    ],
)
def test_errors_between_lines(text, line, column, message):
    with pytest.raises(TemplateError) as caught:
        parse(text)
    assert message in caught.value.message
    assert (caught.value.line, caught.value.column) == (line, column)


@pytest.mark.parametrize("text", ["", "\n\n", "# only words\n", "[a]\n", "boundary off", "use g from x", "\ufeff"])
def test_files_without_templates(text):
    with pytest.raises(TemplateError, match=r"^t.txt: expected at least one template"):
        parse(text, source="t.txt")


def test_a_resource_that_nothing_uses():
    with pytest.raises(TemplateError, match=r"^t.txt: no template uses the resource 'g' \(use g from x.txt\)"):
        parse("use g from x.txt\nword", source="t.txt")


def test_errors_of_the_compiler_point_too():
    corpus = Corpus.from_lists(word=[["a"]])
    text = "word[0]\nword[0] &  lower(pos)[1]"
    with pytest.raises(TemplateError) as caught:
        Encoder(text).fit(corpus)
    assert (caught.value.line, caught.value.column) == (2, 11)
    assert str(caught.value).endswith("\n  word[0] &  lower(pos)[1]\n             ^")
    with pytest.raises(TemplateError, match=r"the gazetteer 'g' is missing; pass resources=") as caught:
        Encoder("word[0] & gazetteer(g)").fit(corpus)
    assert caught.value.column == 10


# Anything at all ----------------------------------------------------------------------------------------------------------


def reads_or_refuses(text: str) -> None:
    try:
        result = parse(text)
    except TemplateError as error:
        assert error.text is None or 0 <= error.column <= len(error.text)  # noqa: PT017
        str(error)
    else:
        assert parse(str(result)) == result


@given(st.text())
def test_any_text_is_read_or_refused(text):
    reads_or_refuses(text)


pieces = st.sampled_from(
    [
        *FUNCTIONS,
        *"[](),&:#|\n\t \"'",
        "..",
        "-1",
        "0",
        "2",
        "999",
        "1234567",
        "word",
        "label",
        "pos",
        "short",
        "plain",
        "edges",
        "dfi",
        "base",
        "boundary",
        "on",
        "off",
        "use",
        "from",
        "x",
        "é",
        "\xa0",
        "\r\n",
        "\r",
        "\x00",
        "\u2028",
        "\ufeff",
    ]
)


@given(st.lists(pieces, max_size=30).map("".join))
def test_any_sequence_of_tokens_is_read_or_refused(text):
    reads_or_refuses(text)


@given(st.sampled_from([preset_text(name) for name in preset_names()]), st.data())
def test_mutations_of_presets_are_read_or_refused(text, data):
    lines = text.split("\n")
    number = data.draw(st.integers(0, len(lines) - 1))
    line = lines[number]
    begin = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(begin, min(len(line), begin + 3)))
    lines[number] = line[:begin] + data.draw(st.one_of(pieces, st.just(""))) + line[end:]
    reads_or_refuses("\n".join(lines))
