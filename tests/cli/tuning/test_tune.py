"""``tagpool tune``: its output, the configuration it writes, budgets, interruptions, and errors."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from cli.commands import BAGS, fail, run, run_process, succeed, write
from cli.test_signals import CODES, default_signals, end_by  # noqa: F401 - a fixture

from tagpool import builtin_corpus, read_corpus, write_corpus

pytest.importorskip("optuna")
FEATURES = ("--features", "word[-1..1]\nsuffix(word, 1..2)[0]", "--set", "learner.trainer.epochs=6")


@pytest.fixture
def folder(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with train.conll and dev.conll, which is the current one."""
    for name in ("train.conll", "dev.conll"):
        (tmp_path / name).symlink_to(data / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


TUNE = ("tune", "--train", "train.conll", "--dev", "dev.conll", "-o", "best.toml")


def test_the_configuration_reaches_the_score_that_is_printed(folder: Path) -> None:
    result = json.loads(succeed(*TUNE, *FEATURES, "--trials", "5", "--seed", "7", "--json"))
    assert result["best"]["dev_f1"] >= result["defaults"]["dev_f1"]
    assert result["gain"] == pytest.approx(result["best"]["dev_f1"] - result["defaults"]["dev_f1"])
    assert len(result["trials"]) == 5
    assert (result["config"], result["held_out_sentences"]) == ("best.toml", None)
    for files in ((), ("--train", "train.conll", "--dev", "dev.conll")):
        trained = json.loads(succeed("train", "--config", "best.toml", *files, "--model", "m", "--json"))
        assert trained["best_dev_f1"] == result["best"]["dev_f1"]
    shown = succeed("config", "m")
    for name, value in result["best"]["values"].items():
        assert f"{name.rpartition('.')[2]} = {value!r}\n" in shown


@pytest.mark.parametrize(
    ("options", "fixed", "searched"),
    [
        (
            ("--set", "learner.l2=1.0", "--set", "features.min_count=1"),
            ("learner.l2", "features.min_count"),
            "learner.trainer.dropout",
        ),
        (("--config", "run.toml"), ("learner.l2",), "learner.trainer.dropout"),
        (("--learner", "maxent", "--set", "learner.trainer.kind=lbfgs"), ("learner.l1",), "learner.trainer.tolerance"),
    ],
)
def test_keys_that_are_set_are_not_searched(
    folder: Path, options: tuple[str, ...], fixed: tuple[str, ...], searched: str
) -> None:
    write(folder, "run.toml", "[learner]\nl2 = 0.7\n")
    features = ("--features", "word[0]")
    result = json.loads(succeed(*TUNE, *features, *options, "--trials", "2", "--json"))
    assert not set(fixed) & set(result["space"])
    assert searched in result["space"]
    if "--config" in options:
        assert "l2 = 0.7\n" in (folder / "best.toml").read_text()


def test_pools_are_tuned(folder: Path) -> None:
    write(folder, "bags.txt", BAGS)
    bagging = ("--learner", "bagging", "--features", "bags.txt", "--set", "learner.expert.trainer.epochs=2")
    elitist = ("--learner", "elitist", "--features", "word[0]", "--set", "learner.epochs=2")
    for options, key in ((bagging, "learner.expert.l2"), (elitist, "learner.strength")):
        result = json.loads(succeed(*TUNE, *options, "--trials", "2", "--json"))
        assert key in result["space"]
        trained = json.loads(succeed("train", "--config", "best.toml", "--model", "m", "--json"))
        assert trained["best_dev_f1"] == result["best"]["dev_f1"]


def test_two_stages_are_tuned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for part, count in (("train", 60), ("dev", 90)):
        write_corpus(builtin_corpus(count, part=part), tmp_path / "plain.conll")
        sentences = (tmp_path / "plain.conll").read_text().strip().split("\n\n")
        documents = ["\n\n".join(sentences[first : first + 10]) for first in range(0, count, 10)]
        write(tmp_path, f"{part}.conll", "".join(f"-DOCSTART- X X O\n\n{document}\n\n" for document in documents))
    options = (
        "--learner",
        "two-stage",
        "--features",
        "word[0]",
        "--set",
        "learner.folds=2",
        "--set",
        "learner.first.trainer.epochs=2",
    )
    result = json.loads(succeed(*TUNE, *options, "--trials", "2", "--json"))
    assert "learner.first.l2" in result["space"]
    trained = json.loads(succeed("train", "--config", "best.toml", "--model", "m", "--json"))
    assert trained["best_dev_f1"] == result["best"]["dev_f1"]


def test_text_progress_and_plot(folder: Path) -> None:
    done = run(*TUNE, *FEATURES, "--trials", "20", "--plot", "trials.svg")
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    assert lines[:2] == ["reading train.conll", "reading dev.conll"]
    assert lines[2].startswith("searching features.min_count (1 to 5), learner.l2 (0.01 to 10, logarithmic), ")
    assert re.fullmatch(r"trial 1/20  dev F1 [\d.]+ \(best\)  [\d.]+ s, [\d.]+ s left  defaults", lines[3])
    assert re.search(r"^trial 20/20  .* s, done  features.min_count=", lines[-1])
    shown = done.stdout.splitlines()
    assert shown[0].split() == ["trial", "different", "from", "the", "defaults", "dev", "F1", "time"]
    assert any(line.split()[:2] == ["1", "(defaults)"] for line in shown)
    assert any(line.startswith("importance: ") for line in shown)
    assert any(line.startswith(("gain over the defaults: +", "no trial was better")) for line in shown)
    assert "written to best.toml, plot to trials.svg" in shown
    drawn = ET.parse(folder / "trials.svg")
    comments = (folder / "trials.svg").read_text()
    assert drawn.getroot().tag.endswith("svg")
    for label in ("min_count", "l2", "trainer.dropout", "importance", "dev F1", "best", "defaults"):
        assert f"<!-- {label} -->" in comments


def test_a_held_out_tenth_replaces_the_dev_set(folder: Path) -> None:
    done = run("tune", "--train", "train.conll", "-o", "best.toml", *FEATURES, "--trials", "2", "--json")
    assert done.returncode == 0, done.stderr
    assert "no --dev: a tenth of --train is held out, 30 sentences (chosen at random)" in done.stderr
    assert "warning: the dev set has 30 sentences with " in done.stderr
    result = json.loads(done.stdout)
    assert result["held_out_sentences"] == 30
    train, dev = read_corpus("train.conll").split(0.1)
    for corpus, name in ((train, "nine.conll"), (dev, "one.conll")):
        write_corpus(corpus, folder / name)
    files = ("--train", "nine.conll", "--dev", "one.conll", "--model", "m", "--json")
    assert json.loads(succeed("train", "--config", "best.toml", *files))["best_dev_f1"] == result["best"]["dev_f1"]


def test_a_study_continues(folder: Path) -> None:
    whole = json.loads(succeed(*TUNE, *FEATURES, "--trials", "6", "--json"))
    succeed(*TUNE, *FEATURES, "--trials", "3", "--study", "study.log")
    done = run(*TUNE, *FEATURES, "--trials", "6", "--study", "study.log", "--json")
    assert "study.log: continuing after 3 trials" in done.stderr

    def facts(result: dict[str, list[dict[str, object]]]) -> list[tuple[object, object]]:
        return [(trial["values"], trial["dev_f1"]) for trial in result["trials"]]

    assert facts(json.loads(done.stdout)) == facts(whole)
    message = fail("tune", "--train", "dev.conll", "--dev", "dev.conll", "-o", "b", *FEATURES, "--study", "study.log")
    assert "study.log: the study has other training sentences than this search" in message


@pytest.mark.parametrize("number", CODES, ids=lambda number: number.name)
def test_a_signal_keeps_the_best_so_far(folder: Path, number: signal.Signals) -> None:
    command = [sys.executable, "-m", "tagpool", *TUNE, *FEATURES, "--minutes", "5", "--study", "study.log"]
    code, message = end_by(number, command, "trial 3")
    assert code == CODES[number], message
    match = re.search(
        r"interrupted; the best of (\d+) trials with a dev F1 of ([\d.]+) was written to best.toml; to cont", message
    )
    assert match is not None, message
    assert "to continue, repeat the command with --study study.log" in message
    trained = json.loads(succeed("train", "--config", "best.toml", "--model", "m", "--json"))
    assert f"{trained['best_dev_f1']:.2f}" == match[2]
    result = json.loads(succeed(*TUNE, *FEATURES, "--trials", match[1], "--study", "study.log", "--json"))
    assert f"{result['best']['dev_f1']:.2f}" == match[2]


def test_a_signal_in_the_first_trial_writes_nothing(folder: Path) -> None:
    options = ["--set", "learner.trainer.epochs=1000000", "--set", "learner.trainer.tolerance=0"]
    options += ["--set", "learner.patience=none", "--features", "word[0]"]
    code, message = end_by(signal.SIGINT, [sys.executable, "-m", "tagpool", *TUNE, *options], "searching")
    assert code == 130, message
    assert "interrupted; no trial was finished, and nothing was written" in message
    assert not (folder / "best.toml").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--minutes", "0"), "minutes = 0: expected a number above 0"),
        (("--minutes", "-1"), "minutes = -1: expected a number above 0"),
        (("--minutes", "nan"), "minutes = nan: expected a number above 0"),
        (("--trials", "0"), "trials = 0: expected a whole number from 1"),
        (
            ("--learner", "opinion"),
            "--learner opinion has no parameter with a range to search; use crf, maxent, inducing, bagging",
        ),
        (("--plot", "x.pdf"), "x.pdf: expected the name of a picture that ends in .svg or .png"),
        (("--study", "best.toml"), "--study best.toml: this is the file of --output"),
        (("--study", "dev.conll"), "--study dev.conll: this is an input file"),
        (("--set", "data.start=m"), "data.start = 'm': a search trains every model from the start"),
        (("--set", "learner.l3=1"), "learner.l3 = 1: unknown key; expected one of kind, "),
        (
            ("--learner", "elitist", "--set", "learner.strength=0.1", "--set", "features.min_count=1"),
            "every parameter that can be searched is set: features.min_count, learner.strength",
        ),
    ],
)
def test_errors_of_usage(folder: Path, options: tuple[str, ...], message: str) -> None:
    assert message in fail(*TUNE, *options)
    assert sorted(path.name for path in folder.iterdir()) == ["dev.conll", "train.conll"]


