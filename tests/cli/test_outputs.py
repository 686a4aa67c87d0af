"""An output never replaces an input of the same command, and standard output is complete or an error."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from cli.commands import BAGS, fail, succeed, write
from injection import run_with_faults

from tagpool import read_corpus
from tagpool.cli.outputs import is_same_file

MESSAGE = "this is an input file; choose another file"
LABELLED = "Ann B-PER\nleft O\n\nBo B-PER\nleft O\n"


@pytest.fixture
def folder(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: labelled files, models, a text, templates, a configuration and lexicons."""
    monkeypatch.chdir(tmp_path)
    for name in ("gold.conll", "a.conll", "b.conll", "train.conll", "dev.conll"):
        write(tmp_path, name, LABELLED)
    write(tmp_path, "b.conll", LABELLED.replace("Bo B-PER", "Bo O"))
    write(tmp_path, "text.txt", "Ann left\n")
    write(tmp_path, "bags.txt", BAGS)
    write(tmp_path, "run.toml", "[learner]\nl2 = 0.5\n")
    write(tmp_path, "names.txt", "Ann\n")
    write(tmp_path, "used.txt", "use names from names.txt\nword[0]\ngazetteer(names)[0]\n")
    (tmp_path / "lists").mkdir()
    write(tmp_path / "lists", "names.txt", "Ann\n")
    for name in ("ner.tagpool", "other.tagpool"):
        shutil.copy(data / "ner.tagpool", tmp_path / name)
    succeed("pool", "fit", "--method", "mvote", "--gold", "gold.conll", "a.conll", "b.conll", "--model", "names.pool")
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


TRAIN = ("train", "--train", "train.conll", "--dev", "dev.conll")
TUNE = ("tune", "--train", "train.conll", "--dev", "dev.conll")
MEMBERS = ("--learner", "opinion", "--set", 'learner.members=["ner.tagpool", "other.tagpool"]')
LEXICON = ("--features", "word[0]\ngazetteer(names)[0]")
COMMANDS: dict[str, tuple[tuple[str, ...], str, list[str]]] = {
    "fit": (("pool", "fit", "--gold", "gold.conll", "a.conll", "x=b.conll"), "--model", ["gold.conll", "a.conll", "b.conll"]),
    "columns": (("pool", "fit", "--gold", "gold.conll", "x=a.conll@label", "b.conll"), "--model", ["a.conll"]),
    "apply": (("pool", "apply", "names.pool", "a.conll", "b.conll"), "--output", ["names.pool", "a.conll", "b.conll"]),
    "estimate": (("pool", "estimate", "a.conll", "b.conll"), "--output", ["a.conll", "b.conll"]),
    "compare": (("pool", "compare", "--gold", "gold.conll", "a.conll", "b.conll"), "--plot", ["gold.conll", "a.conll"]),
    "clusters": (("resources", "clusters", "text.txt", "--k", "2"), "--output", ["text.txt"]),
    "ambiguity": (
        ("resources", "ambiguity", "text.txt", "--model", "ner.tagpool", "--train", "train.conll"),
        "--output",
        ["text.txt", "ner.tagpool", "train.conll"],
    ),
    "convert": (("convert", "gold.conll"), "--output", ["gold.conll"]),
    "convert a model": (("convert", "ner.tagpool", "--to", "crfsuite"), "--output", ["ner.tagpool"]),
    "tag": (("tag", "ner.tagpool", "gold.conll"), "--output", ["ner.tagpool", "gold.conll"]),
    "train": ((*TRAIN, "--config", "run.toml"), "--model", ["train.conll", "dev.conll", "run.toml"]),
    "tune": ((*TUNE, "--config", "run.toml"), "--output", ["train.conll", "dev.conll", "run.toml"]),
    "tune, study": ((*TUNE, "--output", "new"), "--study", ["train.conll", "dev.conll"]),
    "tune, plot": ((*TUNE, "--output", "new", "--features", "used.txt"), "--plot", ["train.conll", "used.txt", "names.txt"]),
    "templates": ((*TRAIN, "--features", "bags.txt"), "--model", ["bags.txt"]),
    "continued": ((*TRAIN, "--from", "ner.tagpool"), "--model", ["ner.tagpool"]),
    "members": ((*TRAIN, *MEMBERS), "--model", ["ner.tagpool", "other.tagpool"]),
    "resource": ((*TRAIN, *LEXICON, "--set", "features.use.names=names.txt"), "--model", ["names.txt"]),
    "used": ((*TRAIN, "--features", "used.txt"), "--model", ["used.txt", "names.txt"]),
    "folder": ((*TRAIN, *LEXICON, "--set", "features.use.names=lists"), "--model", ["lists/names.txt"]),
}


TRAINING = ("train", "templates", "continued", "members", "resource", "used", "folder")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_output_is_not_an_input(folder: Path, name: str) -> None:
    arguments, option, inputs = COMMANDS[name]
    before = contents(folder)
    for path in inputs:
        (folder / "link").unlink(missing_ok=True)
        (folder / "link").symlink_to(path)
        for other in (path, f"lists/../{path}", folder / path, "link"):
            message = fail(*arguments, option, other)
            assert MESSAGE in message
            assert f"{other}: {MESSAGE}" in message
            if name in TRAINING:
                assert MESSAGE in fail(*arguments, "--model", "new", "--set", f"output.log={other}")
    (folder / "link").unlink()
    assert contents(folder) == before


