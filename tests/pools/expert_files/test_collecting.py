"""The union of the sentences of experts: order, documents, duplicates, longer texts, label sets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tagpool import Corpus, InputError
from tagpool.corpus.annotations.reading import read_annotations
from tagpool.pools.expert_files.collecting import collect_labels
from tagpool.pools.expert_files.expert_labels import ExpertLabels, ExpertSource
from tagpool.pools.expert_files.label_checks import check_labels, describe_labels
from tagpool.pools.expert_files.label_types import TypeMaps

GOLD = Corpus.from_lists(
    word=[["Ann", "Lee", "left", "."], ["Rain", "in", "Oslo"]], label=[["B-PER", "I-PER", "O", "O"], ["O", "O", "B-LOC"]]
)


def source(folder: Path, name: str, *records: Any, column: str | None = None) -> ExpertSource:
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    file = read_annotations(path, column=column)
    names = {layer: layer for layer in file.names} if column == "*" else {name: file.names[0]}
    return ExpertSource(str(path), names, file.annotations)


def sentence(text: str, labels: str = "", **others: Any) -> dict[str, Any]:
    words = text.split()
    return {"tokens": words, "labels": labels.split() or ["O"] * len(words), **others}


def test_the_union_has_the_order_of_the_first_expert_and_gold_where_it_is_known(tmp_path):
    a = source(tmp_path, "a", sentence("Rain in Oslo"), sentence("New one"), sentence("Ann Lee left ."))
    b = source(tmp_path, "b", sentence("Other"), sentence("New one", "B-LOC O"), sentence("Rain in Oslo"))
    result = collect_labels([a, b], GOLD)
    assert result.corpus.words == [["Rain", "in", "Oslo"], ["New", "one"], ["Ann", "Lee", "left", "."], ["Other"]]
    assert result.gold == [GOLD.labels[1], None, GOLD.labels[0], None]
    assert result.labels == {"a": [["O"] * 3, ["O"] * 2, ["O"] * 4, None], "b": [["O"] * 3, ["B-LOC", "O"], None, ["O"]]}
    assert result.place("b", 1) == {"source": b.path, "line": 2}
    part = result.with_gold()
    assert (part.corpus.words, part.corpus.labels) == (GOLD.words[::-1], GOLD.labels[::-1])
    assert part.labels["b"] == [["O"] * 3, None]
    assert "1 sentence not in gold (the first in line 2), which is normal: they are used without gold labels" in result.notes[0]
    assert "in another order than in gold" in result.notes[0]


def test_gold_sentences_without_an_expert_are_last(tmp_path):
    result = collect_labels([source(tmp_path, "a", sentence("New"), sentence("Rain in Oslo"))], GOLD)
    assert result.corpus.words == [["New"], *GOLD.words[::-1]]
    assert result.labels["a"] == [["O"], ["O"] * 3, None]
    assert result.votes()["a"] == [["O"], ["O"] * 3, [None] * 4]


def test_documents_come_from_the_experts_and_then_from_gold(tmp_path):
    one = [sentence("a", document=1), sentence("Rain in Oslo", document=1), sentence("b", document=2), sentence("c", document=2)]
    result = collect_labels([source(tmp_path, "a", *one)], GOLD)
    assert result.corpus.document_starts == [0, 2, 4]
    marked = Corpus.from_columns({"word": GOLD.words, "label": GOLD.labels}, documents=[0])
    result = collect_labels([source(tmp_path, "b", sentence("Ann Lee left ."), sentence("Rain in Oslo"), sentence("x"))], marked)
    assert result.corpus.document_starts == [0, 2]
    assert collect_labels([source(tmp_path, "c", sentence("Rain in Oslo"))], GOLD).corpus.document_starts == []


def test_sentences_that_occur_several_times_are_matched_by_their_neighbours_then_in_order(tmp_path):
    gold = Corpus.from_lists(word=[["x"], ["-"], ["y"], ["-"]], label=[["O"]] * 4)
    a = source(tmp_path, "a", sentence("y"), sentence("-", "B-A"), sentence("x"), sentence("-", "B-B"))
    assert collect_labels([a], gold, extend=False).labels["a"] == [["O"], ["B-B"], ["O"], ["B-A"]]
    b = source(tmp_path, "b", sentence("-", "B-A"), sentence("-", "B-B"), sentence("-", "B-C"))
    result = collect_labels([b], gold, extend=False)
    assert result.labels["b"] == [None, ["B-A"], None, ["B-B"]]


def test_a_longer_text_is_split_into_its_sentences(tmp_path):
    text = "Ann Lee left.\nRain in Oslo\nIt is new."
    lines = source(tmp_path, "a", {"text": text, "ents": [{"start": 0, "end": 7, "label": "PER"}]})
    result = collect_labels([lines], GOLD)
    assert result.corpus.words == [*GOLD.words, ["It", "is", "new", "."]]
    assert result.labels["a"][:2] == [["B-PER", "I-PER", "O", "O"], ["O"] * 3]
    # Without lines, the gold sentences in the text are used.
    flat = {"text": text.replace("\n", " "), "ents": [{"start": 22, "end": 26, "label": "LOC"}]}
    result = collect_labels([source(tmp_path, "b", flat)], GOLD, extend=False)
    assert result.labels["b"] == [["O"] * 4, ["O", "O", "B-LOC"]]


def test_words_inside_another_sentence_are_no_sentence(tmp_path):
    gold = Corpus.from_lists(word=[["Oslo"], ["It", "rains", "."]], label=[["B-LOC"], ["O"] * 3])
    a = source(tmp_path, "a", {"text": "They left Oslo today."}, {"text": "It rains."})
    result = collect_labels([a], gold, extend=False)
    assert result.labels["a"] == [None, ["O"] * 3]
    b = source(tmp_path, "b", {"text": "It rains. Oslo", "ents": [{"start": 10, "end": 14, "label": "LOC"}]})
    assert collect_labels([b], gold, extend=False).labels["b"] == [["B-LOC"], ["O"] * 3]


def test_a_crowd_has_one_expert_per_worker(tmp_path):
    crowd = source(
        tmp_path,
        "crowd",
        {"tokens": ["Ann", "Lee", "left", "."], "workers": {"w1": ["B-PER", "I-PER", "O", "O"]}},
        {"tokens": ["Rain", "in", "Oslo"], "workers": {"w1": ["O", "O", "O"], "w2": ["O", "O", "B-LOC"]}},
        column="*",
    )
    result = collect_labels([crowd], GOLD)
    assert result.labels == {"w1": [GOLD.labels[0], ["O"] * 3], "w2": [None, GOLD.labels[1]]}
    assert result.notes == []


def test_confidences_belong_to_tokens(tmp_path):
    entities = [{"start": 0, "end": 7, "text": "Ann Lee", "label": "PER", "score": 0.5}]
    overlapping = [*entities, {"start": 4, "end": 12, "text": "Lee left", "label": "ORG", "score": 0.9}]
    a = source(tmp_path, "a", {"text": "Ann Lee left.", "entities": entities})
    b = source(tmp_path, "b", {"text": "Ann Lee left.", "entities": overlapping})
    result = collect_labels([a, b], GOLD, extend=False)
    assert result.confidence["a"] == [[0.5, 0.5, None, None], None]
    assert result.labels["b"][0] == ["O", "B-ORG", "I-ORG", "O"]
    assert "span [0, 7, 'PER'] overlaps a better one: ignored" in " ".join(result.notes)


def test_types_are_renamed_and_dropped(tmp_path):
    a = source(tmp_path, "a", sentence("Ann Lee left .", "B-PERSON I-PERSON B-X O"))
    b = source(tmp_path, "b", {"text": "Ann Lee left.", "ents": [{"start": 0, "end": 3, "label": "PERSON"}]})
    c = source(tmp_path, "c", sentence("Ann Lee left .", "PERSON PERSON O O"))
    result = collect_labels([a, b, c], GOLD, maps=["PERSON=PER", "a:X=", "b:Y=Z"], extend=False)
    assert [rows[0] for rows in result.labels.values()] == [
        ["B-PER", "I-PER", "O", "O"],
        ["B-PER", "O", "O", "O"],
        ["B-PER", "I-PER", "O", "O"],
    ]
    assert "--map b:Y=Z: b does not have the type 'Y'; there are PERSON" in result.notes


def test_a_stray_label_does_not_change_the_others(tmp_path):
    a = source(tmp_path, "a", sentence("Ann Lee left .", "B-PER NEW O O"))
    assert collect_labels([a], GOLD, extend=False).labels["a"][0] == ["B-PER", "NEW", "O", "O"]


def test_plain_labels_stay_plain(tmp_path):
    gold = Corpus.from_lists(word=[["Ann", "left"]], label=[["NNP", "VBD"]])
    assert collect_labels([source(tmp_path, "a", sentence("Ann left", "NNP VBZ"))], gold).labels["a"] == [["NNP", "VBZ"]]
    result = collect_labels([source(tmp_path, "b", sentence("An n left", "DT NN VBZ"))], gold)
    assert result.labels["b"] == [["DT", "VBZ"]]
    assert "a token has several labels here, since the tokens differ: used the first" in result.notes[0]


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("PERSON", "--map PERSON: expected OLD=NEW, EXPERT:OLD=NEW, or OLD= to drop a type"),
        ("z:PERSON=PER", "--map z:PERSON=PER: no expert 'z'; the experts are a, b"),
        ("B-PERSON=PER", "--map B-PERSON=PER: expected types, such as PERSON, not labels with a prefix"),
    ],
)
def test_bad_maps_are_refused(argument, message):
    with pytest.raises(InputError, match=message):
        TypeMaps([argument], ["a", "b"])


def checked(folder: Path, labels: str, **options: Any) -> ExpertLabels:
    a = source(folder, "a", sentence("Ann Lee left .", labels))
    return collect_labels([a, source(folder, "b", sentence("Ann Lee left .", "B-PER O O O"))], GOLD, **options)


def test_unknown_types_have_the_options_that_rename_them(tmp_path):
    result = checked(tmp_path, "B-PER B-GPE O B-DATE")
    with pytest.raises(InputError) as error:
        check_labels(result, ["O", "B-PER", "B-LOC"], "gold labels are", with_maps=True)
    assert str(error.value).endswith(
        "a.jsonl:1: unknown label 'B-GPE'; gold labels are 'B-LOC', 'B-PER', 'O'; rename or drop types with "
        "--map a:DATE= --map a:GPE=LOC, or allow such labels with --unknown allow"
    )
    followed = checked(tmp_path, "B-PER B-GPE O B-DATE", maps=["a:DATE=", "a:GPE=LOC"])
    check_labels(followed, ["O", "B-PER", "B-LOC"], "gold labels are", with_maps=True)
    assert followed.labels["a"][0] == ["B-PER", "B-LOC", "O", "O"]


def test_gold_labels_that_teach_nothing_are_reported(tmp_path):
    notes = describe_labels(checked(tmp_path, "B-PERSON O O O"), with_maps=True)
    assert notes == [
        "2 gold sentences: too few for reliable weights; label 30 or more",
        "expert 'a' has types that gold names differently; rename them with --map a:PERSON=PER",
    ]
    result = checked(tmp_path, "B-PER O O O")
    result.gold = [["O"] * 4, ["O"] * 3]
    with pytest.raises(InputError, match=r"every gold label is 'O', and a pool learns nothing from them; choose the column"):
        describe_labels(result, with_maps=True)


def test_an_expert_that_equals_gold_is_reported(tmp_path):
    records = [sentence(f"w{number} x", "B-PER O") for number in range(12)]
    gold = Corpus.from_lists(word=[record["tokens"] for record in records], label=[record["labels"] for record in records])
    notes = describe_labels(collect_labels([source(tmp_path, "a", *records)], gold), with_maps=True)
    assert "expert 'a' equals the gold labels; leave it out if its file is a copy of them" in notes


def test_files_of_other_sentences_are_refused(tmp_path):
    other = source(tmp_path, "a", sentence("Nothing of it"), sentence("is here"))
    message = (
        r"a\.jsonl:1: only 0 of 2 sentences of gold are here, and 2 others; this one begins 'Nothing of it', the first of gold "
        r"'Ann Lee left \.'; give the labels of the same sentences"
    )
    with pytest.raises(InputError, match=message):
        collect_labels([other], GOLD)
    gold = Corpus.from_lists(word=[[f"w{n}"] for n in range(10)], label=[["O"]] * 10)
    few = source(tmp_path, "b", sentence("w1"), sentence("w2"), *(sentence(f"v{n}") for n in range(3)))
    with pytest.raises(InputError, match=r"b\.jsonl:3: only 2 of 10 sentences of gold are here, and 3 others; this"):
        collect_labels([few], gold)
