"""``tagpool audit``: tables, JSON, the plot, other taggers and mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli.commands import run, run_process

import tagpool
from tagpool import CRF, SGD, builtin_corpus

MODULE = """
import tagpool
def capitals(sentences):
    return [["B-PER" if word.istitle() else "O" for word in words] for words in sentences]
def backwards(corpus):
    return lambda text: [word[::-1] if text.happens() else word for word in text.words]
reverse = tagpool.Perturbation("reverse", "words spelled backwards", backwards)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: Any) -> Path:
    path: Path = tmp_path_factory.mktemp("audit")
    for part, size in (("train", 150), ("dev", 40), ("test", 60)):
        tagpool.write_corpus(builtin_corpus(size, part=part), path / f"{part}.conll")
    train = tagpool.read_corpus(path / "train.conll", columns="word,pos,chunk,label")
    CRF("word[0]\nshape(word)[0]\npos[0]\n[ends]\nsuffix(word, 2)[0]", trainer=SGD(epochs=3)).fit(train).save(path / "a.tagpool")
    (path / "audited.py").write_text(MODULE)
    return path


@pytest.fixture(autouse=True)
def inside(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


def audit(arguments: str) -> Any:
    return run("audit", *arguments.split())


def test_table_and_json_agree() -> None:
    arguments = "a.tagpool test.conll --train train.conll --only lower,digits,diacritics,features"
    shown = audit(arguments)
    assert shown.returncode == 0, shown.stderr
    result = json.loads(audit(arguments + " --json").stdout)
    lines = shown.stdout.splitlines()
    assert lines[0].startswith(f"a.tagpool: F1 {result['score']:.2f} (")
    for row in result["rows"]:
        line = next((line.rstrip() for line in lines if row["name"] in line), "")
        if "reason" in row:
            assert f"not applicable: {row['reason']}" in line
        elif not row["name"].startswith("template"):
            assert f"{row['score']:.2f}" in line
            assert line.endswith(row["advice"])
    assert any(line.startswith("shape ") for line in lines)  # the second table
    pos = next(row for row in result["rows"] if row["name"] == "column pos")
    assert {"worth", "dependence", "dependence_interval"} <= pos.keys()


def test_threads_and_hash_seeds_change_nothing() -> None:
    arguments = ["audit", "a.tagpool", "test.conll", "--only", "typos,names,spaces", "--json"]
    outputs = {
        run_process(*arguments, "--threads", threads, environment={"PYTHONHASHSEED": threads}).stdout for threads in ("1", "2")
    }
    assert len(outputs) == 1


def test_plot(folder: Path) -> None:
    done = audit("a.tagpool test.conll --only lower,digits,features --train train.conll --plot a.svg")
    assert done.returncode == 0, done.stderr
    assert "<svg" in (folder / "a.svg").read_text()
    assert "plot: a.svg" in done.stdout


def test_other_taggers_and_perturbations() -> None:
    arguments = "test.conll --tagger audited:capitals --perturbation audited:reverse --only reverse,lower,features,names"
    result = json.loads(audit(arguments + " --names dev.conll --json").stdout)
    rows = {row["name"]: row for row in result["rows"]}
    assert {"reverse", "lower", "names: of dev.conll"} <= rows.keys()
    assert rows["lower"]["score"] == 0
    assert 'tagpool.perturb(train, "lower")' in rows["lower"]["advice"]
    assert "not tagpool's" in rows["features"]["reason"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("a.tagpool", "expected a model and a file of sentences"),
        ("test.conll", "expected a model, got another file"),
        ("a.tagpool test.conll --tagger audited:capitals", "give one of them"),
        ("a.tagpool missing.conll", "missing.conll"),
        ("a.tagpool test.conll --only nonsense", "only='nonsense'"),
        ("a.tagpool test.conll --by genre", "no column 'genre'"),
        ("a.tagpool test.conll --plot a.gif", "ends in .svg or .png"),
        ("a.tagpool test.conll --dev dev.conll", "--dev is for trainings"),
        ("a.tagpool test.conll --reference dev.conll", "add --drift"),
        ("a.tagpool test.conll --drift --dev dev.conll --only lower", "--only is not for --drift"),
        ("a.tagpool test.conll --perturbation audited:capitals", "expected a Perturbation"),
        ("a.tagpool test.conll --columns word,pos,chunk,ner", "no label column"),
    ],
)
def test_mistakes(arguments: str, message: str) -> None:
    done = audit(arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_drift_is_another_command() -> None:
    done = audit("a.tagpool test.conll --drift --dev train.conll")
    assert done.returncode == 0, done.stderr
    assert "alarm" in done.stdout
