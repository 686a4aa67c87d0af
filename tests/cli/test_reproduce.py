"""``tagpool reproduce``: tables, JSON, files, and errors."""

from __future__ import annotations

import json
from pathlib import Path

from cli.commands import fail, run, succeed


def test_experiments_are_listed() -> None:
    shown = succeed("reproduce")
    for name in ("undertraining", "bagging-ner", "bagging-chunk", "elitist-ner", "robustness"):
        assert name in shown
    assert json.loads(succeed("reproduce", "--json")).keys() >= {"undertraining", "robustness"}


def test_json_has_the_rows(tmp_path: Path) -> None:
    result = json.loads(succeed("reproduce", "undertraining", "--quick", "--no-plots", "--json", "--cache", tmp_path))
    assert result["name"] == "undertraining"
    assert set(result["rows"][0]) == {"row", "metric", "paper", "ours", "low", "high"}


def test_a_table_is_written(tmp_path: Path) -> None:
    shown = succeed("reproduce", "undertraining", "--quick", "--no-plots", "-o", tmp_path / "results", "--cache", tmp_path)
    page = (tmp_path / "results" / "undertraining.md").read_text()
    assert "tagpool reproduce undertraining --quick" in page
    assert "one model, strong feature missing" in page
    assert "undertraining.md" in shown


def test_a_quick_look_writes_nothing(tmp_path: Path) -> None:
    environment = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = run("reproduce", "undertraining", "--quick", "--no-plots", environment=environment)
    assert done.returncode == 0
    assert "written" not in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["cache"], "only the stored result"


def test_a_result_that_cannot_be_stored_is_shown(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run("reproduce", "undertraining", "--quick", "--no-plots", "--cache", tmp_path / "file")
    assert done.returncode == 0
    assert "one model, strong feature missing" in done.stdout
    assert "note: the result is not stored" in done.stderr


def test_errors(tmp_path: Path) -> None:
    assert "no experiment 'magic'" in fail("reproduce", "magic")
    assert "conll2003" in fail("reproduce", "bagging-ner", "--quick", "--data", tmp_path)
    assert "is no folder" in fail("reproduce", "bagging-ner", "--data", tmp_path / "nowhere")
    (tmp_path / "file").write_text("")
    assert "expected a folder" in fail("reproduce", "undertraining", "--quick", "-o", tmp_path / "file")
