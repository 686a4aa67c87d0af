"""Files as tools write them, to the labels of an expert: annotators, binary tasks, missing offsets, and answers of models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tagpool import InputError, read_expert_labels
from tagpool.pools.expert_files.expert_labels import ExpertLabels
from tagpool.pools.expert_files.label_checks import describe_labels

TEXT = "Ann Lee left Oslo."
PER, BOTH, NOTHING = "B-PER I-PER O O O", "B-PER I-PER O B-LOC O", "O O O O O"
TOKENS = [
    {"text": TEXT[a:b], "start": a, "end": b, "id": i} for i, (a, b) in enumerate([(0, 3), (4, 7), (8, 12), (13, 17), (17, 18)])
]
ANN = {"start": 0, "end": 7, "label": "PER"}
OSLO = {"start": 13, "end": 17, "label": "LOC"}
REGION = {"start": 0, "end": 7, "text": "Ann Lee", "labels": ["PER"]}
NAMED = {"entities": [{"text": "Ann Lee", "type": "PER"}]}
GOLD = "Ann B-PER\nLee I-PER\nleft O\nOslo B-LOC\n. O\n\nBo B-PER\nran O\n"


def read(folder: Path, *values: Any, column: str = "", name: str = "a.jsonl", gold: str | None = None) -> ExpertLabels:
    path = folder / name
    path.write_text("".join(value if isinstance(value, str) else json.dumps(value) + "\n" for value in values))
    if gold is not None:
        (folder / "gold.conll").write_text(gold)
    return read_expert_labels({"x": f"{path}{column}"}, None if gold is None else folder / "gold.conll")


def shown(result: ExpertLabels) -> dict[str, list[str | None]]:
    """Return labels as text; ? abstains."""
    return {
        name: [None if row is None else " ".join(label or "?" for label in row) for row in rows]
        for name, rows in result.labels.items()
    }


def prodigy(*spans: Any, answer: str = "accept", binary: bool = False, **further: Any) -> dict[str, Any]:
    view = {"_view_id": "ner", "_is_binary": True} if binary else {"_view_id": "ner_manual", "_is_binary": False}
    return {"text": TEXT, "tokens": TOKENS, "spans": list(spans), "answer": answer, "_input_hash": 1, **view, **further}


def piece(label: str, word: str, index: int, **further: Any) -> dict[str, Any]:
    return {"entity": label, "score": 0.5, "index": index, "word": word, "start": None, "end": None, **further}


RECORDS = {
    "Label Studio, short export with another tag": (
        {"id": 1, "text": TEXT, "ner": [REGION], "annotator": 1, "lead_time": 2.5},
        PER,
    ),
    "Label Studio, old": ({"data": {"text": TEXT}, "completions": [{"result": [{"value": REGION, "type": "labels"}]}]}, PER),
    "Label Studio, other data": (
        {"data": {"body": TEXT, "url": "http://a"}, "annotations": [{"completed_by": 1, "result": [{"value": REGION}]}]},
        PER,
    ),
    "doccano, data": ({"id": 1, "data": TEXT, "label": [[0, 7, "PER"]]}, PER),
    "pieces of WordPiece": (
        {"text": "Annabel ran", "entities": [piece("B-PER", "anna", 1), piece("I-PER", "##bel", 2)]},
        "B-PER O",
    ),
    "pieces of SentencePiece": (
        {"text": TEXT, "entities": [piece("B-PER", "\u2581Ann", 1), piece("I-PER", "\u2581L", 2), piece("I-PER", "ee", 3)]},
        PER,
    ),
    "pieces without offsets": (
        {
            "text": "Annabel ran",
            "entities": [{"entity": "B-PER", "index": 1, "word": "Anna"}, {"entity": "I-PER", "index": 2, "word": "##bel"}],
        },
        "B-PER O",
    ),
    "groups without offsets": (
        {"text": TEXT, "entities": [{"entity_group": "PER", "score": 0.9, "word": "ann lee", "start": None, "end": None}]},
        PER,
    ),
    "types as keys": ({"text": TEXT, "PER": ["Ann Lee"], "LOC": ["Oslo"], "ORG": []}, BOTH),
    "answer": ({"text": TEXT, "response": json.dumps(NAMED)}, PER),
    "answer in a fence": ({"text": TEXT, "output": 'Here:\n```json\n{"PER": ["Ann Lee"]}\n```'}, PER),
    "entities as a string": ({"text": TEXT, "entities": json.dumps(NAMED["entities"])}, PER),
    "one entity": ({"text": TEXT, "entities": {"text": "Ann Lee", "type": "PER"}}, PER),
    "entities before span groups": ({"text": TEXT, "ents": [ANN], "spans": {"sc": [OSLO]}}, PER),
    "a name inside a longer one": (
        {"text": "Ann Lee ran. Lee left.", "entities": [{"text": "Lee", "type": "PER"}, {"text": "Ann Lee", "type": "PER"}]},
        "B-PER I-PER O O B-PER O O",
    ),
}


@pytest.mark.parametrize("name", RECORDS)
def test_records_are_read_as_tools_write_them(name: str, tmp_path: Path) -> None:
    record, labels = RECORDS[name]
    assert shown(read(tmp_path, record)) == {"x": [labels]}


def test_tokens_outside_the_span_of_a_binary_task_are_unknown(tmp_path: Path) -> None:
    assert shown(read(tmp_path, prodigy(ANN, binary=True))) == {"x": ["B-PER I-PER ? ? ?"]}
    both = read(tmp_path, prodigy(ANN, binary=True), prodigy(OSLO, binary=True), prodigy(OSLO, binary=True, answer="reject"))
    assert shown(both) == {"x": ["B-PER I-PER ? B-LOC ?"]}
    assert any("\"answer\" is 'reject'" in note for note in both.notes)


def test_binary_tasks_are_no_gold_sentences(tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    other = {"text": "Bo ran", "spans": [], "answer": "accept"}
    gold.write_text("".join(json.dumps(one) + "\n" for one in (prodigy(ANN, binary=True), other)))
    (tmp_path / "a.conll").write_text("Bo O\nran O\n")
    result = read_expert_labels({"a": tmp_path / "a.conll"}, gold)
    assert [row for row in result.gold if row is not None] == [["O", "O"]]
    assert any("labels of some tokens only" in note for note in result.notes)


def test_a_rejected_task_is_no_gold_sentence(tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    records = ({"text": TEXT, "spans": [ANN], "answer": "reject"}, {"text": "Bo ran", "spans": [], "answer": "accept"})
    gold.write_text("".join(json.dumps(one) + "\n" for one in records))
    (tmp_path / "a.conll").write_text("Bo O\nran O\n")
    assert [row for row in read_expert_labels({"a": tmp_path / "a.conll"}, gold).gold if row] == [["O", "O"]]


@pytest.mark.parametrize("key", ["_annotator_id", "annotator"])
def test_records_of_several_annotators_are_one_sentence(key: str, tmp_path: Path) -> None:
    records = [prodigy(ANN, **{key: "ann"}), prodigy(**{key: "bob"})]
    assert shown(read(tmp_path, *records, column="@*")) == {"x.ann": [PER], "x.bob": [NOTHING]}
    assert shown(read(tmp_path, *records)) == {"x": [PER]}
    assert shown(read(tmp_path, *records, column="@bob")) == {"x": [NOTHING]}


def test_a_sentence_that_occurs_twice_stays_two_sentences(tmp_path: Path) -> None:
    records = [prodigy(ANN, annotator="ann"), prodigy(annotator="ann"), prodigy(annotator="bob"), prodigy(ANN, annotator="bob")]
    assert shown(read(tmp_path, *records, column="@*")) == {"x.ann": [PER, NOTHING], "x.bob": [NOTHING, PER]}


@pytest.mark.parametrize(
    "values",
    [
        ([{**ANN, "text": "Ann Lee", "score": 0.9}], []),
        (NAMED, {"entities": []}),
        ({"PER": ["Ann Lee"]}, {"PER": []}),
        ([{"entity_group": "PER", "word": "Ann Lee", "start": None, "end": None}], []),
        ({"response": json.dumps(NAMED)}, {"response": "[]"}),
    ],
)
def test_records_without_a_text_belong_to_the_gold_sentences_in_order(values: tuple[Any, ...], tmp_path: Path) -> None:
    assert shown(read(tmp_path, *values, gold=GOLD)) == {"x": [PER, "O O"]}
    with pytest.raises(InputError, match=r"a.jsonl:1: records without a text need one record per sentence"):
        read(tmp_path, values[0], gold=GOLD)
    with pytest.raises(InputError, match=r"a.jsonl:1: the first expert needs the text"):
        read(tmp_path, *values)


def test_names_that_are_not_in_the_text_are_counted_without_texts_too(tmp_path: Path) -> None:
    result = read(tmp_path, {"PER": ["Ann Lee", "Bob"]}, {"PER": ["Al"]}, gold=GOLD)
    assert shown(result) == {"x": [PER, "O O"]}
    assert any("'Bob' is not in the text" in note and "2 named entities" in note for note in result.notes)


def test_code_fences_around_a_file_are_left_out(tmp_path: Path) -> None:
    lines = [json.dumps({"text": TEXT, **NAMED}), json.dumps({"text": "Bo ran", "entities": []})]
    for content in (["```json", *lines, "```"], ["Sure:", "```", "[" + ",".join(lines) + "]", "```", "Anything else?"]):
        assert shown(read(tmp_path, "\n".join(content))) == {"x": [PER, "O O"]}
    with pytest.raises(InputError, match=r"a.jsonl:3: "):
        read(tmp_path, "\n".join(["```json", lines[0], "{", "```"]))


def test_an_answer_without_json_is_no_opinion(tmp_path: Path) -> None:
    result = read(tmp_path, {"text": TEXT, "response": "I see no names."}, {"text": "Bo ran", "response": "[]"})
    assert shown(result) == {"x": [None, "O O"]}
    assert any('a.jsonl:1: "response" has no JSON' in note for note in result.notes)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"text": TEXT, "entities": [ANN], "entites": [OSLO]}, "the key 'entites' may have labels"),
        ({"text": TEXT, "reply": json.dumps(NAMED)}, "the key 'reply' may have labels"),
        ({"text": TEXT, "people": ["Ann Lee"]}, "the key 'people' may have labels"),
        ({"sentence": TEXT, **NAMED}, "expected a key 'tokens' or 'text'"),
        ({"text": TEXT, "annotations": [{"label": 2, "start_offset": 0, "end_offset": 7}]}, "expected the type of a span"),
        ({"text": TEXT, "entities": [{"entity": "B-PER", "index": 1, "word": "Ann", "start": 0, "end": 99}]}, "within the text"),
    ],
)
def test_what_is_not_understood_is_an_error(record: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"a.jsonl:1: .*{message}"):
        read(tmp_path, record)


def test_a_line_that_brat_does_not_write_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    with pytest.raises(InputError, match=r"a.ann:2: expected a line such as T1"):
        read(tmp_path, "T1\tPER 0 7\tAnn Lee\nhello\n", name="a.ann")


def test_several_labels_of_a_region_are_noted(tmp_path: Path) -> None:
    task = {"data": {"text": TEXT}, "annotations": [{"result": [{"value": {**REGION, "labels": ["PER", "ORG"]}}]}]}
    result = read(tmp_path, task)
    assert shown(result) == {"x": [PER]}
    assert any("has several labels: used the first, 'PER'" in note for note in result.notes)


def test_experts_with_the_same_labels_are_noted(tmp_path: Path) -> None:
    path = tmp_path / "a.conll"
    path.write_text("Ann B-PER\nran O\n\n" * 10)
    for folder, count in (("a", 1), ("b", 2)):
        experts = dict.fromkeys("xy"[:count], path)
        notes = describe_labels(read_expert_labels(experts, path), with_maps=False)
        assert ("experts 'x' and 'y' have the same labels" in " ".join(notes)) == (folder == "b")
