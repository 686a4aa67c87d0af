"""``tagpool mistakes``: places of files and lines, outputs, and errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import fail, run, succeed, write

SENTENCES = [f"{name} B-PER\nmet O\nin{number} O\n" for number in range(8) for name in ("Ann", "Bob", "Eve")]
WRONG = "Ann O\nmet O\nthere O\n"
FAST = ("--features", "word[0]")


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    first = write(tmp_path, "one.conll", "# id = 1\n" + "\n".join(SENTENCES))
    return [first, write(tmp_path, "two.conll", "-DOCSTART- O\n\n\n" + "\n".join([*SENTENCES[:2], WRONG]))]


def test_a_row_has_the_file_and_line(files: list[Path], tmp_path: Path) -> None:
    done = run("mistakes", *files, *FAST, "-o", tmp_path / "out.jsonl", "--html", tmp_path / "out.html")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["place", "kind", "annotated", "proposed", "score", "sentence"]
    assert lines[1].startswith(f"{files[1]}:12  missed  –          PER Ann    0.")
    assert lines[1].endswith("[ Ann ] met there")
    assert "1 mistake of 1 disagreement" in done.stderr
    record = json.loads((tmp_path / "out.jsonl").read_text())
    assert (record["file"], record["line"], record["kind"], record["annotated"]) == (str(files[1]), 12, "missed", None)
    assert record["proposed"] == {"start": 0, "end": 1, "type": "PER", "text": "Ann"}
    assert record["tokens"] == ["Ann", "met", "there"]
    assert f"{files[1]}:12" in (tmp_path / "out.html").read_text()
    report = json.loads(succeed("mistakes", *files, *FAST, "--json"))
    assert report == {"found": 1, "mistakes": [record]}
    assert json.loads(succeed("mistakes", *files, *FAST, "-o", "-")) == record


def test_jsonl_and_parquet_have_records_and_sentences(files: list[Path], tmp_path: Path) -> None:
    for name, place in (("all.jsonl", "all.jsonl:27"), ("all.parquet", "all.parquet, sentence 27")):
        path = tmp_path / name
        if name.endswith("parquet"):
            pytest.importorskip("pyarrow")
        succeed("convert", *files, "-o", path)
        assert place in succeed("mistakes", path, *FAST)


def test_other_kinds_are_left_out(files: list[Path]) -> None:
    assert succeed("mistakes", *files, *FAST, "--kind", "spurious") == "no disagreements of the kind spurious\n"


def test_refusals(files: list[Path], tmp_path: Path) -> None:
    assert "--kind odd: no such kind; use missed" in fail("mistakes", *files, "--kind", "odd")
    assert "has no probabilities" in fail("mistakes", *files, "--learner", "inducing")
    assert "this is an input file" in fail("mistakes", *files, "-o", files[0])
    assert "drop this key" in fail("mistakes", *files, "--set", "data.memory=1G")
    same = tmp_path / "out"
    assert "this is the file of --output" in fail("mistakes", *files, "-o", same, "--html", same)
    assert "there is no such file" in fail("mistakes", tmp_path / "none.conll")
    unlabelled = write(tmp_path, "words.conll", "Ann\n\nBob\n")
    assert "no label column" in fail("mistakes", unlabelled)
    assert not same.exists()


def test_control_characters_of_the_data_are_displayed(files: list[Path], tmp_path: Path) -> None:
    bad = write(tmp_path, "bad.conll", files[0].read_text() + "\nBob B-PER\n\x1b[31mmet B-PER\nin1 O\n")
    shown = succeed("mistakes", bad, *FAST)
    assert "\x1b" not in shown
    assert "\\x1b[31mmet" in shown
