"""``tagpool train --memory``: the same file as without, and errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.commands import fail, succeed

from tagpool import builtin_corpus
from tagpool.corpus.conll import format_conll


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for part, count in (("train", 300), ("dev", 60)):
        (tmp_path / part).write_text(format_conll(builtin_corpus(count, part=part)), encoding="utf-8")
    return tmp_path


def test_the_file_is_the_same(data: Path) -> None:
    command = ["train", "--train", data / "train", "--dev", data / "dev", "--tune", "off", "--json"]
    succeed(*command, "--model", data / "plain")
    succeed(*command, "--model", data / "streamed", "--memory", "2G")
    assert (data / "streamed").read_bytes() == (data / "plain").read_bytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--memory", "much"], "expected a size such as 2G or 500M"),
        (["--memory", "20M"], "more than the budget of 20 MB; use memory="),
        (["--memory", "2G", "--learner", "bagging"], "--memory is for the learners crf and maxent, not for bagging"),
        (["--memory", "2G", "--set", "learner.trainer.kind=perceptron"], "the trainer perceptron needs all sentences in memory"),
        (["--memory", "2G", "--set", "data.format=jsonl"], "convert it with tagpool convert --to conll"),
    ],
)
def test_errors(data: Path, options: list[str], message: str) -> None:
    assert message in fail("train", "--train", data / "train", "--model", data / "m", *options)
    assert not (data / "m").exists()


def test_tune_refuses_a_budget(data: Path) -> None:
    message = fail("tune", "--train", data / "train", "--dev", data / "dev", "--set", "data.memory=2G")
    assert "a search needs all sentences in memory" in message
