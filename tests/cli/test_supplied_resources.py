"""``--use NAME=PATH``: resources that a model file does not contain."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.commands import fail, succeed

import tagpool
from tagpool import CRF, SGD

WORDS = "Ann moved to Oslo\n"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model without its clusters."""
    (tmp_path / "brown.txt").write_text("0110\tmoved\n0111\tto\n")
    crf = CRF("word[0]\ncluster(brown)[0]", resources={"brown": tmp_path / "brown.txt"}, trainer=SGD(epochs=1))
    crf.fit(tagpool.builtin_corpus(30)).save(tmp_path / "apart.tagpool", resources=False)
    crf.save(tmp_path / "whole.tagpool")
    return tmp_path / "apart.tagpool"


def test_commands_take_resources(model: Path) -> None:
    whole, use = model.parent / "whole.tagpool", ("--use", f"brown={model.parent / 'brown.txt'}")
    tagged = succeed("tag", model, "-", "--format", "text", *use, stdin=WORDS)
    assert tagged == succeed("tag", whole, "-", "--format", "text", stdin=WORDS)
    assert "cluster(brown)[0]" in succeed("inspect", model, *use)
    assert succeed("explain", model, WORDS.strip(), *use) == succeed("explain", whole, WORDS.strip())


def test_missing_and_unknown_resources(model: Path) -> None:
    message = fail("tag", model, "-", "--format", "text", stdin=WORDS)
    assert "the model needs the cluster 'brown' (sha256 " in message
    assert "supply it with --use brown=PATH" in message
    other = model.parent / "whole.tagpool"
    assert "it contains all its resources" in fail("inspect", other, "--use", f"brown={model.parent / 'brown.txt'}")
    assert "does not contain its resources" in fail("convert", model, "-o", model.parent / "m.crfsuite")


def test_training_continues_with_resources(model: Path, tmp_path: Path) -> None:
    tagpool.write_corpus(tagpool.builtin_corpus(20), tmp_path / "more.conll", columns="word,label")
    use = f"features.use.brown={model.parent / 'brown.txt'}"
    further = ("train", "--from", model, "--train", tmp_path / "more.conll", "--model", tmp_path / "further.tagpool")
    assert "--set features.use.brown=PATH" in fail(*further)
    succeed(*further, "--set", use)
    assert tagpool.load(tmp_path / "further.tagpool").predict([["Ann"]])
