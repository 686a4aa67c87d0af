"""``tagpool train``: what it writes, what it says, and what it leaves behind when something is wrong or it is interrupted."""

from __future__ import annotations

import json
import os
import pty
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli.commands import BAGS, fail, run, succeed, write

import tagpool
from tagpool.cli.progress import Follower

TINY = "Ann B-PER\nleft O\n\nRain O\nfell O\n\nBob B-PER\nslept O\n"


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return write(tmp_path, "tiny.conll", TINY)


def test_training_writes_a_model_that_tags_and_a_log(data: Path, tmp_path: Path) -> None:
    model, log = tmp_path / "m.tagpool", tmp_path / "log.jsonl"
    options = [
        "--train",
        data / "train.conll",
        "--dev",
        data / "dev.conll",
        "--model",
        model,
        "--set",
        f"output.log={log}",
        "--set",
        "learner.trainer.epochs=4",
    ]
    done = run("train", *options, "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["number"] for line in lines] == [1, 2, 3, 4]
    assert result["best_dev_f1"] in [100 * line["score"] for line in lines]
    assert "epoch 4/4  loss" in done.stderr  # plain lines where there is no terminal
    assert "\x1b" not in done.stderr
    assert result["bytes"] == model.stat().st_size
    expert = tagpool.load(model)
    assert list(expert.labels_) == result["labels"]
    assert expert.score(tagpool.read_corpus(data / "dev.conll")) * 100 == pytest.approx(result["best_dev_f1"])


def test_the_same_seed_gives_the_same_bytes_whatever_the_threads(data: Path, tmp_path: Path) -> None:
    models = [tmp_path / name for name in ("a", "b", "c")]
    for model, options in zip(models, (["--threads", 1], ["--threads", 2], ["--seed", 2]), strict=True):
        common = ["train", "--train", data / "train.conll", "--model", model, "--set", "learner.trainer.epochs=2"]
        succeed(*common, *options, new_process=True)
    assert models[0].read_bytes() == models[1].read_bytes()
    assert models[0].read_bytes() != models[2].read_bytes()


def test_options_reach_the_expert(tiny: Path, tmp_path: Path) -> None:
    cities = write(tmp_path, "cities.txt", "Ann\n")
    templates = write(tmp_path, "mine.txt", "word[0]\nshape[0]\ngazetteer(cities)[0]\n")
    model = tmp_path / "m"
    common = ["train", "--train", tiny, "--model", model, "--features", templates, "--json"]
    supplied = [
        "--set",
        f"features.use.cities={cities}",
        "--set",
        "learner.pairs=observed",
        "--set",
        "features.min_count=2",
        "--set",
        "learner.l2=0.5",
    ]
    result = json.loads(
        succeed(
            *common,
            *supplied,
            *("--set", "learner.class_weight.O=0.5", "--learner", "maxent", "--set", "learner.trainer.kind=lbfgs"),
        )
    )
    assert result["learner"] == "maxent"
    assert result["trainer"].startswith("LBFGS")
    assert result["features"] == 2  # the shapes Xxx and xxxx; words and the one city were met once
    parameters = json.loads(tagpool.load(model)._fitted().text("parameters") or "")
    expected = {"pairs": "observed", "min_count": 2, "l2": 0.5, "class_weight": {"O": 0.5}}
    assert {name: parameters[name] for name in expected} == expected
    everything = json.loads(succeed(*common, "--set", f"features.use.cities={cities}"))["features"]
    assert json.loads(succeed(*common, "--set", "features.without=cities"))["features"] == everything - 1
    small = json.loads(succeed(*common, "--set", "features.without=cities", "--set", "output.names=false"))
    assert small["features"] == everything - 1


def test_the_perceptron_is_a_trainer(tiny: Path, tmp_path: Path) -> None:
    options = ["--set", "learner.trainer.kind=perceptron", "--set", "learner.trainer.epochs=3", "--json"]
    result = json.loads(succeed("train", "--train", tiny, "--model", tmp_path / "m", *options))
    assert (result["learner"], result["trainer"], result["epochs"]) == ("crf", "Perceptron(epochs=3)", 3)


def test_going_on_from_a_model_keeps_what_it_knew(tiny: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    succeed("train", "--train", tiny, "--model", first, "--features", "word[0]")
    more = write(tmp_path, "more.conll", "Oslo B-LOC\nslept O\n")
    result = json.loads(succeed("train", "--train", more, "--model", second, "--from", first, "--json"))
    assert result["labels"] == ["B-PER", "O", "B-LOC"]
    assert tagpool.load(second).predict([["Oslo", "fell"]]) == [["B-LOC", "O"]]  # "fell" was met in the first training only
    assert result["features"] == 7
    assert "has its own features" in fail("train", "--train", more, "--model", second, "--from", first, "--features", "ner")
    assert "--from is a crf; drop --learner maxent" in fail(
        "train", "--train", more, "--model", second, "--from", first, "--learner", "maxent"
    )
    nameless = tmp_path / "nameless"
    succeed("train", "--train", tiny, "--model", nameless, "--set", "output.names=false")
    assert "without names" in fail("train", "--train", more, "--model", second, "--from", nameless)


BAD_TRAINING = {
    "empty": ("", [], "the file is empty"),
    "no labels": ("Ann\nleft\n", [], "no label column; the columns are word"),
    "one label": ("Ann O\nleft O\n", [], "at least two different labels"),
    "nothing met often enough": (TINY, ["--set", "features.min_count=99", "--features", "word[0]"], "no feature is left"),
    "ragged": ("Ann B-PER\nleft\n", [], ":2: expected 2 columns, got 1"),
    "a column that is not there": (TINY, ["--features", "lemma[0]"], "unknown field 'lemma'"),
    "no such label column": (TINY, ["--label", "ner"], "no column 'ner'"),
    "binary": (b"\0\1\2\n", [], "NUL byte"),
    "a negative penalty": (
        TINY,
        ["--set", "learner.l2=-1"],
        "--set: learner.l2 = -1: expected a number from 0; the default is 1.0",
    ),
    "an unknown trainer": (
        TINY,
        ["--set", "learner.trainer.kind=magic"],
        "learner.trainer.kind = 'magic': expected one of sgd, lbfgs",
    ),
    "an unknown learner": (TINY, ["--learner", "oracle"], "--learner: learner.kind = 'oracle': expected one of crf, maxent"),
    "unknown pairs": (TINY, ["--set", "learner.pairs=some"], "expected 'auto', 'all', 'frequent' or 'observed'"),
    "a weight that is no number": (TINY, ["--set", "learner.class_weight.O=much"], "'O': expected a number"),
    "a weight of no label": (TINY, ["--set", "learner.class_weight.B-X=2"], "'B-X' is not one of the labels"),
    "no templates": (TINY, ["--features", "nerr"], "neither a file nor a preset"),
}


@pytest.mark.parametrize("name", BAD_TRAINING)
def test_what_cannot_be_learned_from_leaves_nothing_behind(tmp_path: Path, name: str) -> None:
    content, options, expected = BAD_TRAINING[name]
    path = write(tmp_path, "train.conll", content)
    assert expected in fail("train", "--train", path, "--model", tmp_path / "m", "--set", f"output.log={tmp_path}/l", *options)
    assert [item.name for item in tmp_path.iterdir()] == ["train.conll"]


@pytest.mark.parametrize(
    ("name", "content"), [("a.conll", "Zoë B-PER\nleft O\n"), ("a.jsonl", '{"tokens":["Zoë","a"],"labels":["X","O"]}')]
)
def test_the_advice_for_another_encoding_is_an_option_of_train(tmp_path: Path, name: str, content: str) -> None:
    path = write(tmp_path, name, content.encode("latin-1"))
    message = fail("train", "--train", path, "--model", tmp_path / "m")
    assert f"{path}:1: expected UTF-8" in message
    assert "--set data.encoding=latin-1" in message
    assert "--encoding" not in message
    succeed("train", "--train", path, "--model", tmp_path / "m", "--set", "data.encoding=latin-1", "--features", "word[0]")


@pytest.mark.parametrize("learner", ["crf", "maxent", "inducing", "elitist", "bagging"])
def test_dev_labels_that_training_does_not_have_count_as_errors(tiny: Path, tmp_path: Path, learner: str) -> None:
    dev = write(tmp_path, "dev.conll", "Ann B-PER\nleft O\n\nOslo B-LOC\nOslo I-LOC\nleft O\n")
    options = ["--features", write(tmp_path, "bags.txt", BAGS), "--learner", learner]
    done = run("train", "--train", tiny, "--dev", dev, "--model", tmp_path / "m", *options, "--json")
    assert done.returncode == 0, done.stderr
    note = "note: the dev set has 2 tokens (1 span) with labels that training does not have, such as 'B-LOC'; each counts as an"
    assert done.stderr.count(note) == 1
    tagged = tmp_path / "tagged.conll"
    succeed("tag", tmp_path / "m", dev, "-o", tagged)
    scores = json.loads(succeed("score", tagged, "--json"))
    assert json.loads(done.stdout)["best_dev_f1"] == pytest.approx(scores["f1"])


def test_a_dev_set_with_another_column_of_labels_is_noted(tiny: Path, tmp_path: Path) -> None:
    dev = write(tmp_path, "dev.conll", "Oslo NNP\nleft VBD\n")
    done = run("train", "--train", tiny, "--dev", dev, "--model", tmp_path / "m")
    assert (
        "the dev set has 2 tokens with labels that training does not have, such as 'NNP'; is this the column of the labels?"
        in done.stderr
    )


def test_a_model_that_cannot_be_written_is_found_out_before_training(tiny: Path, tmp_path: Path) -> None:
    for key in ("output.model", "output.log"):
        other = ["--model", tmp_path / "m"] if key == "output.log" else []
        message = fail("train", "--train", tiny, "--set", f"{key}={tmp_path}/no/m", *other, code=1)
        assert "there is no folder" in message
        assert "epoch" not in message
        assert "Is a directory" in fail("train", "--train", tiny, "--set", f"{key}={tmp_path}", *other, code=1)
        assert "this is an input file; choose another file" in fail("train", "--train", tiny, "--set", f"{key}={tiny}", *other)
    same = ["--model", tmp_path / "m", "--set", f"output.log={tmp_path}/m"]
    assert "another file than the model" in fail("train", "--train", tiny, *same)
    assert [item.name for item in tmp_path.iterdir()] == ["tiny.conll"]


def test_a_full_disk_is_a_failure(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the current folder receives a model that was not saved
    assert "No space left" in fail("train", "--train", tiny, "--model", "/dev/full", code=1)
    # The log is not worth the model.
    assert "the log could not be written" in fail(
        "train", "--train", tiny, "--model", tmp_path / "m", "--set", "output.log=/dev/full", code=1
    )
    assert tagpool.load(tmp_path / "m").labels_ == ("B-PER", "O")


def test_files_without_labels(data: Path, tmp_path: Path) -> None:
    words = write(tmp_path, "words.conll", "Ann\nleft\n")
    message = "no label column; the columns are word; add a column of labels, which is missing"
    assert message in fail("train", "--train", words, "--model", tmp_path / "m")
    message = "ner.tagpool: expected labelled sentences, got a model; to continue its training, use --from"
    assert message in fail("train", "--train", data / "ner.tagpool", "--model", tmp_path / "m")


def test_the_note_of_an_epoch_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    Follower().epoch(tagpool.Epoch(1, 10, 2.5, note="the loss diverged"))
    assert capsys.readouterr().err.splitlines() == ["note: the loss diverged", "epoch 1/10  loss 2.5  0.0 s, 0.1 s left"]
    Follower().epoch(tagpool.Epoch(10, 10, 2.5))
    assert capsys.readouterr().err.splitlines() == ["epoch 10/10  loss 2.5  0.0 s, done"]


# Ctrl-C ------------------------------------------------------------------------------------------------------------------


def interrupted(data: Path, model: Path, until: str, *options: object, wait: float = 0.0) -> tuple[int, str]:
    """Trains for very long, and interrupts when a line has been seen that begins so."""
    command = [
        sys.executable,
        "-m",
        "tagpool",
        "train",
        "--train",
        data / "train.conll",
        "--model",
        model,
        "--set",
        "learner.trainer.epochs=100000",
        "--set",
        "learner.trainer.tolerance=0",
    ]
    process = subprocess.Popen([*map(str, [*command, *options])], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        seen = []
        for line in process.stderr:
            seen.append(line)
            if line.startswith(until):
                break
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
        assert process.stdout is not None
        assert process.stdout.read() == ""
        return process.wait(), "".join(seen) + rest
    finally:
        process.kill()
        process.communicate()


def test_ctrl_c_keeps_the_best_model_so_far(data: Path, tmp_path: Path) -> None:
    model, log = tmp_path / "m", tmp_path / "l"
    code, message = interrupted(
        data, model, "epoch 3/", "--dev", data / "dev.conll", "--set", f"output.log={log}", "--set", "learner.patience=none"
    )
    assert code == 130
    assert "Traceback" not in message
    match = re.search(r"interrupted; the best model so far with a dev F1 of ([0-9.]+), after [0-9]+ of 100,000 epochs,", message)
    assert match is not None, message
    score = tagpool.load(model).score(tagpool.read_corpus(data / "dev.conll")) * 100
    assert score == pytest.approx(float(match[1]), abs=0.005)
    # The last epoch may have been interrupted before it was told.
    assert score >= max(json.loads(line)["score"] for line in log.read_text().splitlines())


def test_ctrl_c_without_a_dev_set_keeps_the_model_as_it_stands(data: Path, tmp_path: Path) -> None:
    model = tmp_path / "m"
    code, message = interrupted(data, model, "epoch 2/")
    assert code == 130
    assert "interrupted; the model as it stood" in message
    assert tagpool.load(model).score(tagpool.read_corpus(data / "train.conll")) > 0.5


@pytest.mark.parametrize("options", [[], ["--memory", "2G"]])
def test_ctrl_c_while_the_model_is_built_keeps_nothing(data: Path, tmp_path: Path, options: list[str]) -> None:
    code = (
        "from tagpool.cli.entry import run\n"
        "from tagpool.experts.linear.training import LinearTraining\n"
        "def model(*_): raise KeyboardInterrupt\n"
        "LinearTraining.model = model\n"
        "run()\n"
    )
    command = [sys.executable, "-c", code, "train", "--train", data / "train.conll", "--model", tmp_path / "m", *options]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert done.returncode == 130, done.stderr
    assert "interrupted; nothing was kept" in done.stderr
    assert not (tmp_path / "m").exists()


def test_ctrl_c_before_the_first_epoch_keeps_nothing(data: Path, tmp_path: Path) -> None:
    code, message = interrupted(data, tmp_path / "m", "reading")
    assert code == 130, message
    assert "Traceback" not in message
    stored = "was written to" in message  # the first epoch may have been faster
    assert stored or "nothing was" in message
    assert (tmp_path / "m").exists() == stored


@pytest.mark.parametrize("seed", range(4))
def test_ctrl_c_at_any_time_leaves_a_whole_model_or_none(data: Path, tmp_path: Path, seed: int) -> None:
    wait = random.Random(seed).random()
    code, message = interrupted(
        data, tmp_path / "m", "reading", "--dev", data / "dev.conll", "--set", "learner.patience=none", wait=wait
    )
    assert code == 130
    assert "interrupted" in message
    assert "Traceback" not in message
    if "was written to" in message:
        assert tagpool.load(tmp_path / "m").is_fitted
    else:
        assert list(tmp_path.iterdir()) == []


def test_a_terminal_gets_a_bar(tiny: Path, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "tagpool", "train", "--train", str(tiny), "--model", str(tmp_path / "m")]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs, env=environment)
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 65536):
            shown += piece
    except OSError:  # how Linux says that the other side is gone
        pass
    assert process.wait() == 0
    os.close(ours)
    assert b"/30  loss" in shown
    assert "━".encode() in shown


def test_ctrl_c_inside_an_eval_is_130_too(tmp_path: Path) -> None:
    """Python remembers such an interruption and would end itself by the signal, though it was caught and told."""
    code = (
        "import sys, types\n"
        "def interrupt(): raise KeyboardInterrupt\n"
        "def app():\n"
        "    try:\n"
        "        eval('interrupt()', globals())\n"
        "    except KeyboardInterrupt:\n"
        "        print('told')\n"
        "        sys.exit(130)\n"
        "sys.modules['tagpool.cli.main'] = types.SimpleNamespace(app=app)\n"
        "from tagpool.cli.entry import run\n"
        "run()\n"
    )
    write(tmp_path, "mishap.py", code)
    command = [sys.executable, "-m", "mishap"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (130, "told\n")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--set", "learner.trainer.epochs=2"], "all epochs"),
        ([], "the loss stopped falling"),
        (["--set", "learner.trainer.tolerance=0", "--dev", "{dev}"], "no better dev F1 in 3 epochs"),
    ],
)
def test_the_reason_for_the_end(data: Path, tmp_path: Path, options: list[str], reason: str) -> None:
    filled = [option.format(dev=data / "dev.conll") for option in options]
    shown = succeed("train", "--train", data / "train.conll", "--model", tmp_path / "m", *filled)
    assert f"training ended: {reason}\n" in shown


def test_dev_sets_that_say_little(data: Path, tmp_path: Path) -> None:
    write(tmp_path, "no-spans.conll", "Rain NN B-NP O\nfell VBD B-VP O\n")
    write(tmp_path, "one.conll", "Ann NNP B-NP B-PER\nleft VBD B-VP O\n")
    notes = {
        tmp_path / "no-spans.conll": "note: the dev set has no spans, so that every score is 0",
        tmp_path / "one.conll": "note: the dev set has 1 sentence with 1 span: its scores depend on chance",
        data / "train.conll": "note: the dev set equals the training set: its scores reward overfitting",
    }
    for dev, note in notes.items():
        done = run("train", "--train", data / "train.conll", "--dev", dev, "--model", tmp_path / "m")
        assert done.returncode == 0
        assert note in done.stderr
        if "no spans" in note:
            assert "training ended: the loss stopped falling" in done.stdout
