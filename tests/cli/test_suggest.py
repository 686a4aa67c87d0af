"""``tagpool suggest``: records for tools, sentences that are left out, and errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import fail, run, succeed, write

from tagpool import CRF, builtin_corpus, write_corpus


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    train, texts = builtin_corpus(40), builtin_corpus(30, part="dev")
    model, labelled, path = tmp_path / "ner.tagpool", tmp_path / "train.conll", tmp_path / "texts.conll"
    CRF("word[0]").fit(train).save(model)
    write_corpus(train, labelled)
    write_corpus(texts, path)
    return model, labelled, path


def test_a_batch_is_written_for_a_tool(files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    model, _, texts = files
    done = run("suggest", model, texts, "--top", 3, "--to", "label-studio", "-o", tmp_path / "tasks.json")
    assert done.returncode == 0, done.stderr
    tasks = json.loads((tmp_path / "tasks.json").read_text())
    assert [task["predictions"][0]["model_version"] for task in tasks] == ["ner"] * 3
    assert done.stderr.splitlines()[-1].startswith("3 sentences, ")
    lines = succeed("suggest", model, texts, "--top", 3).splitlines()
    assert [" ".join(json.loads(line)["tokens"]) for line in lines] == [task["data"]["text"] for task in tasks]
    summary = json.loads(succeed("suggest", model, texts, "--json", "-o", tmp_path / "all.jsonl"))
    assert summary["sentences"] == len((tmp_path / "all.jsonl").read_text().splitlines())


def test_labelled_sentences_are_left_out(files: tuple[Path, Path, Path]) -> None:
    model, labelled, texts = files
    lines = succeed("suggest", model, labelled, texts, "--labelled", labelled).splitlines()
    known = set(succeed("convert", labelled, "--to", "text").splitlines())
    assert lines
    assert not known & {" ".join(json.loads(line)["tokens"]) for line in lines}


def test_plain_text_keeps_its_blanks(files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    text = write(tmp_path, "texts.txt", "Ann left Oslo.\n")
    record = json.loads(succeed("suggest", files[0], text, "--format", "text", "--to", "doccano"))
    assert record["text"] == "Ann left Oslo."


def test_refusals(files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    model, labelled, texts = files
    assert "this is an input file" in fail("suggest", model, texts, "-o", texts)
    assert "--json and --output -" in fail("suggest", model, texts, "--json")
    assert "there is no such file" in fail("suggest", model, tmp_path / "none.conll")
    assert "tasks" in fail("suggest", model, texts, "--to", "tasks")
    assert fail("suggest", labelled, texts)
