"""``tagpool report``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.commands import fail, run, succeed

import tagpool
from tagpool import read_corpus


def test_report_of_a_model(data: Path, tmp_path: Path) -> None:
    html = tmp_path / "r.html"
    arguments = ["report", data / "ner.tagpool", data / "test.conll", "--train", data / "train.conll", "--draws", 200, "-o", html]
    result = json.loads(succeed(*arguments, "--json"))
    scores = json.loads(succeed("score", data / "test.conll", _labelled(data, tmp_path), "--draws", 200, "--json"))
    for rate in ("precision", "recall", "f1", "accuracy"):
        assert result["systems"][0]["score"][rate] == pytest.approx(scores[rate])
        assert result["systems"][0]["score"]["intervals"][rate] == pytest.approx(scores["intervals"][rate])
    assert html.read_text().startswith("<!doctype html>")
    shown = succeed(*arguments)
    assert "sentences with errors" in shown
    assert "written to" in shown


def _labelled(data: Path, tmp_path: Path) -> Path:
    path = tmp_path / "predicted.conll"
    succeed("tag", data / "ner.tagpool", data / "test.conll", "-o", path)
    return path


def test_a_prediction_file_has_the_scores_of_its_model(data: Path, tmp_path: Path) -> None:
    files = [data / "ner.tagpool", _labelled(data, tmp_path)]
    options = ["--draws", 100, "-o", tmp_path / "r.html", "--json"]
    one, other = (json.loads(succeed("report", file, data / "test.conll", *options)) for file in files)
    assert one["systems"][0]["score"] == other["systems"][0]["score"]
    assert one["systems"][0]["errors"] == other["systems"][0]["errors"]
    assert other["systems"][0]["calibration"] is None


def test_comparison(data: Path, tmp_path: Path) -> None:
    options = ["--draws", 100, "-o", tmp_path / "r.html"]
    other = data / "pos.tagpool"
    result = json.loads(succeed("report", data / "ner.tagpool", data / "test.conll", "--compare", other, *options, "--json"))
    first, second = (system["score"]["f1"] for system in result["systems"])
    assert result["comparisons"][0]["difference"] == pytest.approx(first - second)
    assert "right in pos" in (tmp_path / "r.html").read_text()
    assert "against pos" in succeed("report", data / "ner.tagpool", data / "test.conll", "--compare", other, *options)


def test_members_and_experts(data: Path, pools: Path, tmp_path: Path) -> None:
    options = ["--draws", 100, "-o", tmp_path / "r.html", "--json"]
    for name in ("bagged", "mixed", "opinion", "elitist"):
        result = json.loads(succeed("report", pools / f"{name}.tagpool", data / "test.conll", *options))
        assert len(result["experts"]["members"]) >= 2
    predicted = _labelled(data, tmp_path)
    experts = ["--expert", f"a={predicted}", "--expert", f"b={data / 'test.conll'}@label"]
    result = json.loads(succeed("report", predicted, data / "test.conll", *experts, *options))
    assert [row["name"] for row in result["experts"]["members"]] == ["a", "b"]
    assert result["experts"]["members"][1]["f1"] == 100


def test_a_pool_of_experts_needs_their_files(data: Path, tmp_path: Path) -> None:
    first, second, pool = _labelled(data, tmp_path), tmp_path / "second.conll", tmp_path / "names.pool"
    succeed("tag", data / "pos.tagpool", data / "test.conll", "-o", second)
    named = [f"a={first}", f"b={second}"]
    succeed("pool", "fit", *named, "--gold", data / "test.conll", "--method", "stacking", "--model", pool)
    assert "--expert a=FILE --expert b=FILE" in fail("report", pool, data / "test.conll", "-o", tmp_path / "r.html")
    other = ["--expert", f"a={first}", "--expert", f"c={second}", "-o", tmp_path / "r.html"]
    assert "--expert a=FILE --expert b=FILE, got a, c" in fail("report", pool, data / "test.conll", *other)
    assert "drop it" in fail("report", data / "ner.tagpool", data / "test.conll", *other)
    experts = [part for one in named for part in ("--expert", one)]
    options = ["--draws", 100, "-o", tmp_path / "r.html", "--json"]
    result = json.loads(succeed("report", pool, data / "test.conll", *experts, *options))
    assert result["systems"][0]["calibration"] is not None
    assert len(result["experts"]["members"]) == 2


def test_other_types_have_a_note(data: Path, tmp_path: Path) -> None:
    labels = [
        [label.replace("PER", "person").replace("LOC", "place") for label in row]
        for row in read_corpus(data / "test.conll").labels
    ]
    renamed = [[label if label[2:] in ("person", "place") else "O" for label in row] for row in labels]
    words = read_corpus(data / "test.conll").words
    tagpool.write_corpus(tagpool.Corpus.from_lists(word=words, label=renamed), tmp_path / "other.conll")
    options = ["--draws", 100, "-o", tmp_path / "r.html"]
    done = run("report", tmp_path / "other.conll", data / "test.conll", *options)
    assert "no type of other (person, place) is one of the gold labels" in done.stderr
    assert "no type of" not in run("report", data / "ner.tagpool", data / "test.conll", *options).stderr


def test_mistakes(data: Path, tmp_path: Path) -> None:
    model, test, html = data / "ner.tagpool", data / "test.conll", tmp_path / "r.html"
    assert "this is an input file" in fail("report", model, test, "-o", test)
    assert "compared with itself" in fail("report", model, test, "--compare", model, "-o", html)
    assert "--json and --output -" in fail("report", model, test, "-o", "-", "--json")
    assert "there is no such file" in fail("report", data / "no.tagpool", test, "-o", html)
    (tmp_path / "words.conll").write_text("Ann\nleft\n")
    assert fail("report", model, tmp_path / "words.conll", "-o", html).startswith("error")
    (tmp_path / "empty.conll").write_text("")
    assert fail("report", model, tmp_path / "empty.conll", "-o", html).startswith("error")
    (tmp_path / "other.conll").write_text("Ann O\n")
    assert "other.conll" in fail("report", tmp_path / "other.conll", test, "-o", html)
    assert not html.exists()


def test_the_columns_of_the_model_are_those_of_its_training(data: Path, tmp_path: Path) -> None:
    tagger = tagpool.load(data / "pos.tagpool")
    options = ["--draws", 100, "-o", tmp_path / "r.html", "--json"]
    result = json.loads(succeed("report", data / "pos.tagpool", data / "test.conll", *options))
    expected = 100 * tagger.score(read_corpus(data / "test.conll"))  # type: ignore[union-attr]
    assert result["systems"][0]["score"]["f1"] == pytest.approx(expected)
