"""The experiment ``users``: its corpora, its processes, the best models, and the advice that is computed from the figures."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import tagpool
from tagpool.errors import InputError
from tagpool.experiments import users
from tagpool.experiments.catalogue import experiment
from tagpool.experiments.corpora import Split
from tagpool.experiments.study import Setting
from tagpool.experiments.study_page import read_page, study_page
from tagpool.experiments.users_corpora import Source, cited_names, read_split, write_split
from tagpool.experiments.users_crfsuite import CRFSUITE, check_installed, features, read
from tagpool.experiments.users_figures import Figures, advice, best_of, means_table
from tagpool.experiments.users_models import MODELS, ONE, ROBUST, STACKED, Taggers
from tagpool.experiments.users_processes import TEST, Run, file_of, measure

PARTS = {part: tagpool.builtin_corpus(count, part=part) for part, count in (("train", 120), ("dev", 30), ("test", 30))}
SPLIT = Split(**PARTS)
needs_crfsuite = pytest.mark.skipif(importlib.util.find_spec("pycrfsuite") is None, reason="needs python-crfsuite")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    write_split(read_split(Source(lambda _: SPLIT), Setting()), tmp_path / "files")
    return tmp_path / "files"


def a_run(*labels: str) -> Run:
    sentences = [[label] for label in labels]
    return Run(1.0, 50.0, 1.0, 1e6, sentences, [["O"] for _ in labels])


def some_figures(**changes: float) -> Figures:
    usual = {"f1": 80.0, "best": False, "cpu": 1.0, "peak": 100.0, "size": 2.0, "speed": 900.0, "lower": 40.0}
    return Figures(**{**usual, **changes})


def test_the_models_see_words_only(files: Path) -> None:
    assert [len(line.split("\t")) for line in file_of(files, TEST).read_text().splitlines() if line].count(2) == sum(
        len(words) for words in PARTS["test"].words
    )
    lower = tagpool.read_corpus(file_of(files, "lower"), columns="word,label")
    assert lower.words == [[word.lower() for word in words] for words in PARTS["test"].words]
    assert lower.labels == PARTS["test"].labels


def test_dev_sentences_with_unknown_labels_are_left_out() -> None:
    dev = tagpool.Corpus.from_lists(word=[["Oslo"], ["Ann"]], label=[["B-NEW"], ["B-PER"]])
    split = read_split(Source(lambda _: replace(SPLIT, dev=dev)), Setting())
    assert split.dev.words == [["Ann"]]


def test_labels_of_grobid_become_spans_and_other_becomes_outside(tmp_path: Path) -> None:
    row = "Ann x I-<forename>\nvan x I-<surname>\nDyk x <surname>\n, x I-<other>\nand x <other>\nJo x I-<forename>\n\n"
    path = tmp_path / "grobid" / "name-citation-1.train.gz"
    path.parent.mkdir()
    path.write_bytes(gzip.compress((row * 20).encode()))
    split = cited_names(Setting(data=tmp_path))
    assert [len(part) for part in (split.train, split.dev, split.test)] == [17, 1, 2]
    assert split.test.labels[0] == ["B-forename", "B-surname", "I-surname", "O", "O", "B-forename"]
    path.write_bytes(gzip.compress(b"Ann x NAME\n\n"))
    with pytest.raises(InputError, match="such as <surname>") as caught:
        cited_names(Setting(data=tmp_path))
    assert caught.value.line == 1


@pytest.mark.parametrize("model", [ONE, STACKED])
def test_a_process_trains_and_another_one_tags(model: str, files: Path, tmp_path: Path) -> None:
    one = measure("users_models", model, files, tmp_path / "m.model", 1)
    assert tagpool.score(PARTS["test"].labels, one.test).f1 > 0.7
    assert one.test == Taggers().load(tmp_path / "m.model")([list(words) for words in PARTS["test"].words])
    assert one.lower != one.test
    assert 0.05 < one.cpu < 60
    assert 10 < one.peak < 2000  # megabytes
    written = [path for path in [tmp_path / "m.model", *(tmp_path / "m.model").glob("*")] if path.is_file()]
    assert one.size == sum(path.stat().st_size for path in written) / 1e6
    assert one.speed > 1000


def test_the_memory_of_a_process_is_not_that_of_its_parent(files: Path, tmp_path: Path) -> None:
    block = bytearray(400_000_000)
    block[:: 1 << 12] = b"x" * len(range(0, len(block), 1 << 12))  # so that the memory is used
    assert measure("users_models", ONE, files, tmp_path / "m.model", 1).peak < 300


def test_a_failed_process_has_its_message(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="exit code 1") as caught:
        measure("users_models", ONE, tmp_path / "nowhere", tmp_path / "m.model", 1)
    assert "nowhere" in str(caught.value)


@needs_crfsuite
def test_crfsuite_trains_on_the_same_files(files: Path, tmp_path: Path) -> None:
    assert read(file_of(files, TEST)) == list(zip(PARTS["test"].words, PARTS["test"].labels, strict=True))
    one = measure("users_crfsuite", CRFSUITE, files, tmp_path / "m.model", 1)
    assert tagpool.score(PARTS["test"].labels, one.test).f1 > 0.5
    assert one.size == (tmp_path / "m.model").stat().st_size / 1e6


def test_the_process_of_crfsuite_imports_no_numpy() -> None:
    code = "import sys, tagpool.experiments.users_crfsuite; print('numpy' in sys.modules)"
    path = os.pathsep.join([str(Path(tagpool.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": path}
    )
    assert done.stdout == "False\n"


def test_features_of_the_tutorial_at_the_edges() -> None:
    first, last = features(["New", "York"])
    assert {"bias", "word.lower=new", "word.istitle=True", "BOS", "+1:word.lower=york"} <= set(first)
    assert {"EOS", "-1:word.istitle=True"} <= set(last)
    assert "BOS" not in last


def test_without_crfsuite_its_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    hidden: Callable[[str], object] = lambda name: None if name == "pycrfsuite" else find(name)  # noqa: E731
    monkeypatch.setattr(importlib.util, "find_spec", hidden)
    with pytest.raises(InputError, match="pip install python-crfsuite"):
        check_installed()


def test_the_best_are_those_that_no_test_tells_from_the_best() -> None:
    gold = [["B-X"]] * 40
    runs = {
        "good": [a_run(*["B-X"] * 40), a_run(*["B-X"] * 40)],
        "as good": [a_run(*["B-X"] * 39, "O"), a_run(*["B-X"] * 38, "O", "O")],
        "bad": [a_run(*["B-X"] * 20, *["O"] * 20), a_run(*["B-X"] * 20, *["O"] * 20)],
        "bad with one seed": [a_run(*["B-X"] * 20, *["O"] * 20), a_run(*["B-X"] * 40)],
        "bad, one run": [a_run(*["B-X"] * 20, *["O"] * 20)],
    }
    assert best_of(gold, runs) == {"good", "as good", "bad with one seed"}


def test_the_advice_follows_the_figures() -> None:
    one, robust = some_figures(best=True), some_figures(f1=79.0, lower=70.0, cpu=3.0, speed=800.0, peak=300.0)
    text = advice({"a": {ONE: one, ROBUST: robust}, "b": {ONE: one, ROBUST: robust}})
    assert "Highest F1: one CRF, 80.0 (the same model), marked on 2." in text
    assert "take robust CRF: it has 70.0 without them, one CRF 40.0" in text
    assert "79.0 (-1.00 against one CRF, for 3.0 times its CPU time)" in text
    assert "Fastest when tagging: one CRF with 900.0" in text
    table = means_table({"a": {ONE: one, ROBUST: replace(robust, lower=60.0)}, "b": {ONE: one, ROBUST: robust}})
    assert table.lines[1] == [ROBUST, "79.00", "3.00", "300.00", "2.00", "800.00", "14.00", "0"]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, int]]:
    """The calls of the experiment, which has one small corpus and runs that need no process."""

    def pretend(module: str, name: str, files: Path, model: Path, seed: int) -> Run:
        gold = tagpool.read_corpus(file_of(files, TEST), columns="word,label").labels
        cut = 5 if name == ONE else 0
        labels = [["O"] * len(row) if number < cut else list(row) for number, row in enumerate(gold)]
        seen.append((module, name, seed))
        return Run(2.0 * seed, 100.0, 1.0, 5e5, labels, [["O"] * len(row) for row in gold])

    seen: list[tuple[str, str, int]] = []
    monkeypatch.setattr(users, "measure", pretend)
    monkeypatch.setattr(users, "SOURCES", {"made": Source(lambda _: SPLIT, quick=True)})
    monkeypatch.setattr(users, "check_installed", lambda: None)
    monkeypatch.setattr(users, "version", lambda _: "1")
    return seen


def test_every_section_has_all_models_and_the_page_is_read_again(calls: list[tuple[str, str, int]], tmp_path: Path) -> None:
    study = users.run(Setting(seeds=3))
    assert len(calls) == 3 * len(MODELS) + 1
    assert calls[-1] == ("users_crfsuite", CRFSUITE, 1)
    result = {(row.row, row.metric): row for row in study.rows}
    metrics = [metric for section in study.sections.values() for metric in section]
    assert next(iter(study.sections)).startswith("F1")
    assert set(result) == {(model, metric) for model in (*MODELS, CRFSUITE) for metric in metrics}
    assert result[ONE, "made, CPU s"].ours == 4.0
    assert result[ONE, "made, F1"].mark == ""
    assert result[ROBUST, "made, F1"].mark == "*"
    assert result[ROBUST, "made, lost"].ours == 100.0
    path = tmp_path / "users.md"
    path.write_text(study_page(study, "tagpool reproduce users"))
    assert {(row.row, row.metric, row.ours, row.mark) for row in read_page(path).rows} == {
        (row.row, row.metric, row.ours, row.mark) for row in study.rows
    }
    assert "cores" in study.notes[-1]
    assert json.loads(json.dumps(study.to_dict()))["tables"][0]["title"] == "Means over corpora"


def test_without_crfsuite_its_row_is_missing(calls: list[tuple[str, str, int]], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise InputError("python-crfsuite is not installed: pip install python-crfsuite")

    monkeypatch.setattr(users, "check_installed", refuse)
    study = users.run(Setting(quick=True))
    assert {name for _, name, _ in calls} == {row.row for row in study.rows} == set(MODELS)
    assert any("pip install python-crfsuite" in note for note in study.notes)


@pytest.mark.usefixtures("calls")
def test_a_plot_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    study = users.run(Setting(seeds=1, plots=tmp_path))
    assert study.plots == ["users.svg", "users.png"]
    assert all((tmp_path / name).stat().st_size > 5000 for name in study.plots)


def test_it_is_in_the_catalogue() -> None:
    assert experiment("users").module == "users"
