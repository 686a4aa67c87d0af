"""Files of annotation tools are recognised by any of their records."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tagpool import Corpus, InputError, read_corpus, write_corpus

LABELLED = {"text": "Ann left.", "spans": [{"start": 0, "end": 3, "label": "PER"}]}


def read(folder: Path, *values: Any) -> tuple[Corpus, Counter[str]]:
    path, losses = folder / "a.jsonl", Counter[str]()
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return read_corpus(path, losses=losses), losses


@pytest.mark.parametrize(
    ("words", "labels"),
    [
        ([["Ann"], ["a b", "left"]], [["B-PER"], ["O", "B-X"]]),  # tokens of the second record only
        ([["It", "rains"], ["Ann"]], [["?", "?"], ["B-PER"]]),  # spans of the second record only
        ([["Ann"], ["It", "rains"]], [["B-PER"], ["?", "?"]]),
    ],
)
def test_doccano_is_read_as_written(tmp_path, words, labels):
    corpus = Corpus.from_lists(word=words, label=labels)
    write_corpus(corpus, tmp_path / "a.jsonl", format="doccano", losses=Counter())
    back = read_corpus(tmp_path / "a.jsonl", losses=Counter())
    assert (back.words, back.labels) == (words, labels)


def test_exports_of_doccano(tmp_path):
    entities = [{"id": 1, "label": "PER", "start_offset": 0, "end_offset": 3}]
    record = {"id": 1, "text": "Ann left.", "entities": entities, "relations": [{"id": 1}], "cats": ["News"], "Comments": ["?"]}
    corpus, losses = read(tmp_path, record)
    assert corpus.labels == [["B-PER", "O", "O"]]
    assert losses == {"fields of metadata": 1, "relations": 1, "classes of texts": 1, "comments": 1}
    corpus, losses = read(
        tmp_path, {"text": "Ann left.", "label": [[0, 3, "PER"]]}, {"text": "Rain.", "label": [], "Comments": ["?"]}
    )
    assert (corpus.labels, losses) == ([["B-PER", "O", "O"], ["O", "O"]], {"comments": 1})


def test_an_answer_of_a_later_record(tmp_path):
    rejected = {"text": "It rains.", "spans": [{"start": 0, "end": 2, "label": "X"}], "answer": "reject"}
    corpus, losses = read(tmp_path, LABELLED, rejected)
    assert (corpus.words, losses) == ([["Ann", "left", "."]], {"rejected or skipped texts": 1})


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_an_array(tmp_path, name):
    path = tmp_path / name
    path.write_text(json.dumps([LABELLED, LABELLED]))
    assert read_corpus(path).labels == [["B-PER", "O", "O"]] * 2
    path.write_text("[]\n")
    with pytest.raises(InputError, match=rf"{name}:1: expected records, got none: the array is empty"):
        read_corpus(path)
    path.write_text(f"[{json.dumps(LABELLED)}] []")
    with pytest.raises(InputError, match="expected one array of records, and more follows it"):
        read_corpus(path)


@pytest.mark.parametrize("indent", [None, 2])
def test_a_cut_array_has_no_end(tmp_path, indent):
    whole = json.dumps([{"data": {"text": "Ann left."}, "annotations": []}] * 2, indent=indent)
    for end in range(1, len(whole)):
        if whole[end - 1].isdigit():
            continue
        (tmp_path / "a.json").write_text(whole[:end])
        with pytest.raises(
            InputError, match=r"a\.json:\d+: the array does not end; the file is cut off: export or copy it again"
        ):
            read_corpus(tmp_path / "a.json")
