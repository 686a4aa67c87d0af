"""Commands with --engine ray: the same files as without, and a killed command continues from its checkpoint."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tagpool import builtin_corpus, write_corpus

LBFGS = [
    "--set",
    "learner.trainer.kind=lbfgs",
    "--set",
    "learner.trainer.iterations=40",
    "--set",
    "learner.trainer.tolerance=1e-9",
]
EXACT = [*LBFGS, "--set", "learner.trainer.warm_up=0", "--set", "learner.patience=none"]


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "tagpool", *map(str, arguments)]


def run(*arguments: object, code: int = 0) -> str:
    done = subprocess.run(command(*arguments), capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_corpus(builtin_corpus(200), tmp_path / "train.conll")
    write_corpus(builtin_corpus(80, part="dev"), tmp_path / "dev.conll")
    return tmp_path


def training(folder: Path, model: str, *options: object) -> list[object]:
    return [
        "train", "--train", folder / "train.conll", "--dev", folder / "dev.conll", "--columns", "word,pos,chunk,label",
        "--features", "word[-1..1]", "--tune", "off", "--model", folder / model, *options,
    ]  # fmt: skip


@pytest.mark.scale
def test_a_killed_command_continues(folder: Path) -> None:
    """The first command has no warm-up by default. It is killed after some iterations, and continues with other workers."""
    process = subprocess.Popen(
        command(*training(folder, "ray", *LBFGS, "--set", "learner.patience=none", "--engine", "ray", "--workers", 2,
                          "--checkpoint", folder / "run", "--every", "0s")),
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("epoch 7/"):
            process.send_signal(signal.SIGKILL)
            break
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert not (folder / "ray").exists()
    messages = run("train", "--resume", folder / "run", "--engine", "ray", "--workers", 1)
    assert "epoch" in messages
    assert not (folder / "run").exists()
    run(*training(folder, "alone", *EXACT))
    assert (folder / "ray").read_bytes() == (folder / "alone").read_bytes()


@pytest.mark.scale
def test_sigterm_ends_a_training_as_without_ray(folder: Path) -> None:
    endless = ["kind=lbfgs", "warm_up=0", "iterations=1000000", "tolerance=1e-300"]
    options = [part for one in endless for part in ("--set", f"learner.trainer.{one}")]
    arguments = training(folder, "m", *options, "--set", "learner.patience=none", "--engine", "ray", "--workers", 1)
    process = subprocess.Popen(command(*arguments), stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("epoch 3/"):
            process.send_signal(signal.SIGTERM)
            break
    _, messages = process.communicate()
    assert process.returncode == 128 + signal.SIGTERM, messages
    assert "Traceback" not in messages


@pytest.mark.long
@pytest.mark.scale
def test_a_killed_pool_continues(folder: Path) -> None:
    bags = "word[-1..1]\n[shapes]\nshape(word)[-1..1]\n[endings]\nsuffix(word, 1..3)[0]"
    pool = ["--learner", "bagging", "--features", bags, "--set", "learner.weights=kfold", "--set", "learner.folds=4"]
    common = ["train", "--train", folder / "train.conll", "--columns", "word,pos,chunk,label", *pool]
    process = subprocess.Popen(
        command(*common, "--model", folder / "ray", "--engine", "ray", "--workers", 1, "--checkpoint", folder / "run"),
        stderr=subprocess.PIPE,
    )
    end = time.monotonic() + 120
    while len(list((folder / "run").glob("training.[0-9]*"))) < 2 and process.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    process.kill()
    process.communicate()
    if process.returncode != 0:
        run("train", "--resume", folder / "run", "--engine", "ray", "--workers", 2)
    run(*common, "--model", folder / "alone")
    assert (folder / "ray").read_bytes() == (folder / "alone").read_bytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--workers", "0"], "error: --workers 0: expected a whole number from 1"),
        (["--address", "127.0.0.1:9"], "error: --address 127.0.0.1:9: no Ray cluster answers there"),
        (["--address", "nowhere"], "error: --address nowhere: expected auto or host:port"),
    ],
)
@pytest.mark.scale
def test_errors_before_the_training(folder: Path, options: list[str], message: str) -> None:
    assert message in run(*training(folder, "m", *EXACT, "--engine", "ray", *options), code=2)
    tuned = ["tune", "--train", folder / "train.conll", "-o", folder / "best.toml", "--engine", "ray", *options]
    assert message in run(*tuned, code=2)
    assert sorted(path.name for path in folder.iterdir()) == ["dev.conll", "train.conll"]


@pytest.mark.scale
def test_a_memory_budget_is_for_one_process(folder: Path) -> None:
    messages = run(*training(folder, "m", *EXACT, "--engine", "ray", "--memory", "2G"), code=2)
    assert "--memory: the sentences of --engine ray are in the memory of its workers" in messages


@pytest.mark.scale
def test_the_default_trainer_stays_in_one_process(folder: Path) -> None:
    messages = run(*training(folder, "m", "--engine", "ray"), code=2)
    assert "trainer = 'sgd': it changes the weights" in messages
    assert "--set learner.trainer.kind=lbfgs" in messages
    assert not (folder / "m").exists()


@pytest.mark.long
@pytest.mark.scale
def test_a_search_continues_after_a_kill(folder: Path) -> None:
    common = ["tune", "--train", folder / "train.conll", "--dev", folder / "dev.conll", "--columns", "word,pos,chunk,label",
              "--features", "word[-1..1]", "--trials", 12, "--engine", "ray"]  # fmt: skip
    process = subprocess.Popen(
        command(*common, "-o", folder / "a.toml", "--study", folder / "study", "--workers", 1), stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("trial 4/"):
            process.kill()
            break
    process.communicate()
    messages = run(*common, "-o", folder / "a.toml", "--study", folder / "study", "--workers", 2)
    assert "continuing after 4 trials" in messages or "continuing after 3 trials" in messages
    run(*common, "-o", folder / "b.toml", "--workers", 2)
    assert (folder / "a.toml").read_bytes() == (folder / "b.toml").read_bytes()
