"""Every dialect is read from an example as its tool writes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import spacy

from tagpool import InputError
from tagpool.corpus.annotations.annotation import CharSpan
from tagpool.corpus.annotations.reading import read_annotations

TEXT = "Ann Lee left Oslo."
SPANS = [(0, 7, "PER"), (13, 17, "LOC")]


def write(folder: Path, *values: Any, name: str = "a.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


def spans_of(path: Path) -> list[tuple[int, int, str]]:
    (annotation,) = read_annotations(path).annotations
    return [span[:3] for span in annotation.layers[""].spans or ()]


PRODIGY = {
    "text": TEXT,
    "_input_hash": 1886699658,
    "_task_hash": -1952856502,
    "tokens": [
        {"text": "Ann", "start": 0, "end": 3, "id": 0, "ws": True},
        {"text": "Lee", "start": 4, "end": 7, "id": 1, "ws": True},
        {"text": "left", "start": 8, "end": 12, "id": 2, "ws": True},
        {"text": "Oslo", "start": 13, "end": 17, "id": 3, "ws": False},
        {"text": ".", "start": 17, "end": 18, "id": 4, "ws": False},
    ],
    "_view_id": "ner_manual",
    "spans": [
        {"start": 0, "end": 7, "token_start": 0, "token_end": 1, "label": "PER"},
        {"start": 13, "end": 17, "token_start": 3, "token_end": 3, "label": "LOC"},
    ],
    "answer": "accept",
}
LABEL_STUDIO = {
    "id": 1,
    "data": {"text": TEXT},
    "annotations": [
        {"id": 9, "completed_by": 7, "was_cancelled": True, "result": []},
        {
            "id": 10,
            "completed_by": 1,
            "was_cancelled": False,
            "ground_truth": False,
            "result": [
                {
                    "value": {"start": 0, "end": 7, "text": "Ann Lee", "labels": ["PER"]},
                    "id": "a1",
                    "from_name": "label",
                    "to_name": "text",
                    "type": "labels",
                    "origin": "manual",
                },
                {"value": {"choices": ["news"]}, "from_name": "topic", "to_name": "text", "type": "choices"},
                {"value": {"start": 13, "end": 17, "text": "Oslo", "labels": ["LOC"]}, "type": "labels", "score": 0.5},
            ],
        },
    ],
    "predictions": [{"model_version": "m1", "score": 0.4, "result": []}],
    "project": 83,
}
EXAMPLES = {
    "prodigy": PRODIGY,
    "doccano": {
        "id": 6400,
        "text": TEXT,
        "Comments": [],
        "entities": [
            {"id": 1, "label": "PER", "start_offset": 0, "end_offset": 7},
            {"id": 2, "label": "LOC", "start_offset": 13, "end_offset": 17},
        ],
        "relations": [{"id": 3, "from_id": 1, "to_id": 2, "type": "left"}],
    },
    "doccano before 1.7": {"id": 1, "text": TEXT, "label": [list(span) for span in SPANS]},
    "label studio": LABEL_STUDIO,
    "label studio, short": {
        "id": 1,
        "text": TEXT,
        "label": [
            {"start": 0, "end": 7, "text": "Ann Lee", "labels": ["PER"]},
            {"start": 13, "end": 17, "text": "Oslo", "labels": ["LOC"]},
        ],
        "annotator": 1,
    },
    "gliner": {
        "text": TEXT,
        "entities": [
            {"start": 0, "end": 7, "text": "Ann Lee", "label": "PER", "score": 0.98},
            {"start": 13, "end": 17, "text": "Oslo", "label": "LOC", "score": 0.7},
        ],
    },
    "pipeline": {
        "text": TEXT,
        "entities": [
            {"entity_group": "PER", "score": 0.99, "word": "Ann Lee", "start": 0, "end": 7},
            {"entity_group": "LOC", "score": 0.9, "word": "Oslo", "start": 13, "end": 17},
        ],
    },
    "pipeline, pieces": {
        "text": TEXT,
        "entities": [
            {"entity": "B-PER", "score": 0.75, "index": 1, "word": "An", "start": 0, "end": 2},
            {"entity": "B-PER", "score": 0.75, "index": 2, "word": "##n", "start": 2, "end": 3},
            {"entity": "I-PER", "score": 0.75, "index": 3, "word": "Lee", "start": 4, "end": 7},
            {"entity": "B-LOC", "score": 0.9, "index": 5, "word": "Oslo", "start": 13, "end": 17},
        ],
    },
    "model, list": {"text": TEXT, "entities": [{"text": "Ann Lee", "type": "PER"}, {"text": "oslo", "type": "LOC"}]},
    "model, by type": {"text": TEXT, "entities": {"LOC": ["Oslo"], "PER": ["Ann Lee"], "ORG": []}},
    "model, pairs": {"text": TEXT, "entities": [["Ann Lee", "PER"], ["Oslo", "LOC"]]},
    "model, by name": {"text": TEXT, "entities": {"Ann Lee": "PER", "Oslo": "LOC"}},
    "spacy 2": [TEXT, {"entities": [list(span) for span in SPANS]}],
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_read(tmp_path, name):
    assert spans_of(write(tmp_path, EXAMPLES[name])) == SPANS
    array = tmp_path / "array.json"
    array.write_text(json.dumps([EXAMPLES[name]], indent=2))
    assert spans_of(array) == SPANS


def test_documents_of_spacy_are_read(tmp_path):
    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    pipeline.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Ann Lee"}, {"label": "LOC", "pattern": "Oslo"}])
    path = write(tmp_path, pipeline(TEXT).to_json(), pipeline("It rains.  Ann Lee left.").to_json())
    first, second = read_annotations(path).annotations
    assert [span[:3] for span in first.layers[""].spans] == SPANS
    assert first.tokens == ["Ann", "Lee", "left", "Oslo", "."]
    assert [part.running_text.strip() for part in second.parts()] == ["It rains.", "Ann Lee left."]
    assert second.parts()[1].layers[""].spans == [CharSpan(1, 8, "PER")]  # after a blank


def test_confidences_are_kept(tmp_path):
    path = write(tmp_path, EXAMPLES["gliner"], EXAMPLES["pipeline, pieces"], LABEL_STUDIO)
    scores = [[span.score for span in one.layers[""].spans] for one in read_annotations(path).annotations]
    assert scores == [[0.98, 0.7], [0.75, 0.9], [None, 0.5]]
    tokens = write(tmp_path, {"tokens": ["Ann", "left"], "labels": ["B-PER", "O"], "scores": [0.5, "?"]}, name="b.jsonl")
    assert read_annotations(tokens).annotations[0].layers[""].scores == [0.5, None]


def test_the_training_data_of_gliner_is_read(tmp_path):
    path = write(tmp_path, {"tokenized_text": ["Ann", "Lee", "left"], "ner": [[0, 1, "first name"]]})
    (annotation,) = read_annotations(path).annotations
    assert annotation.layers[""].spans == [CharSpan(0, 7, "first_name")]
    assert annotation.tokens == ["Ann", "Lee", "left"]


def test_the_output_of_a_pipeline_without_texts_has_one_list_per_text(tmp_path):
    one = [{"entity_group": "PER", "score": 0.9, "word": "Ann", "start": 0, "end": 3}]
    for path in (write(tmp_path, one, []), write(tmp_path, [one, []], name="b.json")):
        annotations = read_annotations(path).annotations
        assert not annotations[0].has_text
        for item in annotations:
            item.add_text("Ann left")
        assert [item.layers[""].spans for item in annotations] == [[CharSpan(0, 3, "PER", 0.9)], []]
    assert len(read_annotations(write(tmp_path, one, name="c.json")).annotations) == 1


def test_a_task_that_was_rejected_has_no_labels(tmp_path):
    for answer in ("reject", "ignore"):
        (annotation,) = read_annotations(write(tmp_path, PRODIGY | {"answer": answer})).annotations
        assert annotation.layers == {}
        assert annotation.notes[0].endswith(f"a.jsonl:1: \"answer\" is '{answer}': the labels of this text are ignored")


def test_annotators_are_selected(tmp_path):
    crowd = write(tmp_path, {"tokens": ["Oslo"], "labels": ["B-LOC"], "workers": {"w1": ["O"], "w2": ["?"]}}, {"tokens": ["a"]})
    assert read_annotations(crowd).names == [""]
    assert read_annotations(crowd, column="w2").annotations[0].layers["w2"].labels == [None]
    assert read_annotations(crowd, column="*").names == ["w1", "w2"]
    assert read_annotations(write(tmp_path, LABEL_STUDIO, name="b.jsonl"), column="*").names == ["1", "m1"]
    with pytest.raises(InputError, match=r"a\.jsonl: no column or annotator 'w3'; the file has w1, w2"):
        read_annotations(crowd, column="w3")


def test_offsets_of_browsers_and_wrong_offsets_are_corrected(tmp_path):
    text = "\U0001f600 Ann and Ann"
    entities = [{"start": 3, "end": 6, "text": "Ann", "label": "PER"}, {"start": 11, "end": 13, "text": "Ann", "label": "PER"}]
    (annotation,) = read_annotations(write(tmp_path, {"text": text, "entities": entities})).annotations
    assert [span[:2] for span in annotation.layers[""].spans] == [(2, 5), (10, 13)]
    assert "span [11, 13, 'PER'] is not 'Ann': used the place of that text" in annotation.notes[0]


def test_a_name_is_searched_after_the_previous_one(tmp_path):
    entities = [{"name": "Ann", "type": "PER"}, {"name": "Oslo", "type": "LOC"}]
    assert spans_of(write(tmp_path, {"text": "Oslo is big. Ann left Oslo.", "entities": entities})) == [
        (13, 16, "PER"),
        (22, 26, "LOC"),
    ]


def test_names_that_are_not_in_the_text_are_counted(tmp_path):
    entities = [{"name": "Ann", "type": "PER"}, {"name": "Ann", "type": "PER"}, {"name": "Bob", "type": "PER"}]
    (annotation,) = read_annotations(write(tmp_path, {"text": "Annie met ann.", "entities": entities})).annotations
    # The whole word comes first, then a part of a word.
    assert [span[:2] for span in annotation.layers[""].spans] == [(0, 3), (10, 13)]
    assert annotation.not_located == ["Bob"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            {"text": "Ann", "mentions": [[0, 3]]},
            "the key 'mentions' may have labels, but is not understood; the record has the keys",
        ),
        ({"words": ["Ann"]}, "expected a key 'tokens' or 'text'; the record has the keys 'words'; those understood are 'tokens'"),
        (
            {"text": "Ann", "ents": [{"start": 0, "end": 3}]},
            '"ents": {"start": 0, "end": 3} has no type; expected one of the keys',
        ),
        (
            {"text": "Ann", "ents": [{"start": 0, "end": 9, "label": "PER"}]},
            "span [0, 9, 'PER'] is outside the text of 3 characters",
        ),
        ({"text": "Ann", "ents": [{"start": 0, "end": 3, "label": 7}]}, "expected the type of a span, such as PER, got 7"),
        (
            {"text": "Ann", "spans": [7]},
            '"spans": expected spans such as [0, 3, "PER"], {"start": 0, "end": 3, "label": "PER"} or',
        ),
        ({"tokens": ["Ann"], "spans": [{"start": 0, "end": 1, "label": "PER"}]}, "the tokens have no 'labels', one per token"),
        ({"tokens": ["Ann"], "labels": ["O", "O"]}, "expected 1 label, one per token, got 2"),
        ({"tokenized_text": ["Ann"], "ner": [[0, 1, "PER"]]}, '"ner": expected [first token, last token, "PER"] within 1 token'),
        ({"data": {"image": "a", "html": "b"}}, "expected the text in \"data\"; the record has the keys 'image', 'html'"),
        ({"text": "Ann", "tokens": [{"start": 2, "end": 1}]}, '"tokens": expected tokens in the order of the text'),
        (7, 'expected a JSON object such as {"text": ...}, got int'),
    ],
)
def test_bad_records_are_refused_with_their_line(tmp_path, value, message):
    with pytest.raises(InputError) as error:
        read_annotations(write(tmp_path, {"text": "Ann"}, value))
    assert message in str(error.value)
    assert error.value.line == 2


def test_labels_in_a_column_must_be_chosen(tmp_path):
    with pytest.raises(InputError, match=r"the columns or annotators are ner_tags; choose one with @NAME, such as @ner_tags"):
        read_annotations(write(tmp_path, {"tokens": ["Ann"], "ner_tags": ["B-PER"]}))


@pytest.mark.parametrize(
    "text", ["", "[", "[1,", '[{"text": "a"}] x', '{"text": "a"', "[]", "{}\n{", "nul", '{"text": "\\ud800"}']
)
def test_damaged_files_are_refused(tmp_path, text):
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"a\.json"):
        read_annotations(path)
