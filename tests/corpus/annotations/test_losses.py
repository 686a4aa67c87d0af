"""Everything that is lost on the way from a file of a tool to a corpus, or back, is counted."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tagpool import Corpus, InputError, read_corpus, write_corpus

TEXT = "Ann Lee left Oslo."


def read(folder: Path, *values: Any, name: str = "a.jsonl", **options: Any) -> tuple[Corpus, Counter[str]]:
    path, losses = folder / name, Counter[str]()
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return read_corpus(path, losses=losses, **options), losses


def span(start: int, end: int, label: str, **other: Any) -> dict[str, Any]:
    return {"start": start, "end": end, "label": label, **other}


def test_prodigy(tmp_path):
    tasks = [
        {
            "text": TEXT,
            "meta": {"source": "x", "score": 0.5},
            "_input_hash": 1,
            "_task_hash": 2,
            "_view_id": "ner_manual",
            "spans": [span(0, 3, "PER"), span(0, 7, "PER"), span(12, 13, "X"), span(13, 16, "LOC", score=0.9)],
            "relations": [{"head": 1, "child": 3, "label": "R"}],
            "accept": ["NEWS"],
            "answer": "accept",
            "_timestamp": 1,
        },
        {"text": "It rains.", "spans": [span(0, 2, "X")], "answer": "reject"},
    ]
    corpus, losses = read(tmp_path, *tasks)
    assert corpus.labels == [["B-PER", "I-PER", "O", "B-LOC", "O"]]
    assert losses == {
        "fields of metadata": 3,
        "relations": 1,
        "classes of texts": 1,
        "rejected or skipped texts": 1,
        "overlapping spans": 1,
        "spans without a token": 1,
        "spans that cut a token": 1,
        "confidences of spans": 1,
    }


def test_tokens_outside_the_spans_of_binary_tasks_are_unknown(tmp_path):
    tasks = [
        {"text": TEXT, "spans": [span(0, 7, "PER")], "_is_binary": True, "_view_id": "ner", "answer": "accept", "_input_hash": 1},
        {
            "text": TEXT,
            "spans": [span(13, 17, "PER")],
            "_is_binary": True,
            "_view_id": "ner",
            "answer": "reject",
            "_input_hash": 1,
        },
    ]
    corpus, losses = read(tmp_path, *tasks)
    assert corpus.labels == [["B-PER", "I-PER", "?", "?", "?"]]
    assert losses["tokens whose label is unknown, read as ?"] == 3
    write_corpus(corpus, tmp_path / "b.jsonl", format="prodigy")
    (record,) = map(json.loads, (tmp_path / "b.jsonl").read_text().splitlines())
    assert (record["_is_binary"], record["_view_id"], record["answer"]) == (True, "ner", "accept")
    assert read_corpus(tmp_path / "b.jsonl", losses=Counter()) == corpus
    for kind in ("doccano", "label-studio", "webanno"):
        lost = Counter[str]()
        write_corpus(corpus, tmp_path / "c", format=kind, losses=lost)
        assert lost == {"unknown labels, written as if outside": 3}


def test_doccano_with_relations_and_comments(tmp_path):
    entities = [{"id": 1, "label": "PER", "start_offset": 0, "end_offset": 7}]
    record = {
        "id": 4,
        "text": TEXT,
        "entities": entities,
        "relations": [{"id": 1, "from_id": 1, "to_id": 1, "type": "x"}],
        "Comments": ["?"],
    }
    corpus, losses = read(tmp_path, record, format="doccano")
    assert corpus.labels == [["B-PER", "I-PER", "O", "O", "O"]]
    assert losses == {"fields of metadata": 1, "relations": 1, "comments": 1}


def test_label_studio(tmp_path):
    def region(kind: str, **value: Any) -> dict[str, Any]:
        return {"id": "r", "from_name": "label", "to_name": "text", "type": kind, "value": value}

    result = [
        region("labels", start=0, end=7, text="Ann Lee", labels=["PER", "HUMAN"]) | {"meta": {"text": ["sure"]}},
        region("choices", start=0, end=7, text="Ann Lee", choices=["famous"]),
        region("choices", choices=["NEWS"]),
        {"type": "relation", "from_id": "r", "to_id": "s", "direction": "right"},
    ]
    annotations = [
        {"id": 1, "completed_by": 1, "result": result},
        {"id": 2, "completed_by": 2, "result": []},
        {"id": 3, "completed_by": 3, "was_cancelled": True, "result": []},
    ]
    tasks = [
        {"id": 1, "data": {"text": TEXT, "url": "x"}, "annotations": annotations},
        {"id": 2, "data": {"text": "Rain."}, "annotations": []},
    ]
    corpus, losses = read(tmp_path, tasks, name="a.json")
    assert corpus.labels == [["B-PER", "I-PER", "O", "O", "O"], ["?", "?"]]
    assert losses == {
        "fields of metadata": 1,
        "attributes": 2,
        "further labels of a span": 1,
        "classes of texts": 1,
        "relations": 1,
        "rejected or skipped texts": 1,
        "labels of further annotators": 1,
        "tokens whose label is unknown, read as ?": 2,
    }


def test_brat(tmp_path):
    (tmp_path / "a.txt").write_text("\nAnn Lee left\nOslo today.\n\nIt rains.\n")
    lines = [
        "T1\tPER 1 4;5 8\tAnn Lee",  # only a blank is between the parts
        "T2\tPER 27 29;35 36\tIt .",
        "T3\tX 9 13;14 18\tleft Oslo",  # over two lines
        "R1\tLeft Arg1:T1 Arg2:T3",
        "E1\tX:T3 Who:T1",
        "A1\tFamous T1",
        "M1\tNegation E1",
        "N1\tReference T1 Wikipedia:1\tAnn",
        "#1\tAnnotatorNotes T1\tsure?",
        "*\tEquiv T1 T2",
    ]
    (tmp_path / "a.ann").write_text("\n".join(lines) + "\n")
    losses = Counter[str]()
    corpus = read_corpus(tmp_path / "a.ann", losses=losses)
    assert corpus.words == [["Ann", "Lee", "left", "Oslo", "today", "."], ["It", "rains", "."]]
    assert corpus.labels == [["B-PER", "I-PER", "B-X", "I-X", "O", "O"], ["B-PER", "I-PER", "I-PER"]]
    assert losses == {
        "spans in several parts, read as one": 1,
        "relations": 2,
        "events": 1,
        "attributes": 2,
        "references": 1,
        "comments": 1,
        "blanks before the first token": 1,
    }
    write_corpus(corpus, tmp_path / "b.ann")
    assert (tmp_path / "b.ann").read_text() == "T1\tPER 0 7\tAnn Lee\nT2\tX 8 12;13 17\tleft Oslo\nT3\tPER 26 35\tIt rains.\n"
    assert (tmp_path / "b.txt").read_text() == "Ann Lee left\nOslo today.\n\nIt rains.\n"
    with pytest.raises(InputError, match=r"this is the name of the text; name the file of the spans, such as -o names\.ann"):
        write_corpus(corpus, tmp_path / "a.txt", format="brat")


def test_losses_of_writing(tmp_path):
    corpus = Corpus.from_columns(
        {
            "word": [["a\nb", "c"], [], ["d", " "]],
            "pos": [["X", "X"], [], ["X", "X"]],
            "label": [["B", "O"], [], ["B-first name", "O"]],
        },
        documents=[0, 2],
        asides=[(0, 0, "# x = y")],
    )
    losses = Counter[str]()
    write_corpus(corpus, tmp_path / "a.ann", losses=losses)
    assert losses == {
        "column pos": 4,
        "comments": 1,
        "sentences without tokens": 1,
        "boundaries of documents": 1,
        "line ends inside a sentence, written as blanks": 1,
        "spans without a type, written as ENTITY": 1,
        "types with blanks, written with _": 1,
        "words of blanks": 1,
        "texts whose tokens differ when they are read": 1,
    }
    with pytest.warns(UserWarning, match=r"a\.ann: not written: column pos \(4\), sentences without tokens \(1\)"):
        write_corpus(corpus, tmp_path / "a.ann")


def test_a_warning_has_the_losses_of_labels(tmp_path):
    (tmp_path / "a.jsonl").write_text(
        json.dumps({"text": TEXT, "spans": [span(0, 7, "PER"), span(0, 3, "X")], "answer": "accept", "id": 3})
    )
    with pytest.warns(UserWarning, match=r"a\.jsonl: not read: overlapping spans \(1\)$"):
        read_corpus(tmp_path / "a.jsonl")


def test_policies_for_spans_that_cut_tokens(tmp_path):
    record = {"text": TEXT, "spans": [span(0, 5, "PER")], "answer": "accept"}
    assert read(tmp_path, record)[0].labels == [["B-PER", "I-PER", "O", "O", "O"]]
    assert read(tmp_path, record, misaligned="drop")[0].labels == [["O"] * 5]
    with pytest.raises(InputError, match=r"a\.jsonl:1: span \[0, 5, 'PER'\] cuts a token; correct it"):
        read(tmp_path, record, misaligned="error")


def test_texts_that_are_not_annotated_have_no_labels(tmp_path):
    assert read(tmp_path, {"data": {"text": TEXT}}, name="a.json")[0].label_column is None
    assert read(tmp_path, {"text": TEXT}, format="prodigy")[0].label_column is None
    corpus = Corpus.from_lists(word=[["Ann", "left"]])
    for kind in ("prodigy", "doccano", "label-studio"):
        write_corpus(corpus, tmp_path / "b", format=kind)
        assert read_corpus(tmp_path / "b", format=kind).label_column is None


def test_nothing_useful_is_an_error(tmp_path):
    with pytest.raises(InputError, match=r"a\.jsonl: expected sentences with words, got none"):
        read(tmp_path, {"text": TEXT, "spans": [], "answer": "ignore"})
    plain = Corpus.from_lists(word=[["Ann"]], label=[["NN"]])
    with pytest.raises(InputError, match=r"column 'label' has plain labels, expected spans .* write it as conllup or jsonl"):
        write_corpus(plain, tmp_path / "a.ann")
    assert not list(tmp_path.glob("*.ann"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Ann\tO\n", "a.conllup:1: expected the names of the columns, # global.columns = ID FORM ..., got 'Ann\\tO'"),
        ("# global.columns = ID UPOS\n1\tX\n", "a.conllup:1: expected a column FORM, got ID UPOS"),
        ("# global.columns = ID FORM X:A X:A\n", "a.conllup:1: a column name occurs twice"),
        ("# global.columns = ID FORM\n", "a.conllup: expected sentences, got none"),
        ("# global.columns = ID FORM NER\n1\ta\n", "a.conllup:2: "),
    ],
)
def test_bad_conllu_plus(tmp_path, text, message):
    (tmp_path / "a.conllup").write_text(text)
    with pytest.raises(InputError) as caught:
        read_corpus(tmp_path / "a.conllup")
    assert message in str(caught.value)


def test_conllu_plus_of_other_tools(tmp_path):
    text = "# global.columns = ID FORM UPOS PARSEME:MWE\n# sent_id = 1\n1-2\tInOslo\t_\t_\n1\tIn\tADP\t*\n2\tOslo\tPROPN\t1:X\n\n"
    (tmp_path / "a.conllup").write_text(text)
    corpus = read_corpus(tmp_path / "a.conllup")
    assert (corpus.columns, corpus.labels) == (("word", "upos", "parseme:mwe"), [["*", "1:X"]])
    assert read_corpus(tmp_path / "a.conllup", label="upos").labels == [["ADP", "PROPN"]]
    write_corpus(corpus, tmp_path / "b.conllup")
    assert (tmp_path / "b.conllup").read_text() == text.replace("PARSEME", "TAGPOOL:PARSEME")
    columns = Corpus.from_columns({"word": [["a", "b"]], "space": [["", ""]]}, asides=[(0, 0, "1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_")])
    losses = Counter[str]()
    write_corpus(columns, tmp_path / "c.conllup", losses=losses)
    assert losses == {"multiword tokens": 1}
    assert (tmp_path / "c.conllup").read_text() == "# global.columns = ID FORM MISC\n1\ta\tSpaceAfter=No\n2\tb\t_\n\n"


def test_spans_of_characters(tmp_path):
    labels = [["B-a b", "O"], ["B", "?"], ["O", "O"]]
    corpus = Corpus.from_lists(word=[["Ann", "left"], ["x", "y"], ["c++)", "a\tb"]], label=labels)
    losses = Counter[str]()
    write_corpus(corpus, tmp_path / "a.jsonl", format="spans", losses=losses)
    assert losses == {
        "types with blanks, written with _": 1,
        "spans without a type, written as ENTITY": 1,
        "unknown labels, written as if outside": 1,
        "texts whose tokens differ when they are read": 1,
    }
    back = read_corpus(tmp_path / "a.jsonl")
    assert (back.words[:2], back.labels[:2]) == (corpus.words[:2], [["B-a_b", "O"], ["B-ENTITY", "O"]])
    with pytest.warns(UserWarning, match=r"a\.jsonl: not written: spans without a type"):
        write_corpus(corpus, tmp_path / "a.jsonl", format="spans")
