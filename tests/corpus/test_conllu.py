"""CoNLL-U: what is read is written back byte for byte."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagpool.corpus.conll import CONLLU_COLUMNS, format_conllu, read_conllu
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.formats import write_corpus
from tagpool.errors import InputError


def line(identifier: str, form: str = "w", **fields: str) -> str:
    return "\t".join([identifier, form, *(fields.get(name, "_") for name in CONLLU_COLUMNS[1:])]) + "\n"


SAMPLE = (
    "# newdoc id = d1\n# sent_id = 1\n# text = vámonos al mar\n"
    + line("1-2", "vámonos")
    + line("1", "vamos", lemma="ir", upos="VERB", xpos="V", feats="Mood=Imp|Number=Plur", head="0", deprel="root")
    + line("2", "nos", upos="PRON", head="1", misc="A b=c")
    + line("2.1", "nada")
    + line("3-4", "al")
    + line("3", "a", upos="ADP")
    + line("4", "el", upos="DET")
    + line("5", "mar", upos="NOUN", deps="1:obl:a")
    + line("5.1", "fin")
    + "\n# sent_id = 2\n#no blank\n#\n"
    + line("0.1", "e")
    + line("1", "New York", upos="PROPN")
    + "\n# newdoc\n"
    + line("1", "#", upos="SYM")
    + "\n"
)


def test_sample(read):
    corpus = read(SAMPLE, "a.conllu")
    assert corpus.words == [["vamos", "nos", "a", "el", "mar"], ["New York"], ["#"]]
    assert corpus.columns == CONLLU_COLUMNS
    assert (corpus.label_column, corpus.labels[0][:2]) == ("upos", ["VERB", "PRON"])
    assert corpus.document_starts == [0, 2]
    assert len(corpus.native.asides) == 12
    assert format_conllu(corpus) == SAMPLE
    assert read(SAMPLE, "a.conllu", label="xpos").labels[0][0] == "V"


def test_small_differences_in_writing_are_levelled(read):
    assert (
        format_conllu(read("\ufeff\n\n" + SAMPLE.replace("\n\n", "\n\n \n\n").replace("\n", "\r\n").rstrip(), "a.conllu"))
        == SAMPLE
    )


def test_parts_keep_their_comments_and_documents(read):
    part = read(SAMPLE, "a.conllu").select([2, 1])
    assert part.document_starts == [0, 1]
    written = format_conllu(part)
    assert (
        written
        == "# newdoc\n"
        + line("1", "#", upos="SYM")
        + "\n# newdoc\n# sent_id = 2\n#no blank\n#\n"
        + line("0.1", "e")
        + line("1", "New York", upos="PROPN")
        + "\n"
    )
    assert read(written, "b.conllu") == part


@pytest.mark.parametrize(("comment", "added"), [("#newdoc", False), ("#  newdoc id = 4", False), ("# newdocument = 4", True)])
def test_documents_are_marked_once(comment, added):
    corpus = Corpus.from_columns({"word": [["a"]]}, documents=[0], asides=[(0, 0, comment)])
    assert format_conllu(corpus).startswith("# newdoc\n" + comment if added else comment)


def test_other_corpora_get_the_columns_they_have():
    corpus = Corpus.from_lists(word=[["Ann", "left"]], pos=[["NNP", "VBD"]], label=[["B-PER", "O"]], space=[[" ", ""]])
    assert format_conllu(corpus) == line("1", "Ann", xpos="NNP") + line("2", "left", xpos="VBD") + "\n"  # entities are no UPOS
    tagged = Corpus.from_lists(word=[["Ann", "left"]], label=[["PROPN", "VERB"]])
    assert format_conllu(tagged) == line("1", "Ann", upos="PROPN") + line("2", "left", upos="VERB") + "\n"


@pytest.mark.parametrize("word", ["", "a\tb", "a\nb"])
def test_what_cannot_be_written_is_refused(word, tmp_path):
    with pytest.raises(InputError, match="does not fit into one column"):
        write_corpus(Corpus.from_lists(word=[[word]]), tmp_path / "a.conllu")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (line("2"), r"a\.conllu:1: expected token id 1, got \"2\""),
        (line("0"), r":1: expected token id 1"),
        (line("01"), r":1: expected token id 1"),
        (line("1") + line("1"), r":2: expected token id 2, got \"1\""),
        (line("1") + line("3"), r":2: expected token id 2"),
        (line("1") + "# newdoc\n" + line("2"), r":3: expected token id 1"),
        (line("a-b") + line("1"), r":1: expected token id 1"),
        (line("-") + line("1"), r":1: expected token id 1"),
        (line("1-") + line("1"), r":1: expected token id 1"),
        (line("1.x") + line("1"), r":1: expected token id 1"),
        (line("1-2-3") + line("1"), r":1: expected token id 1"),
        (line("-DOCSTART-"), r":1: expected token id 1"),
        ("1\tw\n", r":1: expected 10 columns, got 2"),
        (line("1").replace("\t", " "), r":1: expected 10 columns, got 1"),
        (line("1", ""), r":1: column 2 is empty"),
        (line("1") + line("x" * 50 + "é"), r':2: expected token id 2, got "x{40}\.\.\."'),
        (line("1-2"), r"a\.conllu: expected sentences, got none"),
        ("# a\n", r"a\.conllu: expected sentences, got none"),
    ],
)
def test_errors_name_the_line(read, text, where):
    with pytest.raises(InputError, match=where):
        read(text, "a.conllu")


fields = st.text(st.sampled_from("ab #-.1é\u2028"), min_size=1, max_size=4).filter(str.strip)
comments = st.sampled_from(["# newdoc", "# text = a b", "#", "#x", "# newdocs"])


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.lists(comments, max_size=3), st.lists(st.tuples(*[fields] * 9), min_size=1, max_size=4), st.booleans()),
        min_size=1,
        max_size=4,
    )
)
def test_round_trip_byte_for_byte(read, sentences):
    lines = []
    for number, (remarks, tokens, extra) in enumerate(sentences):
        starts = [r for r in remarks if r == "# newdoc"]
        # Sentences before the first mark are a document of their own, which the writer marks: keep to files that begin with one.
        lines += ["# newdoc"] if number == 0 and not starts else []
        lines += remarks
        for position, token in enumerate(tokens, 1):
            lines += [line(f"{position}-{position + 1}").rstrip("\n")] if extra else []
            lines.append("\t".join([str(position), *token]))
        lines.append("")
    text = "\n".join(lines) + "\n"
    assert format_conllu(read(text, "random.conllu")) == text


def test_real_treebank_byte_for_byte(real_data):
    path = real_data / "ud-ewt/en_ewt-ud-dev.conllu.gz"
    assert format_conllu(read_conllu(path)).encode() == gzip.decompress(path.read_bytes())
