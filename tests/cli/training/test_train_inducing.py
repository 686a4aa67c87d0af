"""The inducing tagger from the command line: it trains, tags and is looked into as all are, and refuses what it has not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.commands import fail, succeed, write

import tagpool

TEMPLATES = "word[-1..1]\nshape(word, short)[-1..1]\nlabel[-1]\n"


@pytest.fixture(scope="module")
def model(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inducing")
    templates = write(folder, "mine.txt", TEMPLATES)
    options = ["--train", data / "train.conll", "--dev", data / "dev.conll", "--features", templates, "--set", "learner.epochs=3"]
    result = json.loads(succeed("train", "--learner", "inducing", *options, "--model", folder / "m", "--json"))
    assert result["learner"] == "inducing"
    assert result["features"] > result["conjunctions"] > 0
    return folder / "m"


def test_tagging_is_what_python_says(model: Path, data: Path) -> None:
    tagger, dev = tagpool.load(model), tagpool.read_corpus(data / "dev.conll")
    tagged = succeed("tag", model, data / "dev.conll")
    last = [[line.split()[-1] for line in block.splitlines()] for block in tagged.strip().split("\n\n")]
    assert last == tagger.predict(dev)
    assert succeed("tag", model, data / "dev.conll", "--threads", 2) == tagged


def test_inspect_shows_conjunctions(model: Path) -> None:
    result = json.loads(succeed("inspect", model, "--top", 3, "--json"))
    assert len(result["conjunctions"]) == len(result["label_features"]) == 3
    assert all(" & " in feature for feature, _, _ in result["conjunctions"])
    assert all(feature.startswith("label[-1]=") for feature, _, _ in result["label_features"])
    shown = succeed("inspect", model, "--top", 3)
    assert " conjunctions)" in shown
    assert result["conjunctions"][0][0] in shown


def test_explain(model: Path) -> None:
    shown = succeed("explain", model, "Ann Smith moved to Oslo.", "--top", 100)
    assert "behind by" in shown
    assert " & " in shown
    tokens = json.loads(succeed("explain", model, "Ann Smith moved to Oslo.", "--json"))["tokens"]
    assert [token["word"] for token in tokens] == ["Ann", "Smith", "moved", "to", "Oslo", "."]
    assert tokens[0]["lead"] == pytest.approx(sum(item["difference"] for item in tokens[0]["contributions"]), abs=1e-4)


def test_options_reach_the_tagger_and_it_goes_on(model: Path, data: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    keys = ["induce=false", "beam=2", "l1=1e-7", "epochs=1"]
    supplied = ["--seed", 7, *(word for key in keys for word in ("--set", f"learner.{key}"))]
    succeed("train", "--train", data / "train.conll", "--learner", "inducing", *supplied, "--model", other)
    stored = json.loads(succeed("inspect", other, "--top", 0, "--json"))["parameters"]
    assert (stored["induce"], stored["beam"], stored["l1"], stored["seed"]) == (False, 2, 1e-7, 7)
    succeed("train", "--train", data / "dev.conll", "--from", model, "--set", "learner.epochs=1", "--model", tmp_path / "more")
    dev = tagpool.read_corpus(data / "dev.conll")
    assert tagpool.load(tmp_path / "more").score(dev) > tagpool.load(model).score(dev)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--learner", "inducing", "--set", "learner.l2=1"], "learner.l2 = 1: unknown key"),
        (["--learner", "inducing", "--set", "learner.slots=5"], "slots=5: expected at least one slot per feature"),
        (["--set", "learner.beam=2"], "learner.beam = 2: unknown key of this learner; inducing has it"),
        (["--learner", "nope"], "learner.kind = 'nope': expected one of crf, maxent, inducing"),
        (["--learner", "bagging", "--set", "learner.expert.kind=inducing"], "expected one of crf, maxent"),
        (["--learner", "elitist", "--set", "learner.slots=100"], "unknown key of this learner; inducing has it"),
    ],
)
def test_options_that_make_no_sense(data: Path, tmp_path: Path, options: list[object], message: str) -> None:
    assert message in fail("train", "--train", data / "train.conll", "--model", tmp_path / "m", *options)
    assert not (tmp_path / "m").exists()


def test_what_it_has_not_is_refused(model: Path, data: Path, tmp_path: Path) -> None:
    for option in (["--nbest", 2], ["--probabilities"], ["--scheme", "bio2"]):
        assert "need a model with probabilities" in fail("tag", model, data / "dev.conll", *option)
    common = ["train", "--train", data / "train.conll", "--model", tmp_path / "m"]
    members = f'learner.members=["{model}", "{model}"]'
    assert "InducingTagger" in fail(*common, "--learner", "opinion", "--set", members)
    assert "--from is a inducing; drop --learner crf" in fail(*common, "--from", model, "--learner", "crf")