def test_a_redirected_standard_input_is_an_input(folder: Path) -> None:
    before = contents(folder)
    for arguments in (["convert", "-"], ["tag", "ner.tagpool", "-"]):
        command = [sys.executable, "-m", "tagpool", *arguments, "-o", "gold.conll"]
        with (folder / "gold.conll").open() as file:
            done = subprocess.run(command, stdin=file, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert MESSAGE in done.stderr
    assert contents(folder) == before


def test_other_outputs_are_written(folder: Path) -> None:
    """A file that is no input is replaced. Names of presets and of learners are no files."""
    write(folder, "ner", "an old file")
    succeed(*TRAIN, "--features", "ner", "--model", "ner")
    succeed(*TRAIN, "--features", "ner", "--model", "ner")
    succeed(*TRAIN, "--learner", "crf", "--model", "crf")
    succeed(*TRAIN, "--learner", "crf", "--model", "crf")
    write(folder, "out.conll", "an old file")
    succeed("convert", "gold.conll", "-o", "out.conll")
    assert read_corpus("out.conll").labels == read_corpus("gold.conll").labels
    assert succeed("convert", "-", stdin=LABELLED) == LABELLED + "\n"


def test_links_and_folders(folder: Path) -> None:
    Path("hard").hardlink_to("gold.conll")
    Path("dangling").symlink_to("nothing")
    assert is_same_file(Path("hard"), Path("gold.conll"))
    assert is_same_file(Path("dangling"), Path("nothing"))
    assert is_same_file(Path("lists/names.txt"), folder)
    assert not is_same_file(Path("lists/new.txt"), Path("lists"))
    assert not is_same_file(Path("gold.conll"), Path("a.conll"))
    assert not is_same_file(Path("gold.conll"), Path("no\0path"))
    assert not is_same_file(Path(os.devnull), Path(os.devnull))


@pytest.mark.parametrize("command", [("convert", "gold.conll"), ("pool", "estimate", "gold.conll", "a.conll", "b.conll")])
def test_a_summary_is_not_mixed_with_the_output(folder: Path, command: tuple[str, ...]) -> None:
    message = fail(*command, "--output", "-", "--json")
    assert "both write to standard output" in message
    summary = json.loads(succeed(*command, "--output", "out.conll", "--json"))
    assert len(read_corpus(folder / "out.conll")) == 2
    if command[0] == "convert":
        assert summary == {"to": "conll", "sentences": 2, "tokens": 4, "not_read": {}, "not_written": {}}


def test_the_short_form_of_help() -> None:
    assert succeed("convert", "-h") == succeed("convert", "--help")
    assert succeed("-h") == succeed("--help")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_standard_output_that_is_cut_off_is_a_failure(tmp_path: Path, unbuffered: str) -> None:
    """The first call writes a part, up to the limit. Without a buffer (``python -u``) Python does not write the rest."""
    corpus = write(tmp_path, "a.conll", LABELLED * 100)

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    with (tmp_path / "out").open("w") as out:
        done = subprocess.run(
            [sys.executable, "-m", "tagpool", "convert", str(corpus), "--to", "jsonl"],
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=limit,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
            check=False,
        )
    assert (tmp_path / "out").stat().st_size == 1000
    assert done.stderr == "error: standard output: writing failed: File too large\n"
    assert done.returncode == 1


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="there is no /dev/full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_is_reported_once(tmp_path: Path, unbuffered: str) -> None:
    corpus = write(tmp_path, "a.conll", LABELLED)
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "tagpool", "convert", str(corpus), "--to", "jsonl"]
        environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=environment, check=False)
    assert done.stderr == "error: standard output: writing failed: No space left on device\n"
    assert done.returncode == 1


LAST_ALLOCATIONS = """
    from tagpool.cli.main import app

    def run(number):
        output.write_bytes(b"old")
        events.arm(Fault("allocation"), number)
        try:
            app(arguments)
        except SystemExit as ending:
            events.disarm()
            return ending.code
        raise AssertionError("a command exits")

    assert run(0) == run(0) == 0
    total, new = events.count("allocation"), output.read_bytes()
    assert new != b"old"
    for number in range(total - 60, total + 1):
        code = run(number)
        assert output.read_bytes() == (b"old" if code else new), (number, total, code)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs LD_PRELOAD")
@pytest.mark.parametrize(
    "command",
    [
        "pool fit --method mvote --gold {0}/gold.conll {0}/a.conll {0}/b.conll --model {0}/out",
        "train --learner bagging --features {0}/bags.txt --train {0}/gold.conll --dev {0}/gold.conll --model {0}/out"
        " --set learner.expert.trainer.epochs=1",
    ],
)
def test_without_memory_at_the_end_a_command_succeeds_or_leaves_the_old_file(folder: Path, command: str) -> None:
    """The last allocations of a command belong to its summary."""
    arguments = command.format(folder).split()
    run_with_faults(
        folder, f"arguments, output = {arguments!r}, Path({str(folder / 'out')!r})\n{textwrap.dedent(LAST_ALLOCATIONS)}"
    )
