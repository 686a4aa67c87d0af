"""``tagpool convert`` of models."""

from __future__ import annotations

import json
from pathlib import Path

from cli.commands import fail, succeed
from oracles.crfsuite import written

import tagpool
from tagpool.compat import pycrfsuite

MODEL = written(["A", "B"], ["x", "y"], [1.0, -1.0, 0.0, 2.0], [0.5, 0.0, 0.0, 0.5])


def test_from_crfsuite_to_everything_and_back(tmp_path: Path) -> None:
    first = tmp_path / "model.crfsuite"
    first.write_bytes(MODEL)
    succeed("convert", first, "-o", tmp_path / "model.tagpool")
    assert tagpool.load(tmp_path / "model.tagpool").predict([[["x"], ["y"]]]) == [["A", "B"]]
    assert "converted from a model of CRFsuite" in succeed("inspect", tmp_path / "model.tagpool")
    messages = json.loads(succeed("convert", first, "-o", tmp_path / "model.wapiti", "--json"))
    assert messages == {"from": "CRFsuite", "to": "wapiti", "labels": 2, "attributes": 2, "weights": 5, "lost": []}
    succeed("convert", tmp_path / "model.wapiti", "-o", tmp_path / "again", "--to", "crfsuite")
    assert (tmp_path / "again").read_bytes() == MODEL
    succeed("convert", tmp_path / "model.tagpool", "-o", tmp_path / "third.crfsuite")
    tagger = pycrfsuite.Tagger()
    tagger.open(tmp_path / "third.crfsuite")
    assert tagger.tag([["x"], ["y"]]) == ["A", "B"]


def test_what_has_no_place_is_named(tmp_path: Path) -> None:
    tagpool.CRF("word[0]").fit(tagpool.builtin_corpus(40)).save(tmp_path / "model.tagpool")
    messages = json.loads(succeed("convert", tmp_path / "model.tagpool", "-o", tmp_path / "model.crfsuite", "--json"))
    assert messages["lost"] == ["the weights of first and last labels, so that some labels may differ"]


def test_a_tagpool_model_is_not_converted_to_itself(data: Path, tmp_path: Path) -> None:
    for target in (["-o", tmp_path / "copy.tagpool"], ["-o", tmp_path / "copy", "--to", "tagpool"]):
        message = fail("convert", data / "ner.tagpool", *target)
        assert f"{data / 'ner.tagpool'}: the file is a tagpool model already; copy it" in message
    assert list(tmp_path.iterdir()) == []


def test_bad_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "model.crfsuite").write_bytes(MODEL[:500])
    assert "cut off" in fail("convert", tmp_path / "model.crfsuite", "-o", tmp_path / "model.tagpool")
    (tmp_path / "model.txt").write_text("hello" * 100)
    assert "expected a model" in fail("convert", tmp_path / "model.txt", "-o", tmp_path / "model.tagpool")
    assert "expected a model" in fail("convert", tmp_path / "nothing", "-o", tmp_path / "model.tagpool")
    assert "unknown model format" in fail("convert", tmp_path / "model.crfsuite", "-o", tmp_path / "model.bin")
    assert not (tmp_path / "model.tagpool").exists()
