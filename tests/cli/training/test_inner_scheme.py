"""``tagpool train`` with BILOU inside: the note, and commands that use the model."""

from __future__ import annotations

import re
from pathlib import Path

from cli.commands import fail, run, succeed

from tagpool import CRF, builtin_corpus, write_corpus

BILOU = ("--set", "learner.inner_scheme=bilou")


def test_commands_show_the_labels_of_the_corpus(tmp_path: Path) -> None:
    train, model = tmp_path / "train.conll", tmp_path / "a.tagpool"
    write_corpus(builtin_corpus(150), train)
    trained = run("train", "--train", train, "--dev", train, "--model", model, "--features", "word[-1..1]", *BILOU)
    assert trained.returncode == 0
    assert "features: as given; BILOU inside the model (learner.inner_scheme=bilou)" in trained.stderr
    outputs = [
        succeed("tag", model, train),
        succeed("tag", model, train, "--nbest", "2"),
        succeed("tag", model, train, "--probabilities"),
        succeed("tag", model, train, "--scheme", "bio2"),
        succeed("inspect", model),
        succeed("explain", model, "Ann Smith left Oslo"),
    ]
    assert not any(re.search(r"\b[UL]-(PER|LOC|ORG|MISC)\b", text) for text in (*outputs, trained.stdout, trained.stderr))
    assert "BILOU inside" in fail("convert", model, "--output", tmp_path / "a.crfsuite")
    succeed("train", "--train", train, "--from", model, "--model", tmp_path / "b.tagpool")
    succeed("tag", tmp_path / "b.tagpool", train)


def test_the_note_about_features_has_the_choice(tmp_path: Path) -> None:
    train = tmp_path / "train.conll"
    train.write_text("Ann B-X\nSmith I-X\nleft O\nOslo B-X\n\n" * 1500)
    trained = run("train", "--train", train, "--model", tmp_path / "a.tagpool")
    assert re.search(r"features: .*; BILOU inside the model \(learner.inner_scheme=auto\) \(--features auto\)", trained.stderr)


def test_no_note_for_few_spans(tmp_path: Path) -> None:
    train = tmp_path / "train.conll"
    write_corpus(builtin_corpus(50), train)
    trained = run("train", "--train", train, "--model", tmp_path / "a.tagpool", "--features", "word[0]")
    assert trained.returncode == 0
    assert "BILOU" not in trained.stderr
    assert CRF().inner_scheme == "auto"
