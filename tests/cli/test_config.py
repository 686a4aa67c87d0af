"""Configuration files: priority, errors with file and key, and models that their stored configuration reproduces."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from cli.commands import BAGS, fail, succeed, write

from tagpool import VotePool
from tagpool.cli.training.learners import LEARNERS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FAST = ["--set", "learner.trainer.epochs=2"]


def files(data: Path) -> list[object]:
    return ["--train", data / "train.conll", "--dev", data / "dev.conll"]


def test_train_has_few_options() -> None:
    shown = succeed("train", "--help")
    options = {line.split()[0] for line in shown.splitlines() if line.strip().startswith("--")}
    assert len(options) <= 20, options


@pytest.mark.parametrize("kind", LEARNERS)
def test_the_printed_configuration_has_every_key(kind: str) -> None:
    text = succeed("config", kind)
    table = tomllib.loads(text)
    assert table["learner"]["kind"] == kind
    for name, declared in LEARNERS[kind].parameters().items():
        if declared.kinds is None and name not in ("templates", "min_count", "resources", "threads", "warm_start"):
            assert f"{name} =" in text
            assert declared.help in text


def test_the_printed_configuration_trains_the_default_model(data: Path, tmp_path: Path) -> None:
    config = write(tmp_path, "crf.toml", succeed("config", "crf"))
    succeed("train", *files(data), "--model", tmp_path / "a", *FAST)
    succeed("train", *files(data), "--model", tmp_path / "b", *FAST, "--config", config, new_process=True)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_priority_is_option_then_set_then_file_then_default(data: Path, tmp_path: Path) -> None:
    text = "[learner]\nseed = 5\nl2 = 0.5\nl1 = 0.0\n[learner.trainer]\nkind = 'lbfgs'\niterations = 2\n"
    config = write(tmp_path, "run.toml", text)
    options = ["--config", config, "--set", "learner.l2=0.25", "--set", "learner.seed=6", "--seed", 7]
    succeed("train", *files(data), "--model", tmp_path / "m", *options)
    learner = tomllib.loads(succeed("config", tmp_path / "m"))["learner"]
    assert (learner["seed"], learner["l2"], learner["patience"]) == (7, 0.25, 3)
    assert learner["trainer"] == {"kind": "lbfgs", "iterations": 2, "tolerance": 1e-5, "memory": 6, "warm_up": 5}
    # A value of another kind replaces the whole table.
    succeed("train", *files(data), "--model", tmp_path / "m", "--config", config, "--set", "learner.trainer.kind=sgd", *FAST)
    assert tomllib.loads(succeed("config", tmp_path / "m"))["learner"]["trainer"]["kind"] == "sgd"


def test_later_files_have_priority(data: Path, tmp_path: Path) -> None:
    first = write(tmp_path, "first.toml", "[learner]\nseed = 5\nl2 = 0.5\n")
    second = write(tmp_path, "second.toml", "[learner]\nl2 = 0.25\n")
    succeed("train", *files(data), "--model", tmp_path / "m", "--config", first, "--config", second, *FAST)
    learner = tomllib.loads(succeed("config", tmp_path / "m"))["learner"]
    assert (learner["seed"], learner["l2"]) == (5, 0.25)


WRONG = {
    "a number out of range": ("[learner]\nl2 = -1\n", "run.toml: learner.l2 = -1: expected a number from 0; the default is 1.0"),
    "a wrong type": ("[learner]\nl2 = 'much'\n", "run.toml: learner.l2 = 'much': expected a number from 0"),
    "a misspelled key": ("[learner]\npatiense = 3\n", "learner.patiense = 3: unknown key; did you mean learner.patience?"),
    "a misspelled key of the trainer": (
        "[learner.trainer]\nepoch = 3\n",
        "learner.trainer.epoch = 3: unknown key; did you mean learner.trainer.epochs?",
    ),
    "a misspelled section": ("[learners]\nl2 = 1\n", "learners: unknown key; did you mean 'learner'?"),
    "a key of data": ("[data]\ntran = 'x'\n", "data.tran = 'x': unknown key; did you mean data.train?"),
    "a key of the trainer": ("[learner]\nepochs = 3\n", "learner.epochs = 3: unknown key; did you mean learner.trainer.epochs?"),
    "a key of another learner": ("[learner]\nstrongest = 3\n", "unknown key of this learner; inducing has it"),
    "a key of the features": ("[learner]\ntemplates = 'ner'\n", "unknown key; did you mean features.templates?"),
    "the option of the templates": ("[learner]\nfeatures = 'ner'\n", "unknown key; did you mean features.templates?"),
    "the option of the first model": ("[data]\nfrom = 'a'\n", "data.from = 'a': unknown key; did you mean data.start?"),
    "a misspelled kind": ("[learner]\nkid = 'crf'\n", "learner.kid = 'crf': unknown key; did you mean learner.kind?"),
    "a key without section": ("train = 'a'\n", "train = 'a': unknown key; did you mean data.train?"),
    "a key of another trainer": (
        "[learner]\niteration = 5\n[learner.trainer]\nkind = 'lbfgs'\n",
        "unknown key; did you mean learner.trainer.iterations?",
    ),
    "nothing near": ("[learner]\nxyz = 5\n", "unknown key; expected one of kind, unknown_label, "),
    "a kind": ("[learner]\nkind = 'magic'\n", "learner.kind = 'magic': expected one of crf, maxent"),
    "a table instead of a kind": ("[learner.kind]\nx = 1\n", "learner.kind: expected one of crf, maxent"),
    "a value instead of a table": (
        "[learner]\ntrainer = 'sgd'\n",
        "learner.trainer = 'sgd': expected a table; set learner.trainer.kind",
    ),
    "no value": ("[learner]\npatience = 'None'\n", "learner.patience = 'None': expected a whole number from 1 or 'none'"),
    "no TOML": ("learner = \n", "run.toml: not TOML:"),
    "a number of 5,000 digits": (f"[learner]\nl2 = {'9' * 5000}\n", "run.toml: not TOML:"),
    "deep nesting": (f"[learner]\nl2 = {'[' * 5000}\n", "run.toml: not TOML: values are nested too deeply"),
    "a part of 5,000 digits": (f"[learner]\nkind = 'bagging'\nbags = 'random:{'9' * 5000}'\n", "expected 'auto', 'random:N'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_errors_name_the_file_and_the_key(data: Path, tmp_path: Path, name: str) -> None:
    text, expected = WRONG[name]
    config = write(tmp_path, "run.toml", text)
    assert expected in fail("train", "--train", data / "train.conll", "--model", tmp_path / "m", "--config", config)
    assert not (tmp_path / "m").exists()


def test_settings_that_are_not_settings(data: Path, tmp_path: Path) -> None:
    common = ["train", "--train", data / "train.conll", "--model", tmp_path / "m"]
    assert "--set: l2 = 3: unknown key; did you mean learner.l2?" in fail(*common, "--set", "l2=3")
    assert "--set: train = 5: unknown key; did you mean data.train?" in fail(*common, "--set", "train=5")
    assert "--set: abc = 5: unknown key; expected one of data, features, learner, output" in fail(*common, "--set", "abc=5")
    message = "--set learner=5: learner is a section; set one of its keys, such as --set learner.trainer.epochs=20"
    assert message in fail(*common, "--set", "learner=5")
    for text in ("learner", "=3", "learner.=3"):
        assert "expected KEY=VALUE, such as --set learner.trainer.epochs=20" in fail(*common, "--set", text)
    for value in ("9" * 5000, "[" * 5000):
        assert "learner.l2" in fail(*common, "--set", f"learner.l2={value}")
    assert "there is no such file" in fail(*common, "--config", tmp_path / "no.toml")
    assert "magic: there is no such model file and no such learner; the learners are crf, maxent, inducing" in fail(
        "config", "magic"
    )
    assert "tiny.txt" in fail("config", write(tmp_path, "tiny.txt", "word"))


TRAINED: dict[str, list[object]] = {
    "sgd": ["--set", "learner.trainer.epochs=2", "--set", "learner.trainer.dropout=0.2"],
    "lbfgs": ["--set", "learner.trainer.kind=lbfgs", "--set", "learner.trainer.iterations=5", "--learner", "maxent"],
    "owlqn": ["--set", "learner.trainer.kind=owlqn", "--set", "learner.trainer.iterations=5", "--set", "learner.l1=0.1"],
    "fobos": ["--set", "learner.trainer.kind=fobos", "--set", "learner.trainer.epochs=2", "--set", "features.min_count=2"],
    "perceptron": ["--set", "learner.trainer.kind=perceptron", *FAST, "--set", "learner.class_weight={O = 0.5}"],
    "patience": [*FAST, "--set", "learner.patience=none", "--set", "output.size=small", "--seed", 3],
    "inducing": ["--learner", "inducing", "--set", "learner.epochs=2", "--set", "learner.beam=2"],
    "bagging": [
        "--learner",
        "bagging",
        "--set",
        "learner.expert.trainer.epochs=2",
        "--set",
        "learner.bags=random:2",
        "--seed",
        4,
    ],
    "names": ["--learner", "bagging", "--set", "learner.expert.trainer.epochs=2", "--set", 'learner.bags={a=["shapes"]}'],
    "merged": ["--learner", "bagging", "--set", "learner.expert.kind=maxent", "--set", "output.merge=true"],
    "elitist": ["--learner", "elitist", "--set", "learner.epochs=2", "--set", "learner.weights=[0.5, 0.25, 0.25]"],
}


@pytest.mark.parametrize("name", TRAINED)
def test_the_stored_configuration_gives_the_same_bytes(data: Path, tmp_path: Path, name: str) -> None:
    templates = write(tmp_path, "bags.txt", BAGS)
    succeed("train", *files(data), "--features", templates, *TRAINED[name], "--model", tmp_path / "a", "--threads", 2)
    templates.unlink()  # the model has the text
    config = write(tmp_path, "a.toml", succeed("config", tmp_path / "a"))
    succeed("train", "--config", config, "--model", tmp_path / "b", new_process=True)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_opinion_pools_and_continued_models_store_their_models(data: Path, tmp_path: Path) -> None:
    members = f'learner.members=["{data}/ner.tagpool", "{data}/pos.tagpool"]'
    opinion = ["--learner", "opinion", "--set", members, "--set", "learner.weights=likelihood", "--dev", data / "dev.conll"]
    continued = ["--from", data / "ner.tagpool", "--train", data / "dev.conll", *FAST]
    for options in (opinion, continued):
        succeed("train", *options, "--model", tmp_path / "a")
        config = write(tmp_path, "a.toml", succeed("config", tmp_path / "a"))
        succeed("train", "--config", config, "--model", tmp_path / "b", new_process=True)
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_models_from_python_store_their_parameters(data: Path) -> None:
    table = tomllib.loads(succeed("config", data / "ner.tagpool"))
    assert table["learner"]["trainer"]["epochs"] == 4
    assert "shape(word)" in table["features"]["templates"]


def test_a_vote_pool_has_no_configuration(tmp_path: Path) -> None:
    gold = [["A", "B"], ["B", "A"]]
    VotePool("best").fit({"a": gold, "b": [["A", "A"], ["B", "A"]]}, gold).save(tmp_path / "names.pool")
    assert "a vote pool stores no configuration; tagpool inspect shows" in fail("config", tmp_path / "names.pool")


def test_several_files_are_one_corpus(data: Path, tmp_path: Path) -> None:
    text = (data / "train.conll").read_text()
    cut = text.index("\n\n", len(text) // 2) + 2
    parts = [write(tmp_path, "a.conll", text[:cut]), write(tmp_path, "b.conll", text[cut:])]
    common = ["train", "--columns", "word,pos,chunk,label", *FAST]
    succeed(*common, "--train", parts[0], "--train", parts[1], "--model", tmp_path / "two")
    succeed(*common, "--train", data / "train.conll", "--model", tmp_path / "one")
    facts = [json.loads(succeed("inspect", tmp_path / name, "--json")) for name in ("one", "two")]
    for description in facts:
        for key in ("model", "bytes", "sizes"):
            del description[key]
    assert facts[0] == facts[1]
    other = write(tmp_path, "c.conll", "Ann B-PER\n")
    assert "name the columns of all files with --columns" in fail(
        "train", "--train", parts[0], "--train", other, "--model", tmp_path / "m"
    )
