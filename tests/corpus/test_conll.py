"""CoNLL columns: what is a token, a comment, a document, and what the writer makes of it."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracles import conll as oracle

from tagpool.corpus.conll import format_conll, read_conll
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.formats import format_of, read_corpus, write_corpus
from tagpool.errors import InputError


def rows(corpus: Corpus) -> list[list[str]]:
    """The tokens of each sentence, their columns joined by a bar."""
    return [["|".join(token) for token in zip(*sentence.columns.values(), strict=True)] for sentence in corpus]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b\nc d\n", [["a|b", "c|d"]]),
        ("a b\n\nc d\n", [["a|b"], ["c|d"]]),
        ("a b\n\n\n \t \n\nc d", [["a|b"], ["c|d"]]),
        ("\n\na b\n", [["a|b"]]),
        ("a b", [["a|b"]]),
        ("a  b \nc \t d\n", None),  # the first line has no tab, so runs of either are one separator; see below
        ("a\tb\nc d\te\n", [["a|b", "c d|e"]]),
        ("a\tb c\n", [["a|b c"]]),
        ("\ufeffa b\n", [["a|b"]]),
        ("\ufeff# text = a\na b\n", [["a|b"]]),
        ("a \ufeffb\n", [["a|\ufeffb"]]),
        ("a b\r\n\r\nc d\r\n", [["a|b"], ["c|d"]]),
        ("a b\r\r\n", [["a|b"]]),
        ("a\x85b c\n", [["a\x85b|c"]]),
        ("a\u2028b c\u00a0\n", [["a\u2028b|c\u00a0"]]),
        ("a\x0bb c\x0c\n", [["a\x0bb|c\x0c"]]),
        ("\U0001f44d O\n", [["\U0001f44d|O"]]),
    ],
)
def test_lines_become_tokens(read, text, expected):
    assert rows(read(text)) == (expected or [["a|b", "c|d"]])


@pytest.mark.parametrize(
    ("count", "names"),
    [(1, ("word",)), (2, ("word", "label")), (3, ("word", "pos", "label")), (4, ("word", "pos", "chunk", "label"))],
)
@pytest.mark.parametrize("separator", [" ", "\t", "   "])
def test_default_names(read, count, names, separator):
    corpus = read(separator.join("abcd"[:count]) + "\n")
    assert corpus.columns == names
    assert corpus.label_column == (None if count == 1 else "label")


def test_any_number_of_columns_can_be_named(read):
    names = [f"c{i}" for i in range(40)]
    corpus = read("\t".join(names) + "\n", columns=names, label="c7")
    assert corpus.columns == tuple(names)
    assert corpus.labels == [["c7"]]
    assert read("a b\n", columns=" word , label ").columns == ("word", "label")


def test_five_columns_need_names(read):
    with pytest.raises(InputError, match=r"file\.conll: 5 columns, .*columns="):
        read("a b c d e\n")


def test_label_can_be_any_column(read):
    corpus = read("a b c\n", label="pos")
    assert (corpus.label_column, corpus.labels) == ("pos", [["b"]])
    with pytest.raises(InputError, match=r"file\.conll: no column 'x' .* word, pos, label"):
        read("a b c\n", label="x")


@pytest.mark.parametrize(
    ("text", "words", "comments"),
    [
        ("# text = Ann left\nAnn O\n", [["Ann"]], ["# text = Ann left"]),
        ("# id= 5\nAnn O\n", [["Ann"]], ["# id= 5"]),
        ("# three words here\nAnn O\n", [["Ann"]], ["# three words here"]),
        ("# O\nAnn O\n", [["#", "Ann"]], []),
        ("#tag O\nAnn O\n", [["#tag", "Ann"]], []),
        ("#tag= O\nAnn O\n", [["#tag=", "Ann"]], []),
        ("#tag = O\nAnn O\n", [["Ann"]], ["#tag = O"]),
        ("Ann O\n# O\n", [["Ann", "#"]], []),
        ("Ann O\n\n# O\n", [["Ann"], ["#"]], []),
        ("Ann O\n\n# the last one\n", [["Ann"]], []),
        ("# a\tb\tc\nAnn O\n", [["Ann"]], ["# a\tb\tc"]),  # a comment's tab does not make the file tab-separated
        ("# a comment\nAnn Lee\tO\n", [["Ann Lee"]], ["# a comment"]),
        ("#\tO\nAnn\tO\n", [["#", "Ann"]], []),
    ],
)
def test_comments_and_hash_tokens(read, text, words, comments):
    corpus = read(text, columns="word,label")
    assert corpus.words == words
    assert [line for _, _, line in corpus.native.asides] == comments


def test_hash_tokens_of_three_columns(read):
    assert rows(read("# # O\nAnn NNP O\n")) == [["#|#|O", "Ann|NNP|O"]]


@pytest.mark.parametrize("line", ["#word", "#word a b"])
def test_a_ragged_hashtag_is_no_comment(read, line):
    with pytest.raises(InputError, match=r"file\.conll:1: expected 2 columns, got [13]"):
        read(f"{line}\nAnn O\n", columns="word,label")


@pytest.mark.parametrize(
    ("text", "documents"),
    [
        ("a O\n\nb O\n", []),
        ("-DOCSTART- O\n\na O\n\nb O\n", [0]),
        ("-DOCSTART- -X- O O\n\na O\n\n-DOCSTART-\n\nb O\n", [0, 1]),
        ("a O\n\n-DOCSTART- O\n\nb O\n", [0, 1]),
        ("a O\n-DOCSTART- O\nb O\n", [0, 1]),
        ("-DOCSTART-\n\n-DOCSTART-\n\na O\n\nb O\n", [0]),
        ("a O\n\nb O\n\n-DOCSTART-\n", [0]),
        ("-DOCSTART-\tO\n\na O\n\nb O\n", [0]),  # says nothing about the separator
        ("# newdoc\na O\n\n# newdoc id = x\nb O\n", [0, 1]),  # "# newdoc" has two columns, as a token here has
        ("# newdocument = 1\na O\n\nb O\n", []),
    ],
)
def test_documents(read, text, documents):
    corpus = read(text)
    assert corpus.words == [["a"], ["b"]]
    assert corpus.document_starts == documents


def test_newdoc_is_a_comment_whatever_the_number_of_columns(read):
    corpus = read("# newdoc id = x\na b c d e\n", columns="a,b,c,d,e")
    assert (len(corpus), corpus.token_count, corpus.document_starts) == (1, 1, [0])


def test_docstart_is_a_whole_word(read):
    assert read("-DOCSTART-x O\n").words == [["-DOCSTART-x"]]


def test_gzip_with_any_name_and_several_members(read):
    data = gzip.compress(b"a O\n") + gzip.compress(b"\nb O\n")
    assert read(data, "file.gz").words == [["a"], ["b"]]
    assert read(data, "file.conll").words == [["a"], ["b"]]
    assert read(gzip.compress("\ufeffa O\r\n".encode()), "file.gz").words == [["a"]]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-8-sig", "utf_8", "UTF-8"])
def test_encodings(read, encoding):
    assert read("café Ä\n".encode(encoding), encoding=encoding).words == [["café"]]


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("é O\n".encode()), encoding="ascii"))
    corpus = read_corpus("-")
    assert (corpus.words, corpus.source) == ([["é"]], "standard input")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a b\nc\n"), encoding="ascii"))
    with pytest.raises(InputError, match="standard input:2: expected 2 columns, got 1"):
        read_corpus("-")


def test_formats_by_name():
    names = {
        "a": "conll",
        "a.gz": "conll",
        "a.txt.gz": "conll",
        "a.conllu.gz": "conllu",
        "a.json": "jsonl",
        "a.ndjson.gz": "jsonl",
    }
    assert {name: format_of(name).value for name in names} == names
    assert format_of(Path("x.conllu/y")).value == "conll"


# Against the oracle ------------------------------------------------------------------------------------------------------

PIECES = [
    "a",
    "Bé",
    "#",
    "# ",
    "#x",
    "=",
    "= ",
    "key",
    "newdoc",
    "id",
    "-DOCSTART-",
    "-",
    " ",
    " ",
    " ",
    "\t",
    "\t",
    "  ",
    "\u2028",
    "\ufeff",
]
ENDS = ["\n"] * 6 + ["\n\n", "\n\n", "\r\n", "\n\t\n", " \n"]
JUNK = [b"\xff", b"\0", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\r", b"\n"]


@st.composite
def files(draw: st.DrawFn) -> tuple[bytes, int | None]:
    """A file and the number of columns to expect: mostly good lines, with comments and documents, and few bad ones."""
    columns, separator = draw(st.integers(1, 4)), draw(st.sampled_from([" ", "\t", "  "]))
    word = st.sampled_from(["a", "Bé", "#", "#x", "#x=", "=", "newdoc", "-DOCSTART-x"])
    regular = st.lists(word, min_size=columns, max_size=columns).map(separator.join)
    comment = st.sampled_from(
        ["# a = b", "# newdoc", "# newdoc id = 1", "# a b c d e", "# a\tb", "#", "-DOCSTART-", "-DOCSTART-\tO", "-DOCSTART- O"]
    )
    free = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
    kinds = {"regular": regular, "comment": comment, "free": free}
    lines = []
    for kind in draw(st.lists(st.sampled_from(["regular"] * 9 + ["comment"] * 3 + ["free"]), max_size=9)):
        lines.append(draw(kinds[kind]) + draw(st.sampled_from(ENDS)))
    data = "".join(lines).encode()
    if draw(st.integers(0, 5)) == 0:
        at = draw(st.integers(0, len(data)))
        data = data[:at] + draw(st.sampled_from(JUNK)) + data[at:]
    return data, draw(st.sampled_from([columns, columns, None, columns % 4 + 1]))


def outcome(read, data: bytes, columns: int | None) -> object:
    names = None if columns is None else [f"c{i}" for i in range(columns)]
    try:
        corpus = read(data, "oracle.conll", columns=names)
    except InputError as error:
        return "error", error.line
    tokens = [list(zip(*sentence.columns.values(), strict=True)) for sentence in corpus]
    return tokens, corpus.document_starts, corpus.native.asides


def expected_outcome(data: bytes, columns: int | None) -> object:
    try:
        parsed = oracle.parse(data, columns)
    except oracle.ConllError as error:
        return "error", error.line
    return parsed.sentences, parsed.documents, parsed.comments


@settings(deadline=None, max_examples=800)
@given(files())
@example((b"# a\tb\tc\nw O\n", None))
@example((b"-DOCSTART-\tO\n\na b\n", 2))
@example((b"# newdoc\na b\n", 2))
@example((b"#\n# \n#\t\n", 2))
def test_reader_agrees_with_the_oracle(read, file):
    assert outcome(read, *file) == expected_outcome(*file)


def test_a_wrong_oracle_is_noticed(read):
    data = b"# x\ty\tz\na b\n\n-DOCSTART- O\n\nc d\n"
    assert outcome(read, data, 2) == expected_outcome(data, 2)
    assert outcome(read, data.replace(b"-DOCSTART-", b"-DOCSTOP-"), 2) != expected_outcome(data, 2)
    assert outcome(read, data.replace(b"c d", b"c"), 2) == ("error", 6) != expected_outcome(data, 2)


# Writing -----------------------------------------------------------------------------------------------------------------


def test_written_columns(tmp_path):
    corpus = Corpus.from_columns(
        {"word": [["Ann", "left"], ["Rain"]], "label": [["B-X", "O"], ["O"]], "pos": [["NNP", "VBD"], ["NN"]]}, documents=[0, 1]
    )
    text = "-DOCSTART- -X- O\n\nAnn B-X NNP\nleft O VBD\n\n-DOCSTART- -X- O\n\nRain O NN\n\n"
    assert format_conll(corpus) == text
    assert format_conll(corpus, columns=["pos", "word"], separator="\t").splitlines()[2:4] == ["NNP\tAnn", "VBD\tleft"]
    write_corpus(corpus, tmp_path / "a.conll", columns="word, label")
    assert read_corpus(tmp_path / "a.conll") == corpus.with_columns(["word", "label"])
    write_corpus(corpus, tmp_path / "a.conll.gz")
    again = read_conll(tmp_path / "a.conll.gz", columns=["word", "label", "pos"])
    assert again == corpus
    assert gzip.decompress((tmp_path / "a.conll.gz").read_bytes()).decode() == text


def test_comments_are_written_back(read):
    text = "# text = Ann left\n# a longer remark\nAnn O\nleft O\n\n# newdoc id = 5\nRain O\n\n"
    corpus = read(text)
    assert format_conll(corpus).replace("-DOCSTART- O\n\n", "") == text
    again = read(format_conll(corpus))
    assert (again, again.native.asides) == (corpus, corpus.native.asides)


@pytest.mark.parametrize("word", ["New York", "", " ", "a\tb", "a\nb", "a\rb", "a\0b"])
def test_what_cannot_stand_in_a_column_is_refused(word, tmp_path):
    corpus = Corpus.from_columns({"word": [["x", word]], "label": [["O", "O"]]}, source="somewhere")
    with pytest.raises(InputError, match=r"somewhere: column 'word' has .* does not fit into one column"):
        write_corpus(corpus, tmp_path / "a.conll")
    assert not list(tmp_path.iterdir())


def test_tabs_allow_blanks_inside(read):
    corpus = Corpus.from_lists(word=[["New York", "#"]], label=[["B-LOC x", "O"]])
    assert read(format_conll(corpus, separator="\t")) == corpus
    with pytest.raises(InputError, match="'New York'"):  # a single column has no tab that shows the separator
        format_conll(corpus, columns=["word"], separator="\t")


def test_only_the_strings_of_the_part_matter():
    corpus = Corpus.from_lists(word=[["New York"], ["Rome"]])
    assert format_conll(corpus[1:]) == "Rome\n\n"


@pytest.mark.parametrize("separator", ["", ",", "  ", "\n", "O"])
def test_other_separators_are_refused(separator):
    with pytest.raises(InputError, match="separator"):
        format_conll(Corpus.from_lists(word=[["a"]]), separator=separator)


words = st.sampled_from(["a", "é", "#", "#a", "#a=", "a=", "=a", "#newdoc", "O", "-DOCSTART-x", "\u2028", "👍", "\ufeff"])


@settings(deadline=None, max_examples=200)
@given(
    rows=st.lists(st.lists(st.tuples(words, words, words), min_size=1, max_size=4), min_size=1, max_size=4),
    separator=st.sampled_from([" ", "\t"]),
    marks=st.sets(st.integers(0, 3)),
)
def test_written_corpora_are_read_back(read, rows, separator, marks):
    columns = {name: [[token[c] for token in row] for row in rows] for c, name in enumerate(["word", "pos", "label"])}
    corpus = Corpus.from_columns(columns, documents=sorted(mark for mark in marks if mark < len(rows)))
    text = format_conll(corpus, separator=separator)
    again = read(text, columns="word,pos,label")
    assert again == corpus
    assert not again.native.asides


def test_a_word_docstart_is_refused():
    with pytest.raises(InputError, match="-DOCSTART-"):
        format_conll(Corpus.from_lists(word=[["a", "-DOCSTART-"]]))


@settings(deadline=None, max_examples=200)
@given(
    comments=st.lists(
        st.text(st.sampled_from("a =\t\tk"), max_size=6).map("# ".__add__) | st.sampled_from(["#", "# newdoc", "#a b"])
    ),
    columns=st.integers(1, 4),
)
def test_no_comment_is_written_that_would_be_a_token(read, comments, columns):
    lists = {f"c{i}": [["a"]] for i in range(columns)}
    corpus = Corpus.from_columns(lists, asides=[(0, 0, comment) for comment in comments])
    again = read(format_conll(corpus), columns=list(lists))
    assert again.token_count == 1