def test_missing_files(folder: Path) -> None:
    assert "--train is missing" in fail("tune", "-o", "best.toml")
    assert "--output is missing" in fail("tune", "--train", "train.conll")
    assert "--output is missing" in fail("tune", "--train", "train.conll", "-o", "-")
    assert "there is no such file" in fail("tune", "--train", "no.conll", "-o", "best.toml")


def test_bad_dev_sets(folder: Path) -> None:
    write(folder, "no-spans.conll", "Rain NN B-NP O\nfell VBD B-VP O\n")
    write(folder, "one.conll", "Ann NNP B-NP B-PER\nleft VBD B-VP O\n")
    start = ("tune", "--train", "train.conll", "-o", "best.toml", *FEATURES, "--trials", "1", "--dev")
    assert "no-spans.conll: the dev set has no spans, so that every score is 0" in fail(*start, "no-spans.conll")
    assert not (folder / "best.toml").exists()
    done = run(*start, "one.conll")
    assert (done.returncode, "warning: the dev set has 1 sentence with 1 span: " in done.stderr) == (0, True), done.stderr
    done = run(*start, "train.conll")
    assert (done.returncode, "warning: the dev set equals the training set" in done.stderr) == (0, True), done.stderr
    assert "a tenth of 1 sentence is no dev set" in fail("tune", "--train", "one.conll", "-o", "best.toml")


def test_without_optuna_the_error_names_the_extra(folder: Path) -> None:
    write(folder, "optuna.py", "raise ImportError('hidden')\n")
    done = run_process(*TUNE, *FEATURES, environment={"PYTHONPATH": str(folder)})
    assert done.returncode == 2
    assert "error: tuning needs Optuna; pip install 'tagpool[tune]'\n" in done.stderr
    assert not (folder / "best.toml").exists()


def test_optuna_is_imported_only_by_the_search() -> None:
    code = "import sys, tagpool.cli.tune, tagpool.tuning.tune; print('optuna' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
