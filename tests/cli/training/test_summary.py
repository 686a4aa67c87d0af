"""Summaries of training: the scores of pools and of their members."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.commands import BAGS, succeed

import tagpool


def opinion(data: Path, pools: Path) -> list[object]:
    return ["--learner", "opinion", "--set", f'learner.members=["{data}/ner.tagpool", "{pools}/bagged.tagpool"]']


def test_members_of_an_elitist_pool_have_their_own_dev_scores(data: Path, tmp_path: Path) -> None:
    files = ["--train", data / "train.conll", "--dev", data / "dev.conll", "--model", tmp_path / "m"]
    options = ["--learner", "elitist", "--features", BAGS, "--set", "learner.epochs=3"]
    reported = json.loads(succeed("train", *files, *options, "--json"))
    dev = tagpool.read_corpus(data / "dev.conll")
    pool = tagpool.load(tmp_path / "m")
    assert reported["best_dev_f1"] == pytest.approx(100 * pool.score(dev))
    expected = [100 * member.score(dev) for member in pool.members_]
    assert [member["dev_f1"] for member in reported["members"]] == pytest.approx(expected)


def test_members_of_an_opinion_pool_are_scored_on_its_dev_file(data: Path, pools: Path, tmp_path: Path) -> None:
    command = ["train", *opinion(data, pools), "--model", tmp_path / "m"]
    reported = json.loads(succeed(*command, "--dev", data / "test.conll", "--json"))
    test = tagpool.read_corpus(data / "test.conll")
    expected = [100 * tagpool.load(path).score(test) for path in (data / "ner.tagpool", pools / "bagged.tagpool")]
    assert [member["dev_f1"] for member in reported["members"]] == pytest.approx(expected)
    assert "dev F1" not in succeed(*command)  # without a dev file
