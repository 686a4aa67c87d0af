"""Terminals: control characters in tokens, labels, file names and options are displayed, not executed; codes of emoji stay."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cli.commands import run, write

import tagpool
from tagpool.visible import make_visible

ESCAPE = "\x1b]0;title\x07\x1b[2J\x9b31m\u202e"
VISIBLE = r"\x1b]0;title\x07\x1b[2J\x9b31m\u202e"
WORD = f"Ann{ESCAPE}:smile:[bold]x[/bold]"
SHOWN = f"Ann{VISIBLE}:smile:[bold]x[/bold]"
COLOUR = re.compile(r"\x1b\[[0-9;]*m|\x1b\[\?25[lh]|\x1b\[1A|\x1b\[2K")  # of rich: colours, the cursor and the line of a bar


def on_terminal(*arguments: object) -> str:
    """Output and messages of a command on a terminal, without the codes that rich writes."""
    parent, child = pty.openpty()
    command = [sys.executable, "-m", "tagpool", *map(str, arguments)]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=child, stderr=child, env={**os.environ, "TERM": "xterm"})
    os.close(child)
    pieces = []
    try:
        while piece := os.read(parent, 1 << 16):
            pieces.append(piece)
    except OSError:  # the command has ended
        pass
    os.close(parent)
    process.wait()
    return COLOUR.sub("", b"".join(pieces).decode()).replace("\r\n", "\n").replace("\r", "")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("terminal")
    corpus = tagpool.Corpus.from_lists(
        word=[[WORD, "left"], ["Rain", WORD]] * 10, label=[[f"B-{ESCAPE}", "O"], ["O", f"B-{ESCAPE}"]] * 10
    )
    tagpool.write_corpus(corpus, path / "train.conll", separator="\t")
    tagpool.CRF("word[0]").fit(corpus).save(path / "m.tagpool")
    write(path, f"bad{ESCAPE}.conll", "a b\nc\n")
    write(path, "train.jsonl", json.dumps({"tokens": [WORD, "left"], "labels": [f"B-{ESCAPE}", "O"]}) + "\n")
    return path


COMMANDS = {
    "tag": ["tag", "m.tagpool", "train.conll"],
    "tag, jsonl": ["tag", "m.tagpool", "train.jsonl"],
    "convert": ["convert", "train.conll", "-o", "-"],
    "explain": ["explain", "m.tagpool", "--file", "train.conll"],
    "explain, json": ["explain", "m.tagpool", "--file", "train.conll", "--json"],
    "inspect": ["inspect", "m.tagpool"],
    "inspect, json": ["inspect", "m.tagpool", "--json"],
    "score": ["score", "train.conll", "train.conll"],
    "score, json": ["score", "train.conll", "train.conll", "--json"],
    "features": ["features", "train.conll", "--features", "word[0]"],
    "train": ["train", "--train", "train.conll", "--features", "word[0]", "--model", f"out{ESCAPE}.tagpool"],
    "tune": ["tune", "--train", "train.conll", "--dev", "train.conll", "--output", f"out{ESCAPE}.toml", "--trials", "2"],
    "no file": ["tag", f"no{ESCAPE}", "train.conll"],
    "bad file": ["tag", "m.tagpool", f"bad{ESCAPE}.conll"],
    "no option": ["tag", f"--no{ESCAPE}"],
    "no command": [f"no{ESCAPE}"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_control_characters_are_displayed(folder: Path, name: str) -> None:
    arguments = [
        folder / part if (folder / part).exists() or part.startswith(("out", "bad")) else part for part in COMMANDS[name]
    ]
    shown = on_terminal(*arguments)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", shown), ascii(shown)
    assert r"\x1b]0;title\x07" in shown or r"\u001b]0;title\u0007" in shown or r"\x1b]0;title" in re.sub(r"\s", "", shown)
    if name in ("tag", "convert", "explain"):
        assert SHOWN in shown


@pytest.mark.parametrize("name", ["tag", "convert"])
def test_piped_data_does_not_change(folder: Path, name: str) -> None:
    done = run(*(folder / part if part.endswith((".conll", ".tagpool")) else part for part in COMMANDS[name]))
    assert done.stdout.replace("\t", " ").startswith(f"{WORD} B-{ESCAPE}")


def test_visible_text() -> None:
    assert make_visible("a\tb\r\nc é 日本 👍🏽\n") == "a\tb\r\nc é 日本 👍🏽\n"
    assert make_visible("a\rb\x00\x7f\u2066") == r"a\x0db\x00\x7f\u2066"
    assert json.loads(make_visible(json.dumps("\x9b\x7f\u202e", ensure_ascii=False), "u")) == "\x9b\x7f\u202e"
