"""Ordinary mistakes end with an error of the package that says what is expected, never with an internal error."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tagpool
from tagpool.compat import pycrfsuite
from tagpool.compat.wapiti.text_models import parse_crfpp_model
from tagpool.errors import InputError, ModelError, TrainingError
from tagpool.experts.linear import label_memory
from tagpool.parameters import Parameter, Parameters

CORPUS = tagpool.builtin_corpus(10)
SURROGATE = "\ud800"
HUGE = 10**400
LEARNERS: list[type[Parameters]] = [
    tagpool.CRF,
    tagpool.MaxEnt,
    tagpool.InducingTagger,
    tagpool.SGD,
    tagpool.LBFGS,
    tagpool.OWLQN,
    tagpool.FOBOS,
    tagpool.Perceptron,
    tagpool.BaggingPool,
    tagpool.ElitistPool,
    tagpool.OpinionPool,
    tagpool.TwoStageTagger,
    tagpool.VotePool,
]
NUMBERS = [
    (learner, parameter)
    for learner in LEARNERS
    for parameter in learner.parameters().values()
    if {"int", "float"} & set(parameter.types)
]


@pytest.mark.parametrize(("learner", "parameter"), NUMBERS, ids=lambda value: getattr(value, "__name__", None) or value.name)
def test_every_number_has_a_range(learner: type[Parameters], parameter: Parameter) -> None:
    for value in (-1, HUGE, -HUGE, 2**63, float("nan"), float("inf"), SURROGATE):
        problem = parameter.problem(value)
        if value != 2**63 or "float" not in parameter.types or parameter.maximum is not None:
            assert problem is not None, value
            assert problem.startswith("expected "), problem


@pytest.mark.parametrize("learner", [tagpool.CRF, tagpool.MaxEnt, tagpool.InducingTagger, tagpool.ElitistPool])
def test_the_largest_min_count_that_is_accepted_works(learner: Any) -> None:
    with pytest.raises(InputError, match=r"min_count=4294967296.*expected a whole number from 1 to"):
        learner(min_count=2**32)
    with pytest.raises(InputError, match="min_count"):
        tagpool.Encoder("word[0]", min_count=2**32).fit(CORPUS)
    tagpool.Encoder("word[0]", min_count=2**32 - 1).fit(CORPUS)


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (lambda: tagpool.CRF("word[0]", seed=HUGE), "below 2.63"),
        (lambda: tagpool.CRF("word[0]", unknown_label=SURROGATE), "lone surrogate"),
        (lambda: tagpool.load(SURROGATE), "not UTF-8"),
        (lambda: tagpool.CRF("word[0]").fit(CORPUS, sample_weight=[HUGE] * 10), "sample_weight: expected"),
        (lambda: tagpool.CRF("word[0]").fit(CORPUS, sample_weight=["a"] * 10), "sample_weight: expected"),
        (lambda: tagpool.BaggingPool(tagpool.CRF("ner")).fit(CORPUS, sample_weight=["a"] * 10), "sample_weight: expected"),
        (lambda: tagpool.CRF("word[0]", class_weight={"O": HUGE}).fit(CORPUS), "class_weight"),
        (lambda: tagpool.InducingTagger("word[0]", step=1e308).fit(CORPUS), "smaller step"),
        (lambda: tagpool.CRF("number(word)[0]").fit(CORPUS), "number"),
        (lambda: parse_crfpp_model("version: 100\ncost-factor: nan\nmaxid: 2\nxsize: 1\n\nA\n"), "cost-factor, got 'nan'"),
    ],
)
def test_mistakes_in_python(mistake: Callable[[], object], message: str) -> None:
    with pytest.raises((InputError, ModelError, TrainingError), match=message):
        mistake()


@pytest.mark.parametrize("algorithm", ["lbfgs", "l2sgd", "ap", "pa", "arow"])
def test_parameters_of_the_drop_in(tmp_path: Path, algorithm: str) -> None:
    trainer = pycrfsuite.Trainer(algorithm, verbose=False)
    trainer.append([["a"], ["b"]], ["A", "B"])
    for name in trainer.params():
        default = trainer.get(name)
        if isinstance(default, int) and not isinstance(default, bool):
            trainer.set(name, 2**70)
            with pytest.raises(InputError, match=f"{name}=.*: expected"):
                trainer.train(tmp_path / "model")
            trainer.set(name, default)


@pytest.mark.parametrize("learner", [tagpool.CRF, tagpool.MaxEnt, tagpool.InducingTagger])
def test_too_many_labels(learner: Any) -> None:
    count = 70_000
    words, labels = [[str(i)] for i in range(count)], [[f"L{i}"] for i in range(count)]
    with pytest.raises(InputError, match=r"70,?000"):
        learner("word[0]").fit(words, labels)


def test_the_memory_of_transitions_is_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_memory, "free_memory", lambda: 2e9)
    with pytest.warns(UserWarning, match=r"10,000 labels have 100,000,000 transitions, which need at least 1\.6 GB"):
        label_memory.check_label_count(10_000, chain=True)
    with pytest.raises(InputError, match=r"100,000 labels .* at least 160\.0 GB of memory; 2\.0 GB are free; use fewer labels"):
        label_memory.check_label_count(100_000, chain=True)
    label_memory.check_label_count(100_000, chain=False)
    monkeypatch.undo()
    assert label_memory.free_memory() > 0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mistakes")
    tagpool.write_corpus(CORPUS, folder / "a.conll")
    (folder / "scored.conll").write_text("a O O\nb B-X O\n")
    tagpool.CRF("word[0]").fit(CORPUS).save(folder / "model")
    return folder


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["tag", "model", "a.conll", "--encoding", "rot13"], "unknown encoding 'rot13'"),
        (["tag", "model", "a.conll", "--encoding", "hex"], "unknown encoding 'hex'"),
        (["convert", "a.conll", "--output", "b.conll", "--encoding", "rot13"], "unknown encoding 'rot13'"),
        (["tag", "model", "a.conll", "--nbest", "1000000"], "100000"),
        (["score", "scored.conll", "--draws", "99999999999"], "1000000"),
        (["train", "--train", "a.conll", "--model", "m", "--seed", str(2**64)], "below 2^63"),
        (["train", "--train", "a.conll", "--model", "m", "--set", f"features.min_count={2**40}"], "expected a whole number"),
        (["train", "--train", "a.conll", "--model", "m", "--set", f"learner.trainer.epochs={10**30}"], "below 2^63"),
        (["tag", "model", "a.conll", "--nbest", "9" * 30], "100000"),
        (["pool", "compare", "--gold", "a.conll", "x", "y", "--draws", "9" * 30], "1000000"),
        (["pool", "compare", "--gold", "a.conll", "a.conll", "b=a.conll", "--seed", "9" * 30], "nothing to pool"),
        (["resources", "clusters", "a.conll", "--min-count", "9" * 30], "expected a whole number from 1 to 4,294,967,295"),
        (["resources", "clusters", "a.conll", "--k", "9" * 30], "expected a whole number from 1 to 20,000"),
        (["resources", "ambiguity", "a.conll", "--model", "model", "--min-count", "9" * 30], "no word occurs"),
        (["features", "a.conll", "--features", "word[0]", "--summary", "--min-count", "9" * 30], "expected a whole number"),
        (["score", "scored.conll", "--seed", "9" * 30], ""),
        (["score", "scored.conll", "--confused", "9" * 30], ""),
        (["explain", "model", "a", "--top", "9" * 30], ""),
        (["features", "word[0]", "a.conll", "--count", "9" * 30], ""),
        (["inspect", "model", "--top", "9" * 30], ""),
        (["tag", os.fsdecode(b"\xff"), "a.conll"], ""),
        (["tag", "model", os.fsdecode(b"\xff")], "no such file"),
        (["train", "--train", os.fsdecode(b"\xff"), "--model", "m"], "no such file"),
    ],
    ids=lambda value: ascii(" ".join(value))[:60] if isinstance(value, list) else "",
)
def test_mistakes_on_the_command_line(folder: Path, command: list[str], message: str) -> None:
    run = [sys.executable, "-m", "tagpool", *command]
    done = subprocess.run(run, cwd=folder, capture_output=True, check=False, timeout=60)
    text = done.stderr.decode("utf-8", "replace")
    assert "internal error" not in text
    assert "Traceback" not in text
    assert done.returncode in ((2,) if message else (0, 2)), text
    assert message in " ".join(text.split())
