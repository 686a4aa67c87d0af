"""Line ends in names of files, tokens, labels and columns do not begin a new line in messages and tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.commands import fail, run, succeed, write

import tagpool
from tagpool import Corpus, InputError, TemplateError
from tagpool.visible import one_line

ENDS = {"\n": r"\n", "\r": r"\r", "\r\n": r"\r\n", "\x85": r"\x85", "\u2028": r"\u2028", "\u2029": r"\u2029", "\x0b": r"\x0b"}


@pytest.mark.parametrize("end", ENDS, ids=ascii)
def test_errors_have_one_line(end: str) -> None:
    error = InputError(f"no column {end} here", source=f"a{end}b", line=3)
    assert str(error) == f"a{ENDS[end]}b:3: no column {ENDS[end]} here"
    assert error.source == f"a{end}b"
    assert one_line(f"\ta{end}") == f"\ta{ENDS[end]}"


def test_a_template_keeps_its_lines() -> None:
    with pytest.raises(TemplateError) as caught:
        tagpool.load_templates("word[0]\nword[x\u2028]")
    assert str(caught.value).split("\n")[1:] == ["  word[x\ufffd]", "        ^"]


@pytest.mark.parametrize("end", ENDS, ids=ascii)
def test_names_of_files(tmp_path: Path, end: str) -> None:
    """Every message of a command about one file is one line, and has the visible name."""
    name = f"a{end}b"
    bad = write(tmp_path, f"{name}.conll", "a O\nb\n")
    good = write(tmp_path, f"good{name}.conll", "Ann B-PER\nleft O\n\nBo B-PER\n")
    shown = f"a{ENDS[end]}b.conll"
    model = tmp_path / f"{name}.tagpool"
    messages = [
        fail("convert", bad),
        fail("score", bad),
        fail("tag", bad, good),
        fail("features", bad, "--features", "word[0]"),
        fail("train", "--train", good, "--model", tmp_path / f"no{name}.conll" / "m", code=1),
        fail("train", "--train", bad, "--model", model).split("\n", 1)[1],  # after the line that names the file it reads
        run("convert", good, "-o", tmp_path / f"out{name}.conll").stderr,
    ]
    for message in messages:
        assert message.count("\n") == 1, message
        assert len(message.splitlines()) == 1, ascii(message)
        assert shown in message
    assert fail("inspect", model, name, "extra").count("a" + end) == 0
    text = succeed("train", "--train", good, "--model", model, "--features", "word[0]", "--set", "learner.trainer.epochs=1")
    assert next(line for line in text.splitlines() if shown.removesuffix(".conll") in line).startswith("written to ")
    assert f"a{ENDS[end]}b.tagpool: crf" in succeed("inspect", model).splitlines()[0]
    compared = succeed("score", good, good, "--compare", good)
    assert f"against {tmp_path}/good{shown} (F1" in compared


@pytest.mark.parametrize("end", ENDS, ids=ascii)
def test_tokens_and_labels(tmp_path: Path, end: str) -> None:
    word, label = f"Ann{end}Lee", f"B-P{end}R"
    record = json.dumps({"tokens": [word, "left"], "labels": [label, "O"]})
    path = write(tmp_path, "a.jsonl", f"{record}\n{record}\n")
    model = tmp_path / "m.tagpool"
    tagpool.CRF("word[0]").fit(tagpool.read_corpus(path)).save(model)
    visible = f"Ann{ENDS[end]}Lee"
    for command in (
        ["explain", model, "--file", path],
        ["features", path, "--features", "word[0]"],
        ["inspect", model],
        ["score", path, path, "--confused", 3],
    ):
        text = succeed(*command)
        lines = text.split("\n")
        assert lines == [*text.splitlines(), ""], ascii(text)
        assert not any(line.startswith(("Lee", "R")) for line in lines)
        assert any((visible if command[0] != "score" else f"P{ENDS[end]}R") in line for line in lines), ascii(text)
    if end in ("\n", "\r", "\r\n"):
        assert len(fail("convert", path, "-o", tmp_path / "b.conll").splitlines()) == 1


def test_names_of_columns() -> None:
    with pytest.raises(InputError) as caught:
        Corpus.from_lists(**{"a\nb": [["x"]]})
    assert "\n" not in str(caught.value)
    with pytest.raises(InputError) as caught:
        Corpus.from_lists(word=[["x"]]).column("a\u2028\nb")
    assert len(str(caught.value).splitlines()) == 1
