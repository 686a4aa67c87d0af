"""``tagpool train --tune``: the choice of the penalty on the dev set."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli.commands import fail, run, succeed

import tagpool

# The command, killed in the second epoch of its last training.
KILLED = """
import os, signal, sys
from tagpool.experts.training import Training
from tagpool.optim.watch import Watch
trainings, original, run = 0, Watch.epoch, Training.run
def start(self, *arguments, **options):
    global trainings
    trainings += 1
    return run(self, *arguments, **options)
def epoch(self, number, *arguments, **options):
    if number == 2 and trainings == (1 if "off" in sys.argv else 4):
        os.kill(os.getpid(), signal.SIGKILL)
    return original(self, number, *arguments, **options)
Training.run, Watch.epoch = start, epoch
from tagpool.cli.entry import run as main
main()
"""
NAMES, OTHERS = [f"w{number}" for number in range(120)], [f"x{number}" for number in range(400)]


def write_rare(folder: Path) -> tuple[Path, Path]:
    """Names and other words that occur once: with the default penalty, all are most likely no names."""
    rows, labels = [[word] for word in NAMES + OTHERS], [["B-X"]] * len(NAMES) + [["O"]] * len(OTHERS)
    paths = folder / "train.conll", folder / "dev.conll"
    for path, count in zip(paths, (len(rows), 300), strict=True):
        tagpool.write_corpus(tagpool.Corpus.from_lists(word=rows[:count], label=labels[:count]), path)
    return paths


@pytest.fixture
def command(tmp_path: Path) -> list[object]:
    train, dev = write_rare(tmp_path)
    return ["train", "--train", train, "--dev", dev, "--model", tmp_path / "m", "--features", "word[0]\nbias"]


def test_the_penalty_is_chosen_on_dev(command: list[object], tmp_path: Path) -> None:
    done = run(*command, "--json", "--set", "learner.trainer.kind=lbfgs")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["penalties"] == {"0.1": 100.0, "0.3": 100.0, "1": 0.0, "3": 0.0}
    assert "penalty l2 (dev F1): 0.1: 100.00, 0.3: 100.00, 1: 0.00, 3: 0.00; chosen: 0.1, clearly better" in done.stderr
    assert "l2 = 0.1" in succeed("config", tmp_path / "m")
    assert tagpool.load(tmp_path / "m").score(tagpool.read_corpus(tmp_path / "dev.conll")) * 100 == pytest.approx(
        result["best_dev_f1"]
    )


def test_the_stored_configuration_repeats_the_training(command: list[object], tmp_path: Path) -> None:
    succeed(*command)
    (tmp_path / "again.toml").write_text(succeed("config", tmp_path / "m"))
    succeed("train", "--config", tmp_path / "again.toml", "--model", tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


@pytest.mark.parametrize(
    "options",
    [["--tune", "off"], ["--set", "learner.l2=1.0"], ["--learner", "inducing"]],
    ids=["off", "a penalty that is set", "a learner without it"],
)
def test_no_choice(command: list[object], options: list[str]) -> None:
    done = run(*command, "--json", *options)
    assert done.returncode == 0, done.stderr
    assert "penalties" not in json.loads(done.stdout)
    assert "penalty l2" not in done.stderr


@pytest.mark.parametrize("options", [[], ["--tune", "off"]], ids=["choice", "no choice"])
def test_checkpoints_do_not_change_the_model(command: list[object], options: list[str], tmp_path: Path) -> None:
    succeed(*command, *options)
    expected = (tmp_path / "m").read_bytes()
    killed = subprocess.Popen(
        [sys.executable, "-c", KILLED, *map(str, command), *options, "--checkpoint", str(tmp_path / "c"), "--every", "0"],
        stderr=subprocess.PIPE,
        text=True,
    )
    _, messages = killed.communicate()
    assert killed.returncode == -signal.SIGKILL, messages
    (tmp_path / "m").unlink()
    succeed("train", "--resume", tmp_path / "c")
    assert (tmp_path / "m").read_bytes() == expected
    assert not (tmp_path / "c").exists()


def test_unknown_values_are_refused(command: list[object]) -> None:
    assert "'maybe' is not one of 'auto', 'off'" in fail(*command, "--tune", "maybe")
