"""``train --checkpoint`` and ``--resume``; models whose file is not writable."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli.commands import fail, run_process, succeed, write

import tagpool
from tagpool.cli.training.checkpoints import CheckpointOptions
from tagpool.errors import InputError

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = [sys.executable, "-m", "tagpool", "train"]


def start(*options: object) -> subprocess.Popen[str]:
    return subprocess.Popen([*PROGRAM, *map(str, options)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def end_in_epoch(number: int, by: int, *options: object) -> tuple[int, str]:
    """Train, and send a signal after an epoch."""
    process = start(*options)
    assert process.stderr is not None
    lines = []
    for line in process.stderr:
        lines.append(line)
        if line.startswith(f"epoch {number}/"):
            break
    process.send_signal(by)
    _, rest = process.communicate()
    return process.returncode, "".join(lines) + rest


def files(data: Path, model: Path) -> list[object]:
    return ["--train", data / "train.conll", "--dev", data / "dev.conll", "--model", model, "--set", "learner.patience=none"]


LONG = ["--set", "learner.trainer.epochs=60"]


def test_a_killed_command_resumes_without_other_options(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run 1"
    succeed("train", *files(data, tmp_path / "expected"), *LONG)
    code, message = end_in_epoch(5, signal.SIGKILL, *files(data, tmp_path / "m"), *LONG, "--checkpoint", folder, "--every", "0s")
    assert code == -signal.SIGKILL
    assert f"checkpoints in {folder}; after a crash, to continue the training: tagpool train --resume '{folder}'" in message
    assert (folder / "training.checkpoint").exists()
    log = tmp_path / "log"
    succeed("train", "--resume", folder, "--set", f"output.log={log}")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "expected").read_bytes()
    assert len(log.read_text().splitlines()) == 60  # with the epochs before the kill
    assert not folder.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_names_the_command_that_resumes(data: Path, tmp_path: Path, number: int) -> None:
    succeed("train", *files(data, tmp_path / "expected"), *LONG)
    code, message = end_in_epoch(3, number, *files(data, tmp_path / "m"), *LONG, "--checkpoint", tmp_path / "c", "--every", "0")
    assert code == 128 + number
    assert "interrupted; the best model so far" in message
    assert message.endswith(f"to continue the training: tagpool train --resume {tmp_path / 'c'}\n")
    assert tagpool.load(tmp_path / "m").is_fitted
    succeed("train", "--resume", tmp_path / "c")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "expected").read_bytes()


@pytest.fixture
def unfinished(data: Path, tmp_path: Path) -> Path:
    """Folder of a training that was killed."""
    shutil.copy(data / "train.conll", tmp_path / "train.conll")
    options = [
        "--train",
        tmp_path / "train.conll",
        "--model",
        tmp_path / "m",
        "--set",
        "learner.trainer.epochs=100000",
        "--set",
        "learner.trainer.tolerance=0",
    ]
    end_in_epoch(2, signal.SIGKILL, *options, "--checkpoint", tmp_path / "c", "--every", "0")
    return tmp_path / "c"


def test_other_options_and_data_are_errors(unfinished: Path, tmp_path: Path) -> None:
    resume = ["train", "--resume", unfinished]
    assert "learner.l2 = 0.5: the training of this folder has the default; drop the option" in fail(
        *resume, "--set", "learner.l2=0.5"
    )
    assert "learner.trainer.epochs = 9: the training of this folder has 100000" in fail(
        *resume, "--set", "learner.trainer.epochs=9"
    )
    assert "drop --checkpoint" in fail(*resume, "--checkpoint", tmp_path / "d")
    assert "unfinished training; to continue the training: tagpool train --resume" in fail(
        "train", "--train", tmp_path / "train.conll", "--model", tmp_path / "m", "--checkpoint", unfinished
    )
    text = (tmp_path / "train.conll").read_text()
    write(tmp_path, "train.conll", text + "Ann B-PER\n\n")
    assert "train.conll: the file has changed since the training began; restore it" in fail(*resume)
    (tmp_path / "train.conll").unlink()
    assert "train.conll: there is no such file; run the command in the folder where the training began" in fail(*resume)
    assert "there is no unfinished training in this folder" in fail("train", "--resume", tmp_path)
    assert "there is no unfinished training in this folder" in fail("train", "--resume", tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_a_damaged_command_is_an_error(unfinished: Path) -> None:
    path = unfinished / "training.command.checkpoint"
    path.write_bytes(path.read_bytes()[:-1])
    assert "damaged checkpoint" in fail("train", "--resume", unfinished)


def test_streams_have_no_checkpoints(data: Path, tmp_path: Path) -> None:
    options = ["--model", tmp_path / "m", "--checkpoint", tmp_path / "c"]
    message = fail("train", "--train", "-", *options, stdin=(data / "train.conll").read_text())
    assert "a checkpoint needs files that can be read again" in message
    assert "add --checkpoint DIR" in fail("train", "--train", data / "train.conll", "--model", tmp_path / "m", "--every", "5s")


@pytest.mark.parametrize(("text", "seconds"), [("60s", 60.0), ("5min", 300.0), ("1.5h", 5400.0), ("0", 0.0), ("10 m", 600.0)])
def test_times(text: str, seconds: float) -> None:
    assert CheckpointOptions(every=text).seconds() == seconds


@pytest.mark.parametrize("text", ["", "x", "-1s", "1d", "1e3", "9" * 400])
def test_bad_times(text: str) -> None:
    with pytest.raises(InputError, match="expected a time such as 30s"):
        CheckpointOptions(every=text).seconds()


def test_random_kills_give_the_same_models() -> None:
    """The short form of tools/kill_and_resume.py."""
    names = ["sgd", "lbfgs", "inducing", "bagging"]
    options = [option for name in names for option in ("--only", name)]
    command = [sys.executable, ROOT / "tools" / "kill_and_resume.py", "--kills", "6", "--sentences", "300", *options]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 models differ" in done.stdout


# Models whose file is not writable ----------------------------------------------------------------------------------------


def test_a_model_is_kept_if_its_folder_vanishes(data: Path, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    process = subprocess.Popen(
        [
            *PROGRAM,
            *map(
                str, [*files(data, there / "m"), "--set", "learner.trainer.epochs=100000", "--set", "learner.trainer.tolerance=0"]
            ),
        ],
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("epoch 2/"):
            break
    shutil.rmtree(there)
    process.send_signal(signal.SIGINT)
    _, message = process.communicate()
    assert process.returncode == 1
    assert f"there is no folder {there}; the model was kept: mv {tmp_path / 'm'} {there / 'm'}" in message
    assert tagpool.load(tmp_path / "m").is_fitted


def test_a_full_disk_keeps_the_checkpoint(data: Path, tmp_path: Path) -> None:
    """No file is large enough for the model. The training can be resumed when there is space again."""
    succeed("train", *files(data, tmp_path / "expected"), "--set", "learner.trainer.epochs=3")

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    command = [*PROGRAM, *files(data, tmp_path / "m"), "--set", "learner.trainer.epochs=3", "--checkpoint", tmp_path / "c"]
    environment = {**os.environ, "TMPDIR": str(tmp_path), "HOME": str(tmp_path)}
    done = subprocess.run(
        [*map(str, command)], stderr=subprocess.PIPE, text=True, preexec_fn=limit, env=environment, cwd=tmp_path, check=False
    )
    assert done.returncode == 1
    assert "writing failed: File too large; no other folder was writable; to continue the training" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c", "expected"]
    assert run_process("train", "--resume", tmp_path / "c").returncode == 0
    assert (tmp_path / "m").read_bytes() == (tmp_path / "expected").read_bytes()
