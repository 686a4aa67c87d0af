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
    assert "supply it with --use brown=PATH" in fail("convert", model, "-o", model.parent / "m.crfsuite")
    twice = ("--use", f"brown={model.parent / 'brown.txt'}") * 2
    assert "the resource 'brown' is given twice; give it once" in fail("inspect", model, *twice)


@pytest.mark.parametrize("suffix", ["crfsuite", "wapiti"])
def test_models_without_their_resources_are_converted(model: Path, suffix: str) -> None:
    use = ("--use", f"brown={model.parent / 'brown.txt'}")
    for name, source, options in (("whole", model.parent / "whole.tagpool", ()), ("apart", model, use)):
        succeed("convert", source, "-o", model.parent / f"{name}.{suffix}", *options)
    assert (model.parent / f"apart.{suffix}").read_bytes() == (model.parent / f"whole.{suffix}").read_bytes()
    back = model.parent / "back.tagpool"
    assert "--use is for models of tagpool, and this is one of" in fail(
        "convert", model.parent / f"apart.{suffix}", "-o", back, *use
    )
    (model.parent / "a.conll").write_text("a O\n")
    assert "--use is for models, and this is a corpus" in fail("convert", model.parent / "a.conll", "-o", "-", *use)


def test_training_continues_with_resources(model: Path, tmp_path: Path) -> None:
    tagpool.write_corpus(tagpool.builtin_corpus(20), tmp_path / "more.conll", columns="word,label")
    use = f"features.use.brown={model.parent / 'brown.txt'}"
    further = ("train", "--from", model, "--train", tmp_path / "more.conll", "--model", tmp_path / "further.tagpool")
    assert "--set features.use.brown=PATH" in fail(*further)
    succeed(*further, "--set", use)
    assert tagpool.load(tmp_path / "further.tagpool").predict([["Ann"]])
