"""``tagpool train --learner two-stage``, and what the other commands make of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.commands import fail, run, succeed

import tagpool
from tagpool import CRF, SGD, Corpus, TwoStageTagger, builtin_corpus, read_corpus, write_corpus

FEATURES = "word[-1..1]\nshape(word, short)[0]"


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """train.conll and dev.conll with documents, and a model of two stages."""
    folder = tmp_path_factory.mktemp("two-stage")
    for part, count in (("train", 120), ("dev", 48)):
        corpus = builtin_corpus(count, part=part)  # type: ignore[arg-type]
        columns = {"word": corpus.words, "label": corpus.labels}
        write_corpus(Corpus.from_columns(columns, documents=range(0, count, 8)), folder / f"{part}.conll")
    files = ["--train", folder / "train.conll", "--dev", folder / "dev.conll", "--model", folder / "m"]
    options = ["--set", "learner.first.trainer.epochs=2", "--set", "learner.folds=3", "--seed", 2, "--json"]
    done = run("train", "--learner", "two-stage", *files, "--features", FEATURES, *options)
    assert done.returncode == 0, done.stderr
    assert "fold 3:  epoch 2/2" in done.stderr
    reported = json.loads(done.stdout)
    assert reported["learner"] == "two-stage"
    assert [member["name"] for member in reported["members"]] == ["first stage", "second stage"]
    return folder


def test_it_is_the_pool_from_python(documents: Path) -> None:
    train, dev = read_corpus(documents / "train.conll"), read_corpus(documents / "dev.conll")
    crf = CRF(FEATURES, seed=2, trainer=SGD(epochs=2))
    expected = TwoStageTagger(crf, folds=3, seed=2).fit(train, dev=dev)
    result = tagpool.load(documents / "m")
    assert isinstance(result, TwoStageTagger)
    assert result.predict(dev) == expected.predict(dev)


def test_other_commands_know_it(documents: Path, tmp_path: Path) -> None:
    model, dev = documents / "m", documents / "dev.conll"
    expected = tagpool.load(model).predict(read_corpus(dev))
    succeed("tag", model, dev, "-o", tmp_path / "tagged.conll")
    assert read_corpus(tmp_path / "tagged.conll", columns="word,gold,label").labels == expected
    about = json.loads(succeed("inspect", model, "--json"))
    assert (about["kind"], about["columns"], about["merges"]) == ("two-stage", ["word"], False)
    assert "mention[0]" in about["members"][1]["templates"]
    assert "second stage" in succeed("inspect", model)
    reported = json.loads(succeed("explain", model, "--file", dev, "--sentence", 12, "--json"))["tokens"]
    assert [token["label"] for token in reported] == expected[11]
    assert [vote["member"] for vote in reported[0]["votes"]] == ["first stage", "second stage"]
    assert any("mention[0]" in item["feature"] for token in reported for item in token["contributions"])


def test_the_stored_configuration_gives_the_same_bytes(documents: Path, tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(succeed("config", documents / "m"))
    succeed("train", "--config", tmp_path / "run.toml", "--model", tmp_path / "again", new_process=True)
    assert (tmp_path / "again").read_bytes() == (documents / "m").read_bytes()


def test_what_is_refused(documents: Path, data: Path, tmp_path: Path) -> None:
    begin = ["train", "--model", tmp_path / "m", "--learner", "two-stage"]
    assert "the corpus has no documents; mark them with -DOCSTART-" in fail(*begin, "--train", data / "train.conll")
    train = ["--train", documents / "train.conll"]
    assert "learner.weights = 'dev': unknown key" in fail(*begin, *train, "--set", "learner.weights=dev")
    assert "folds=40: expected 2 to 15, the number of documents" in fail(*begin, *train, "--set", "learner.folds=40")
    assert "a pool is trained from the start; drop --from" in fail(*begin, *train, "--from", documents / "m")
    assert not (tmp_path / "m").exists()
