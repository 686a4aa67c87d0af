"""Candidates of a word: commands, options, and the values that are known."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli.commands import succeed, write
from cli.test_quiet import COMMANDS

import tagpool
from tagpool.cli.completing.answering import complete, join_broken_words
from tagpool.cli.completing.candidates import Mode
from tagpool.cli.completing.values import MODELS, NAMES, OTHERS, completer_of, names_of


def values(*words: str) -> list[str]:
    answer = complete(list(words[:-1]), words[-1])
    assert answer.mode is not Mode.FILES
    return list(answer.values)


@pytest.mark.parametrize("key", [*NAMES, *MODELS, *OTHERS])
def test_completed_parameters_exist(key: str) -> None:
    command, parameter = key.rsplit(" ", 1)
    assert parameter in {one.name for one in COMMANDS[command].params}
    assert completer_of(command, parameter) is not None


@pytest.mark.parametrize("key", NAMES)
def test_names_are_known(key: str) -> None:
    names = names_of(NAMES[key])
    assert names
    assert all(isinstance(name, str) and name for name in names)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("t",), ["train", "tune", "tag"]),
        (("pool", "e"), ["estimate", "explain"]),
        (("--ver",), ["--version"]),
        (("tag", "--format", "c"), ["conll", "conllu", "conllup"]),
        (("tag", "m", "--format=j"), ["--format=jsonl"]),
        (("tag", "--scheme", "bi"), ["bio2", "bilou", "bioes"]),
        (("train", "--engine", ""), ["local", "ray"]),
        (("train", "--learner", "m"), ["maxent"]),
        (("train", "--robust", "case,typos,c"), []),
        (("audit", "--only", "text,fe"), ["text,features"]),
        (("convert", "a", "--to", "cr"), ["crfsuite"]),
        (("pool", "fit", "--key", "p"), ["position"]),
        (("config", "two"), ["two-stage"]),
        (("reproduce", "dfi"), ["dfi-pos", "dfi-ner"]),
        (
            ("train", "--set", "learner.trainer.kind="),
            [f"learner.trainer.kind={one}" for one in ("sgd", "lbfgs", "owlqn", "fobos", "perceptron")],
        ),
        (("train", "--set", "learner.truecase=t"), ["learner.truecase=true"]),
        (("train", "--set", "learner.trainer.mem"), []),
        (("train", "--set", "learner.trainer.kind=lbfgs", "--set", "learner.trainer.mem"), ["learner.trainer.memory="]),
        (("train", "--learner", "inducing", "--set", "learner.slo"), ["learner.slots="]),
        (("train", "--seed", ""), []),
        (("score", "a", "b", "--js"), ["--json"]),
    ],
)
def test_candidates(words: tuple[str, ...], expected: list[str]) -> None:
    assert list(complete(list(words[:-1]), words[-1]).values) == expected


def test_options_that_are_given_are_not_repeated() -> None:
    assert "--json" in values("train", "--")
    assert "--json" not in values("train", "--json", "--")
    assert "--train" in values("train", "--train", "a", "--")  # may be repeated
    assert complete(["tag", "m", "--", "x"], "--js").mode is Mode.FILES  # after --, all words are arguments


@pytest.mark.parametrize(
    "words", [("nothing", ""), ("tag", "m", ""), ("score", ""), ("train", "--train", ""), ("tune", "-o", "")]
)
def test_other_values_are_files(words: tuple[str, ...]) -> None:
    assert complete(list(words[:-1]), words[-1]).mode is Mode.FILES


def test_models_are_known_by_their_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder").mkdir()
    write(tmp_path, "notes.tagpool", "no model")
    assert complete(["tag"], f"{tmp_path}/").mode is Mode.FILES
    tagpool.CRF("word[0]").fit(tagpool.Corpus.from_lists(word=[["Ann", "left"]], label=[["A", "O"]])).save(tmp_path / "ner")
    assert values("tag", f"{tmp_path}/") == [f"{tmp_path}/folder/", f"{tmp_path}/ner"]
    monkeypatch.setenv("HOME", str(tmp_path))
    assert values("serve", "names=~/n") == ["names=~/ner"]
    monkeypatch.chdir(tmp_path)
    assert values("config", "") == [*names_of(("tagpool.cli.training.learners", "LEARNERS")), "folder/", "ner"]
    assert complete(["tag"], f"{tmp_path}/absent/").mode is Mode.FILES


def test_completed_keys_are_accepted() -> None:
    for learner in names_of(("tagpool.cli.training.learners", "LEARNERS")):
        keys = values("train", "--learner", learner, "--set", "learner.")
        printed = succeed("config", learner)
        names = {line.split()[1 if line.startswith("#") else 0] for line in printed.splitlines() if " =" in line}
        assert {key.rstrip("=").rpartition(".")[2] for key in keys} - {"kind"} <= names


@pytest.mark.parametrize(
    ("words", "joined"),
    [
        (["a", "b"], (["a", "b"], 0)),
        (["--set", "l2", "="], (["--set", "l2="], 3)),
        (["--set", "l2", "=", "1"], (["--set", "l2=1"], 3)),
        (["--map", "x", ":", "A", "=", "B"], (["--map", "x:A=B"], 4)),
        (["'my mo"], (["my mo"], 0)),
        (["my\\ mo", "x"], (["my mo", "x"], 0)),
    ],
)
def test_words_that_bash_divides(words: list[str], joined: tuple[list[str], int]) -> None:
    assert join_broken_words(words) == joined


def test_errors_print_nothing(tmp_path: Path) -> None:
    environment = {**os.environ, "_TAGPOOL_COMPLETE": "zsh"}
    command = [sys.executable, "-m", "tagpool", "tag", str(tmp_path / "\udc80")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "files\n", "")
