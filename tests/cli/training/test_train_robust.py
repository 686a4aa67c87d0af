"""``tagpool train --robust`` and ``--truecase``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.commands import fail, run, succeed

from tagpool import builtin_corpus, load, perturb, read_corpus, write_corpus


@pytest.fixture(name="data")
def write_data(tmp_path: Path) -> Path:
    write_corpus(builtin_corpus(300), tmp_path / "train.conll")
    write_corpus(builtin_corpus(120, part="dev"), tmp_path / "dev.conll")
    return tmp_path


def test_the_decision_is_one_line_and_in_the_summary(data: Path) -> None:
    files = ("--train", data / "train.conll", "--dev", data / "dev.conll", "--tune", "off")
    trained = run("train", *files, "--model", data / "a", "--robust", "case,typos", "--json")
    assert trained.returncode == 0
    (line,) = [line for line in trained.stderr.splitlines() if line.startswith("robust: ")]
    assert "dev F1 lower" in line
    summary = json.loads(trained.stdout)["robust"]
    assert summary["copies"].keys() == {"case", "typos"}
    assert load(data / "a").summary_["robust"]["share"] == summary["share"]
    succeed("train", "--config", write_config(data), "--model", data / "b")
    assert (data / "a").read_bytes() == (data / "b").read_bytes()


def write_config(data: Path) -> Path:
    text = succeed("config", data / "a")
    assert 'robust = "case,typos"' in text
    (data / "a.toml").write_text(text)
    return data / "a.toml"


def test_the_penalty_is_chosen_before_copies(data: Path) -> None:
    files = ("--train", data / "train.conll", "--dev", data / "dev.conll")
    plain = json.loads(succeed("train", *files, "--model", data / "a", "--json"))
    robust = json.loads(succeed("train", *files, "--model", data / "b", "--robust", "case", "--json"))
    assert robust["penalties"] == pytest.approx(plain["penalties"])


def test_errors(data: Path) -> None:
    files = ("--train", data / "train.conll", "--model", data / "a")
    assert "unknown kind 'capitals'" in fail("train", *files, "--robust", "capitals")
    assert "use no lists" in fail("train", *files, "--robust", "lists")
    assert "crf and maxent have it" in fail("train", *files, "--robust", "case", "--learner", "inducing")
    succeed("train", *files)
    assert "begins with a new model" in fail(
        "train", "--train", data / "train.conll", "--from", data / "a", "--model", data / "b", "--robust", "case"
    )
    assert "train it with --truecase" in fail("tag", data / "a", data / "dev.conll", "--truecase")


def test_truecasing_restores_f1_and_keeps_the_words(data: Path) -> None:
    write_corpus(perturb(read_corpus(data / "dev.conll"), "lower"), data / "lower.conll")
    succeed("train", "--train", data / "train.conll", "--model", data / "a", "--truecase")
    scores = []
    for options in ((), ("--truecase",)):
        succeed("tag", data / "a", data / "lower.conll", "-o", data / "tagged.conll", *options)
        tagged, before = (read_corpus(data / name, columns=columns) for name, columns in FILES)
        assert tagged.words == before.words
        scores.append(json.loads(succeed("score", data / "tagged.conll", "--json"))["f1"])
    assert scores[1] > scores[0] + 5
    model = load(data / "a")
    assert model.truecaser_ is not None
    restored = model.truecaser_.restore(read_corpus(data / "lower.conll"))
    assert 100 * model.score(restored) == pytest.approx(scores[1], abs=0.01)
    succeed("tag", data / "a", data / "lower.conll", "--truecase", "--probabilities", "--nbest", "2")


FILES = (("tagged.conll", "word,pos,chunk,label,predicted"), ("lower.conll", "word,pos,chunk,label"))
