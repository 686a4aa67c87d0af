"""JSONL of both forms: tokens, and text with character spans."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tagpool.corpus.conll import format_conll
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.formats import read_corpus, write_corpus
from tagpool.corpus.jsonl import format_jsonl
from tagpool.corpus.schemes import spans
from tagpool.corpus.text import tokenize
from tagpool.errors import InputError


def lines(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


# Tokens ------------------------------------------------------------------------------------------------------------------


def test_tokens_labels_and_other_columns(read):
    corpus = read(
        '\ufeff{"id": 1, "tokens": ["Ann", "left"], "pos": ["NNP", ""], "labels": ["B-PER", "O"], "tags": ["x"], "n": [1, 2]}\r\n'
        '\n  \n{"labels": ["O"], "pos": ["NN"], "tokens": ["Rain\u2028"], "no name": ["x"]}',
        "a.jsonl",
    )
    assert corpus.columns == ("word", "pos", "label")
    assert corpus.words == [["Ann", "left"], ["Rain\u2028"]]
    assert corpus.column("pos") == [["NNP", ""], ["NN"]]
    assert corpus.labels == [["B-PER", "O"], ["O"]]


def test_label_may_be_another_column(read):
    text = lines({"tokens": ["a"], "pos": ["NN"]})
    assert read(text, "a.jsonl").label_column is None
    assert read(text, "a.jsonl", label="pos").labels == [["NN"]]
    with pytest.raises(InputError, match=r"a\.jsonl: no column 'x'"):
        read(text, "a.jsonl", label="x")


def test_label_key_holds_labels_in_token_form(read):
    assert read(lines({"tokens": ["a"], "label": ["B-X"]}), "a.jsonl").labels == [["B-X"]]


@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        ([None, None, None], []),
        ([1, 1, 2], [0, 2]),
        (["a", "b", "a"], [0, 1, 2]),
        ([None, "a", "a"], [0, 1]),
        ([1, None, 1], [0, 2]),
        ([["x"], ["x"], {"y": 1}], [0, 2]),
        ([0, 0, 0], [0]),
    ],
)
def test_documents(read, documents, expected):
    records = [{"tokens": ["w"], **({} if document is None else {"document": document})} for document in documents]
    corpus = read(lines(*records), "a.jsonl")
    assert (corpus.document_starts, corpus.columns) == (expected, ("word",))


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"tokens": [""]}, "non-empty strings"),
        ({"tokens": "Ann"}, "non-empty strings"),
        ({"tokens": ["a", 1]}, "non-empty strings"),
        ({"tokens": {"a": 1}}, "non-empty strings"),
        ({"tokens": None}, "non-empty strings"),
        ({"tokens": ["a"], "labels": ["O", "O"]}, "expected 1 label, one per token, got 2"),
        ({"tokens": ["a"], "labels": [1]}, '"labels": expected a list'),
        ({"tokens": ["a"], "labels": [[0, 1, "X"]]}, '"labels": expected a list'),
        ({"tokens": ["a"], "labels": [""]}, '"labels": expected a list'),
        ({"tokens": ["a"], "word": ["b"]}, '"tokens" and "word"'),
        ({"tokens": ["a"], "pos": ["b"]}, "expected the columns word, got word, pos"),
        ({"text": "a"}, "expected the columns word, got word, space"),
        ({}, "expected a key 'tokens' or 'text'; the record has the keys none; "),
        ({"words": ["a"]}, "the record has the keys 'words'; "),
        ([1], "got list"),
        ("x", "got str"),
        (None, "got NoneType"),
    ],
)
def test_token_errors_name_the_line(read, record, message):
    with pytest.raises(InputError) as caught:
        read(lines({"tokens": ["x"]}) + "\n" + lines(record), "a.jsonl")
    assert message in str(caught.value)
    assert "a.jsonl:3: " in str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "nonsense",
        "[" * 100_000,
        '{"tokens":' * 50_000,
        "1" * 5_000,
        '{"text": "a", "labels": [[' + "1" * 5_000 + ', 2, "X"]]}',
        '{"text": "a", "labels": [[0, 1, ' + "[" * 900 + "]" * 900 + "]]}",
        '{"tokens": ["\\ud800"]}',
        '{"tokens": ["a"], "pos": ["\\ud800"]}',
        '{"text": "\\udfff"}',
        '{"text": "a", "labels": [[0, 1, "\\ud800"]]}',
        '{"tokens": ["a"]} {"tokens": ["b"]}',
        "'tokens'",
        '{"tokens": ["a\tb"]}',
    ],
    ids=range(14),
)
def test_bad_json_names_the_line(read, line):
    with pytest.raises(InputError, match=r"a\.jsonl:2: "):
        read("\n" + line + "\n", "a.jsonl")


def test_the_last_of_two_equal_keys_holds(read):
    assert read('{"tokens": ["a"], "tokens": ["b", "c"]}', "a.jsonl").words == [["b", "c"]]


# Spans -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given_spans",
    [
        {"labels": [[0, 3, "PER"], [13, 17, "LOC"]]},
        {"label": [[13, 17, "LOC"], [0, 3, "PER"]]},
        {"entities": [[0, 4, "PER"], [12, 17, "LOC"]]},  # blanks at the ends do no harm
        {
            "id": 7,
            "entities": [
                {"id": 1, "label": "PER", "start_offset": 0, "end_offset": 3},
                {"label": "LOC", "start": 13, "end": 17},
            ],
            "relations": [],
            "Comments": [],
        },
    ],
)
def test_span_variants(read, given_spans):
    corpus = read(lines({"text": "Ann moved to Rome.", **given_spans}), "a.jsonl")
    assert corpus.words == [["Ann", "moved", "to", "Rome", "."]]
    assert corpus.labels == [["B-PER", "O", "O", "B-LOC", "O"]]
    assert corpus.column("space") == [[" ", " ", " ", "", ""]]


def test_text_without_spans_has_no_labels(read):
    corpus = read(lines({"text": "Ann left"}), "a.jsonl")
    assert (corpus.columns, corpus.label_column) == (("word", "space"), None)
    assert format_jsonl(corpus, as_spans=True) == '{"text": "Ann left"}\n'
    assert read(lines({"text": "Ann left", "labels": []}), "a.jsonl").labels == [["O", "O"]]


def test_touching_spans_stay_apart(read):
    corpus = read(lines({"text": "Ann Bob", "labels": [[0, 3, "X"], [4, 7, "X"]]}), "a.jsonl")
    assert corpus.labels == [["B-X", "B-X"]]


def test_offsets_count_characters_not_bytes(read):
    text = "👍🏽 é 中 Ann"
    at = text.index("Ann")
    corpus = read(lines({"text": text, "labels": [[at, at + 3, "X"]]}), "a.jsonl")
    assert (corpus.words[0][-1], corpus.labels[0][-1]) == ("Ann", "B-X")


def test_misaligned(read):
    text = lines({"text": "Annabel left", "labels": [[0, 3, "PER"], [8, 12, "X"]]})
    with pytest.raises(
        InputError, match=r"a\.jsonl:1: span \[0, 3, 'PER'\] is 'Ann', but the tokens there are 'Annabel'.*expand or drop"
    ):
        read(text, "a.jsonl")
    assert read(text, "a.jsonl", misaligned="expand").labels == [["B-PER", "B-X"]]
    assert read(text, "a.jsonl", misaligned="drop").labels == [["O", "B-X"]]
    with pytest.raises(InputError, match="misaligned='guess'"):
        read(text, "a.jsonl", misaligned="guess")
    with pytest.raises(InputError, match="overlap"):  # both grow to the same token
        read(lines({"text": "Annabel", "labels": [[0, 3, "X"], [3, 7, "Y"]]}), "a.jsonl", misaligned="expand")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([[0, 3, "X"], [0, 8, "Y"]], "overlap"),
        ([[4, 8, "X"], [4, 8, "X"]], "overlap"),
        ([[0, 20, "X"]], "outside the text of 9 characters"),
        ([[-1, 3, "X"]], "is outside the text"),
        ([[3, 3, "X"]], "is outside the text"),
        ([[3, 0, "X"]], "is outside the text"),
        ([[10**30, 10**31, "X"]], "is outside the text"),
        ([[3, 4, "X"]], "holds only blanks"),
        ([[0, 3]], "expected spans such as"),
        ([[0, 3, "X", 1]], "expected spans such as"),
        ([["0", "3", "X"]], "expected spans such as"),
        ([[0.0, 3.0, "X"]], "expected spans such as"),
        ([[False, True, "X"]], "expected spans such as"),
        ([[0, 3, None]], "expected spans such as"),
        ([{"start": 0, "label": "X"}], "expected spans such as"),
        ([{}], "expected spans such as"),
        (["PER"], "expected spans such as"),
        ("PER", "expected spans such as"),
        (None, "expected spans such as"),
        ({"X": [0, 3]}, "expected spans such as"),
        ([[0, 3, ""]], "expected a type without blanks"),
        ([[0, 3, "a b"]], "expected a type without blanks"),
    ],
)
@pytest.mark.parametrize("misaligned", ["error", "drop"])
def test_span_errors_name_the_line(read, labels, message, misaligned):
    with pytest.raises(InputError) as caught:
        read("\n" + lines({"text": "Ann left.", "labels": labels}), "a.jsonl", misaligned=misaligned)
    assert message in str(caught.value)
    assert "a.jsonl:2: " in str(caught.value)


@pytest.mark.parametrize(
    ("record", "message"), [({"text": 5}, "got int"), ({"text": None}, "got NoneType"), ({"text": ["a"]}, "got list")]
)
def test_bad_texts(read, record, message):
    with pytest.raises(InputError, match=rf"a\.jsonl:1: .*{message}"):
        read(lines(record), "a.jsonl")


# Round trips -------------------------------------------------------------------------------------------------------------

strings = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5)
types = st.sampled_from(["PER", "LOC", "X-y"])
WORDS = ["Ann", "left", "Rome", "12", ",", ";", "U.S.", "don"]


@settings(deadline=None)
@given(
    st.lists(st.lists(st.tuples(strings, st.text(st.characters(codec="ascii"), max_size=3), strings), min_size=1), min_size=1),
    st.sets(st.integers(0, 5)),
)
def test_tokens_come_back(read, rows, marks):
    columns = {name: [[token[c] for token in row] for row in rows] for c, name in enumerate(["word", "pos", "label"])}
    corpus = Corpus.from_columns(columns, documents=sorted({0} | {mark for mark in marks if mark < len(rows)}) if marks else [])
    assert read(format_jsonl(corpus), "a.jsonl") == corpus


@st.composite
def texts_with_spans(draw: st.DrawFn) -> tuple[str, list[list[object]]]:
    """A text of any characters and spans that fit its tokens."""
    piece = st.one_of(
        st.sampled_from(["Ann", "U.S.", "don't", "é", "👍🏽", "  ", "\n", "\u00a0", ".", "नमस्ते"]), st.text(max_size=3)
    )
    text = draw(st.lists(piece, max_size=8).map("".join))
    assume(not any("\ud800" <= c <= "\udfff" for c in text))
    tokens = tokenize(text)
    assume(tokens)
    result: list[list[object]] = []
    at = 0
    while at < len(tokens):
        size = draw(st.integers(0, 3))
        if size:
            result.append([tokens[at].start, tokens[min(at + size, len(tokens)) - 1].end, draw(types)])
        at += size or 1
    return text, result


@settings(deadline=None, max_examples=200)
@given(st.lists(texts_with_spans(), min_size=1, max_size=3))
def test_spans_come_back_at_the_same_places(read, records):
    corpus = read(lines(*({"text": text, "labels": result} for text, result in records)), "a.jsonl")
    written = format_jsonl(corpus, as_spans=True)
    for (text, result), line in zip(records, written.split("\n")[:-1], strict=True):
        record = json.loads(line)
        # Blanks before the first token are lost, and the offsets with them; all else is kept.
        lead = tokenize(text)[0].start
        assert record["text"] == text[lead:]
        assert record["labels"] == [[start - lead, end - lead, kind] for start, end, kind in result]
    assert read(written, "b.jsonl") == corpus


def test_leading_blanks_are_lost_but_offsets_fit(read):
    corpus = read(lines({"text": "  Ann  left \n it ", "labels": [[2, 5, "PER"], [7, 11, "X"]]}), "a.jsonl")
    record = json.loads(format_jsonl(corpus, as_spans=True))
    assert record == {"text": "Ann  left \n it ", "labels": [[0, 3, "PER"], [5, 9, "X"]]}
    assert [record["text"][start:end] for start, end, _ in record["labels"]] == ["Ann", "left"]


@settings(deadline=None)
@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from(WORDS), types, st.integers(0, 2)), min_size=1),
        min_size=1,
    )
)
def test_columns_to_spans_and_back_keep_entities(read, rows):
    """With words that the tokeniser leaves whole, entities in columns survive the way through text."""
    words = [[word for word, _, _ in row] for row in rows]
    labels = []
    for row in rows:
        sentence: list[str] = []
        for _, kind, role in row:
            going_on = role == 2 and sentence and sentence[-1] != "O"
            sentence.append("I-" + sentence[-1][2:] if going_on else f"B-{kind}" if role else "O")
        labels.append(sentence)
    corpus = Corpus.from_lists(word=words, label=labels)
    through = read(format_jsonl(corpus, as_spans=True), "a.jsonl")
    back = read(format_conll(through), "b.conll", columns="word,label")
    assert back == corpus
    assert [spans(sentence) for sentence in back.labels] == [spans(sentence) for sentence in labels]


def test_iob1_becomes_bio2_on_the_way():
    corpus = Corpus.from_lists(word=[["Ann", "Lee", "left"]], label=[["I-PER", "I-PER", "O"]])
    assert json.loads(format_jsonl(corpus, as_spans=True)) == {"text": "Ann Lee left", "labels": [[0, 7, "PER"]]}


def test_documents_and_columns_are_written(tmp_path):
    corpus = Corpus.from_columns({"word": [["a"], ["b"], ["c"]], "pos": [["x"], ["y"], ["z"]]}, documents=[0, 2])
    for kind, columns in (("jsonl", ("word", "pos")), ("spans", ("word", "space"))):
        write_corpus(corpus, tmp_path / "a.jsonl", format=kind)
        again = read_corpus(tmp_path / "a.jsonl")
        assert (again.document_starts, again.columns, again.words) == ([0, 2], columns, corpus.words)


def test_labels_that_mark_no_spans_are_not_lost_in_silence():
    corpus = Corpus.from_lists(word=[["Rain"]], label=[["NN"]])
    with pytest.raises(InputError, match="has plain labels"):
        format_jsonl(corpus, as_spans=True)
    assert format_jsonl(corpus) == '{"tokens": ["Rain"], "labels": ["NN"]}\n'


@pytest.mark.parametrize("name", ["tokens", "labels", "document"])
def test_reserved_names_are_refused(name):
    with pytest.raises(InputError, match=f"column '{name}' has a name that JSONL reserves"):
        format_jsonl(Corpus.from_columns({"word": [["a"]], name: [["b"]]}))


SPANS = [[0, 3, "PER"]]
DICTS = [{"start": 0, "end": 3, "label": "PER"}]
TEXT = {"text": "Ann left"}
TOKENS = {"tokens": ["Ann", "left"]}
PRODIGY_TOKENS = [{"text": "Ann", "start": 0, "end": 3, "id": 0}, {"text": "left", "start": 4, "end": 8, "id": 1}]
UNDERSTOOD = "those understood are 'tokens', 'text', 'document', 'labels', 'label', 'entities', 'spans', 'ents'"


@pytest.mark.parametrize(
    "record",
    [
        {**TEXT, "label": SPANS, "id": 3, "Comments": []},  # doccano
        {**TEXT, "entities": [{"id": 1, "label": "PER", "start_offset": 0, "end_offset": 3}], "relations": []},
        {**TEXT, "spans": DICTS, "meta": {"source": ["x"]}, "answer": "accept", "options": [1, 2]},  # Prodigy
        {**TEXT, "ents": DICTS, "sents": [{"start": 0, "end": 8}]},  # spaCy
        {**TEXT, "label": "news", "spans": DICTS},
        {**TEXT, "labels": [], "entities": SPANS},
        {**TOKENS, "labels": ["B-PER", "O"], "ner_tags": [1, 0], "text": "Ann left", "spans": SPANS, "topics": ["x"]},
        {**TOKENS, "label": ["B-PER", "O"], "topics": ["x"]},
    ],
)
def test_keys_of_annotation_tools(read, record):
    assert read(lines(record), "a.jsonl").labels == [["B-PER", "O"]]


@pytest.mark.parametrize(
    ("record", "key"),
    [
        ({**TEXT, "annotations": [{"result": [{"value": {"start": 0, "end": 3, "labels": ["PER"]}}]}]}, "annotations"),
        ({**TEXT, "tags": SPANS}, "tags"),
        ({**TEXT, "ner": ["B-PER", "O"]}, "ner"),
        ({**TEXT, "annotation": {"spans": SPANS}}, "annotation"),
        ({**TOKENS, "ner_tags": [3, 0]}, "ner_tags"),
        ({**TOKENS, "tags": ["B-PER"]}, "tags"),
    ],
)
def test_annotation_under_unknown_keys_is_an_error(read, record, key):
    with pytest.raises(InputError) as caught:
        read(lines(record), "a.jsonl")
    assert f":1: the key '{key}' may have labels, but is not understood; the record has the keys " in str(caught.value)
    assert ", ".join(map(repr, record)) in str(caught.value)
    assert UNDERSTOOD in str(caught.value)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({**TOKENS, "entities": SPANS}, "the tokens have no 'labels', one per token, and spans need a 'text' instead of tokens"),
    ],
)
def test_annotation_that_is_not_understood(read, record, message):
    with pytest.raises(InputError, match=re.escape(message)):
        read(lines(record), "a.jsonl")


@pytest.mark.parametrize(
    "record",
    [
        {**TEXT, "tokens": PRODIGY_TOKENS, "spans": DICTS},
        {"data": TEXT, "annotations": [{"result": [{"value": {**DICTS[0], "labels": ["PER"]}}]}]},
    ],
)
def test_records_of_annotation_tools(read, record):
    corpus = read(lines(record), "a.jsonl")
    assert (corpus.words, corpus.labels) == ([["Ann", "left"]], [["B-PER", "O"]])


@pytest.mark.parametrize(
    "record",
    [
        {**TEXT, "id": 3, "score": 0.5, "answer": "accept", "meta": {"topics": ["x"]}, "none": None, "empty": []},
        {**TOKENS, "id": "7", "pos": ["NNP", "VBD"], "meta": {"a": 1}},
    ],
)
def test_notes_beside_a_text_without_labels_are_ignored(read, record):
    corpus = read(lines(record), "a.jsonl")
    assert (corpus.words, corpus.label_column) == ([["Ann", "left"]], None)
