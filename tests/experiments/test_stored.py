"""Stored results: found by code, corpora and configuration only."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from tagpool.experiments import stored
from tagpool.experiments.catalogue import experiment
from tagpool.experiments.fingerprints import data_fingerprint
from tagpool.experiments.stored import Result, Store, command_of, run_experiment
from tagpool.experiments.study import Row, Setting, Study, Table


@pytest.fixture
def corpora(tmp_path: Path) -> Path:
    folder = tmp_path / "corpora"
    (folder / "conll2003").mkdir(parents=True)
    (folder / "conll2003" / "train").write_text("Oslo B-LOC\n")
    return folder


def result(name: str = "bagging-ner", seconds: float = 2.5) -> Result:
    rows = [Row("one CRF", "test F1", 88.61, 87.68, 89.43, 85.45, "**"), Row("random", "30", 1.5, spread=0.5, samples=3)]
    study = Study(name, "Title", rows, ["a note"], [Table("Further", ["", "F1"], [["a", "1"]])], [f"{name}.svg"])
    return Result(study, {f"{name}.svg": b"<svg/>"}, f"tagpool reproduce {name}", seconds)


def test_a_result_is_found_as_it_was_stored(tmp_path: Path, corpora: Path) -> None:
    saved = result()
    Store(tmp_path / "cache", Setting(corpora), plots=True).save("bagging-ner", saved)
    loaded = Store(tmp_path / "cache", Setting(corpora, threads=2), plots=True).find("bagging-ner")
    assert loaded == saved
    assert loaded is not None
    written = loaded.write(tmp_path / "pages")
    assert written == ["bagging-ner.md", "bagging-ner.svg"]
    assert all((tmp_path / "pages" / name).is_file() for name in written)


def test_other_code_corpora_or_options_do_not_find_it(tmp_path: Path, corpora: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setting, cache = Setting(corpora), tmp_path / "cache"
    store = Store(cache, setting, plots=True)
    store.save("bagging-ner", result())
    store.save("undertraining", result("undertraining"))
    assert store.find("bagging-chunk") is None
    assert Store(cache, replace(setting, seeds=3), plots=True).find("bagging-ner") is not None, "the default"
    for other, plots in ((replace(setting, quick=True), True), (replace(setting, seeds=4), True), (setting, False)):
        assert Store(cache, other, plots=plots).find("bagging-ner") is None
    (corpora / "conll2003" / "train").write_text("Oslo B-PER\n")
    changed = Store(cache, setting, plots=True)
    assert changed.find("bagging-ner") is None
    assert changed.find("undertraining") is not None, "its data are generated"
    assert changed.usual_seconds("bagging-ner") == 2.5, "the time of a run with other corpora"
    monkeypatch.setattr(stored, "code_fingerprint", lambda _: "other code")
    assert Store(cache, setting, plots=True).find("undertraining") is None


def test_an_experiment_has_its_number_of_seeds() -> None:
    numbers = {name: len(experiment(name).resolve(Setting()).seed_numbers()) for name in ("bagging-ner", "pools-noisebench")}
    assert numbers == {"bagging-ner": 3, "pools-noisebench": 20}
    assert len(experiment("pools-noisebench").resolve(Setting(seeds=4)).seed_numbers()) == 4
    assert command_of("pools-noisebench", Setting()) == "tagpool reproduce pools-noisebench"


def test_the_latest_time_is_the_usual_one(tmp_path: Path, corpora: Path) -> None:
    store = Store(tmp_path / "cache", Setting(corpora), plots=False)
    assert store.usual_seconds("bagging-ner") is None
    store.save("bagging-ner", result(seconds=7.0))
    (first,) = (tmp_path / "cache").glob("bagging-ner@*/study.json")
    os.utime(first, (1, 1))
    (corpora / "more").write_text("x")
    Store(tmp_path / "cache", Setting(corpora), plots=False).save("bagging-ner", result(seconds=3.0))
    assert store.usual_seconds("bagging-ner") == 3.0
    assert Store(tmp_path / "cache", Setting(corpora, quick=True), plots=False).usual_seconds("bagging-ner") is None


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b'{"study": {"rows": [{}]}}', b"\xff"])
def test_a_damaged_file_is_no_result(tmp_path: Path, content: bytes) -> None:
    store = Store(tmp_path / "cache", Setting(), plots=True)
    store.save("bagging-ner", result())
    (path,) = (tmp_path / "cache").glob("*/study.json")
    path.write_bytes(content)
    assert store.find("bagging-ner") is None
    assert store.usual_seconds("bagging-ner") is None


def test_a_result_without_its_plot_is_no_result(tmp_path: Path) -> None:
    store = Store(tmp_path / "cache", Setting(), plots=True)
    store.save("bagging-ner", result())
    next((tmp_path / "cache").glob("*/*.svg")).unlink()
    assert store.find("bagging-ner") is None


def test_an_interrupted_study_is_not_stored(tmp_path: Path) -> None:
    store = Store(tmp_path / "cache", Setting(), plots=False)
    one = result()
    store.save("bagging-ner", replace(one, study=replace(one.study, complete=False)))
    assert store.find("bagging-ner") is None


def test_a_run_keeps_its_plots() -> None:
    pytest.importorskip("matplotlib")
    done = run_experiment("undertraining", Setting(quick=True), plots=True)
    assert sorted(done.plots) == ["undertraining.png", "undertraining.svg"]
    assert b"<svg" in done.plots["undertraining.svg"]
    assert done.seconds > 0


def test_a_file_is_hashed_again_only_if_its_size_or_time_changed(tmp_path: Path, corpora: Path) -> None:
    path, cache = corpora / "conll2003" / "train", tmp_path
    before, moment = data_fingerprint(corpora, cache), path.stat().st_mtime_ns
    path.write_text("Oslo B-PER\n")  # the same size
    os.utime(path, ns=(moment, moment))
    assert data_fingerprint(corpora, cache) == before, "remembered"
    os.utime(path, ns=(moment, moment + 1))
    assert data_fingerprint(corpora, cache) != before
    path.write_text("Oslo B-LOC\n")
    assert data_fingerprint(corpora, cache) == before, "the time of a file does not matter, its content does"
    path.rename(path.with_name("test"))
    assert data_fingerprint(corpora, cache) != before
    assert data_fingerprint(None, cache) == data_fingerprint(tmp_path / "nowhere", cache) == ""


def test_links_are_followed_once(tmp_path: Path, corpora: Path) -> None:
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / "conll2003").symlink_to(corpora / "conll2003")
    (corpora / "conll2003" / "loop").symlink_to(linked)
    before = data_fingerprint(linked, tmp_path)
    (corpora / "conll2003" / "train").write_text("Bergen B-LOC\n")
    assert data_fingerprint(linked, tmp_path) != before
    assert all("loop" not in name for name in json.loads((tmp_path / "corpora.json").read_text()))
