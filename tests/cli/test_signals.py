"""SIGTERM and SIGHUP end a command as Ctrl-C does; the library installs no handlers."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.commands import BAGS, write

import tagpool

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
TRAIN = [sys.executable, "-m", "tagpool", "train"]


@pytest.fixture(autouse=True)
def default_signals() -> Iterator[None]:
    """Let child processes react to SIGHUP, also if the tests run under nohup, which ignores it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


def end_by(number: int, command: list[str], until: str) -> tuple[int, str]:
    """Run a command, and send a signal when a line of standard error begins with ``until``."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        lines = []
        for line in process.stderr:
            lines.append(line)
            if line.startswith(until):
                break
        process.send_signal(number)
        lines.append(process.stderr.read())
        return process.wait(), "".join(lines)
    finally:
        process.kill()
        process.communicate()


def training(data: Path, model: Path, *options: object) -> list[str]:
    files = ["--train", data / "train.conll", "--dev", data / "dev.conll", "--model", model]
    return [*TRAIN, *map(str, [*files, "--set", "learner.patience=none", *options])]


@pytest.mark.parametrize("number", CODES, ids=lambda number: number.name)
def test_a_signal_keeps_the_best_model_so_far(data: Path, tmp_path: Path, number: signal.Signals) -> None:
    model = tmp_path / "m"
    code, message = end_by(
        number,
        training(data, model, "--set", "learner.trainer.epochs=100000", "--set", "learner.trainer.tolerance=0"),
        "epoch 3/",
    )
    assert code == CODES[number], message
    assert "interrupted; the best model so far with a dev F1 of" in message
    assert tagpool.load(model).score(tagpool.read_corpus(data / "dev.conll")) > 0.5
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_completes_a_pool(data: Path, tmp_path: Path, number: signal.Signals) -> None:
    model, bags = tmp_path / "m", write(tmp_path, "bags.txt", BAGS)
    options = [
        "--learner",
        "bagging",
        "--features",
        bags,
        "--set",
        "learner.expert.trainer.epochs=100000",
        "--set",
        "learner.expert.trainer.tolerance=0",
    ]
    command = training(data, model, *options)
    patience = command.index("learner.patience=none")
    command[patience] = "learner.expert.patience=none"
    code, message = end_by(number, command, "shapes:  epoch 2/")
    assert code == CODES[number], message
    assert "the pool as its members stood was written to" in message
    assert len(tagpool.load(model).members_) == 2


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_leaves_a_stream_whole(data: Path, tmp_path: Path, number: signal.Signals) -> None:
    for options, result in (([], "the labels so far are written"), (["-o", str(tmp_path / "out")], "nothing was written")):
        reading, writing = os.pipe()
        command = [sys.executable, "-m", "tagpool", "tag", str(data / "ner.tagpool"), "/dev/stdin", *options]
        process = subprocess.Popen(command, stdin=reading, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        os.close(reading)
        try:
            os.write(writing, b"Oslo\n\n")
            if options:
                while not list(tmp_path.iterdir()):  # its temporary file: the command is at work
                    time.sleep(0.01)
            else:
                assert process.stdout is not None
                assert process.stdout.readline().startswith(b"Oslo ")
            process.send_signal(number)
            out, message = process.communicate()
        finally:
            os.close(writing)
            process.kill()
        assert process.returncode == CODES[number]
        assert message.decode() == f"interrupted; {result}\n"
        assert out in (b"\n", b"")
    assert list(tmp_path.iterdir()) == []


def test_an_ignored_signal_stays_ignored(data: Path, tmp_path: Path) -> None:
    """A command under nohup survives the end of its terminal."""
    command = training(data, tmp_path / "m", "--set", "learner.trainer.epochs=30")
    code, message = end_by(signal.SIGHUP, ["nohup", *command], "epoch 2/")
    assert code == 0, message
    assert tagpool.load(tmp_path / "m").summary_["epochs"] == 30


def test_a_closed_terminal_keeps_the_best_model(data: Path, tmp_path: Path) -> None:
    command = training(data, tmp_path / "m", "--set", "learner.trainer.epochs=100000", "--set", "learner.trainer.tolerance=0")
    child, terminal = pty.fork()
    if child == 0:
        os.execv(command[0], command)
    shown = b""
    while re.search(rb"epoch [0-9]+/", shown) is None:  # a bar does not show every epoch
        shown += os.read(terminal, 65536)
    os.close(terminal)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 129
    assert tagpool.load(tmp_path / "m").summary_["epochs"] >= 1


def test_the_library_leaves_handlers_unchanged() -> None:
    code = (
        "import signal, tagpool\n"
        "numbers = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]\n"
        "before = [signal.getsignal(number) for number in numbers]\n"
        "crf = tagpool.CRF('word[0]').fit(tagpool.builtin_corpus(20))\n"
        "tagpool.BaggingPool(tagpool.CRF('[a]\\nword[0]\\n[b]\\nshape(word)[0]')).fit(tagpool.builtin_corpus(20))\n"
        "assert before == [signal.getsignal(number) for number in numbers]\n"
        "assert before == [signal.default_int_handler, signal.SIG_DFL, signal.SIG_DFL]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
