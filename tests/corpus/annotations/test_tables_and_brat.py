"""Tables, stand-off files and columns as annotations."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tagpool import Corpus, InputError, read_corpus, write_corpus
from tagpool.corpus.annotations.annotation import CharSpan
from tagpool.corpus.annotations.reading import read_annotations


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_a_table_of_tokens(tmp_path):
    path = write(tmp_path, "a.csv", 'sentence,token,label,b,score\n1,Ann,B-PER,O,0.5\n1,left,O,O,\n2,",",?,O,x\n')
    first, second = read_annotations(path).annotations
    assert (first.words, first.layers[""].labels, first.layers[""].scores) == (["Ann", "left"], ["B-PER", "O"], [0.5, None])
    assert (second.words, second.layers[""].labels, second.token_line(0)) == ([","], [None], 4)
    assert read_annotations(path, column="*").names == ["b"]


def test_a_table_as_on_kaggle(tmp_path):
    path = write(tmp_path, "a.csv", "Sentence #,Word,POS,Tag\nSentence: 1,Ann,NNP,B-per\n,left,VBD,O\nSentence: 2,Rain,NN,O\n")
    assert [one.words for one in read_annotations(path).annotations] == [["Ann", "left"], ["Rain"]]
    assert read_annotations(path).annotations[0].layers[""].labels == ["B-per", "O"]


def test_a_table_of_a_crowd(tmp_path):
    rows = "s1\tAnn\tw1\tB-PER\ns1\tAnn\tw2\tO\ns1\tleft\tw1\tO\ns1\tleft\tw2\tO\ns2\tRain\tw2\tO\n"
    path = write(tmp_path, "a.tsv", f"sentence\ttoken\tworker\tlabel\n{rows}")
    file = read_annotations(path, column="*")
    assert file.names == ["w1", "w2"]
    assert {name: layer.labels for name, layer in file.annotations[0].layers.items()} == {"w1": ["B-PER", "O"], "w2": ["O", "O"]}
    assert list(file.annotations[1].layers) == ["w2"]
    with pytest.raises(
        InputError, match=r"the columns or annotators are w1, w2; choose one with @NAME, such as @w1, or all with @\*"
    ):
        read_annotations(path)


def test_a_tsv_file_without_a_header_has_columns(tmp_path):
    (annotation,) = read_annotations(write(tmp_path, "a.tsv", "Ann\tB-PER\nleft\tO\n")).annotations
    assert annotation.layers[""].labels == ["B-PER", "O"]
    assert annotation.token_line(1) == 2


def test_a_table_of_spans(tmp_path):
    path = write(tmp_path, "a.csv", "doc;text;start;end;label\n1;Ann left.;0;3;PER\n1;Ann left.;4;8;ACT\n2;Rain;;;\n")
    first, second = read_annotations(path).annotations
    assert first.layers[""].spans == [CharSpan(0, 3, "PER", None, 2), CharSpan(4, 8, "ACT", None, 3)]
    assert second.layers[""].spans == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "a.csv:1: expected the columns token and label, or text, start, end and label; the header has a, b"),
        ("token,label\nAnn\n", "a.csv:2: expected 2 columns, as the header has, got 1"),
        ("token,label\n", "a.csv:1: expected a header and rows, got no rows"),
        ("sentence,token,label\n1,,O\n", "a.csv:2: expected a token, got an empty field"),
        ("token,worker,label\nAnn,a,O\n", "a.csv:1: a table with workers needs the columns sentence and label"),
        ("text,start,end,label\nAnn,0,9,PER\n", "a.csv:2: span 0 9 is outside the text of 3 characters"),
        ("text,start,end,label\nAnn,0,x,PER\n", "a.csv:2: expected the numbers of characters, got start '0' and end 'x'"),
        ("text,start,end,label\nAnn,0,3,\n", "a.csv:2: expected the type of a span in the column label"),
        ("sentence,token,worker,label\n1,Ann,a,O\n1,Bob,b,O\n", "a.csv:3: worker 'b' has other tokens in sentence '1'"),
    ],
)
def test_bad_tables_are_refused_with_their_line(tmp_path, text, message):
    with pytest.raises(InputError) as error:
        read_annotations(write(tmp_path, "a.csv", text))
    assert message in str(error.value)


def test_files_of_brat(tmp_path):
    write(tmp_path, "a.txt", "Ann Lee left.\nShe is in New York and Oslo.\n")
    lines = "T1\tPER 0 7\tAnn Lee\nT2\tLOC 24 32\tNew York\nR1\tIn Arg1:T1 Arg2:T2\t\n#1\tAnnotatorNotes T1\tsure\n"
    path = write(tmp_path, "a.ann", lines + "T3\tLOC 24 27;37 41\tNew Oslo\n")
    (annotation,) = read_annotations(path).annotations
    assert [span[:3] for span in annotation.layers[""].spans] == [(0, 7, "PER"), (24, 32, "LOC"), (24, 41, "LOC")]
    assert annotation.notes == [f"{path}:5: a span in several parts is read as one"]
    assert annotation.parts()[0].tokens == ["Ann", "Lee", "left", "."]
    assert annotation.parts()[1].layers[""].spans[0][:2] == (10, 18)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("T1 PER 0 3", r"a\.ann:1: expected a line such as T1<tab>PER 0 7<tab>Ann Lee, got 'T1 PER 0 3'"),
        ("T1\tPER 0 30\tAnn", r"a\.ann:1: span 0 30 is outside the text of 9 characters in .*a\.txt"),
        ("T1\tPER 1 4\tAnn", r"a\.ann:1: the text at 1 4 is 'nn ', not 'Ann'; check that .*a\.txt is the text"),
    ],
)
def test_bad_files_of_brat_are_refused(tmp_path, line, message):
    write(tmp_path, "a.txt", "Ann left.")
    with pytest.raises(InputError, match=message):
        read_annotations(write(tmp_path, "a.ann", line))
    with pytest.raises(InputError, match=r"b\.ann: the text of these annotations is missing; expected the file .*b\.txt"):
        read_annotations(write(tmp_path, "b.ann", line))


def test_all_columns_are_annotators(tmp_path):
    path = write(tmp_path, "a.conll", "Ann B-PER O B-PER\n")
    assert read_annotations(path, column="*", columns="word,label,a,b").names == ["a", "b"]
    assert read_annotations(path, column="*", columns="word,a,gold,b", gold="gold").names == ["a", "b"]
    with pytest.raises(InputError, match=r"a\.conll: @\* needs the names of the columns; name its columns with --columns"):
        read_annotations(path, column="*")


def test_control_characters_of_tokens(tmp_path):
    corpus = Corpus.from_columns(
        {"word": [["Ann\tLee", "x\ry"]], "space": [[" ", ""]], "label": [["B-PER", "B-X"]]},
    )
    write_corpus(corpus, tmp_path / "a.ann", losses=Counter())
    assert (tmp_path / "a.ann").read_text() == "T1\tPER 0 7\tAnn Lee\nT2\tX 8 11\tx y\n"
    back = read_corpus(tmp_path / "a.ann")
    assert back.labels == [["B-PER", "I-PER", "B-X", "I-X"]]


def test_compressed_brat_is_refused(tmp_path):
    corpus = Corpus.from_lists(word=[["Ann"]], label=[["B-PER"]])
    with pytest.raises(InputError, match=r"a\.ann\.gz: brat has no compressed files; name the file of the spans"):
        write_corpus(corpus, tmp_path / "a.ann.gz")
    assert not list(tmp_path.iterdir())
