"""``tagpool tag`` for folders: the same labels as one by one, complete files only, and runs that continue."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from unittest.mock import patch

import polars as pl
import pytest
from cli.commands import fail, outputs, run, succeed, write

import tagpool
from tagpool.corpus.files import read_bytes
from tagpool.tagging.folders.jobs import find_jobs
from tagpool.tagging.folders.local import label_locally
from tagpool.tagging.folders.manifest import MANIFEST
from tagpool.tagging.folders.settings import Settings


@pytest.fixture
def folder(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder ``in`` with a file of every format; the current folder is its parent."""
    corpus = tagpool.read_corpus(data / "test.conll")
    (tmp_path / "in" / "sub").mkdir(parents=True)
    for number, name in enumerate(("a.conll", "b.conll.gz", "sub/c.jsonl.zst", "sub/d.parquet", "sub/e.conllu")):
        tagpool.write_corpus(corpus[number * 7 : number * 7 + 20], tmp_path / "in" / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def recorded(name: str) -> list[str]:
    lines = map(json.loads, (Path(name) / MANIFEST).read_text().splitlines())
    return sorted(line["file"] for line in lines if "file" in line)


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_a_folder_has_the_labels_of_its_files(data: Path, folder: Path, workers: int) -> None:
    model = data / "ner.tagpool"
    summary = json.loads(succeed("tag", model, "in", "-o", "out", "--workers", workers, "--json"))
    for name in outputs("in"):
        succeed("tag", model, f"in/{name}", "-o", "one" + Path(name).suffix)
        assert read_bytes("one" + Path(name).suffix) == read_bytes(f"out/{name}"), name
    assert outputs("out").keys() == outputs("in").keys()
    expected = [tagpool.read_corpus(path) for path in Path("in").rglob("*.*")]
    assert summary.pop("seconds") > 0
    assert summary == {
        "files": 5, "unchanged": 0, "labelled": 5, "sentences": 100, "tokens": sum(one.token_count for one in expected),
        "skipped": 0, "failures": {},
    }  # fmt: skip
    labelled = tagpool.read_corpus("out/sub/d.parquet")
    assert tagpool.load(model).predict(labelled) == labelled.labels


def test_no_worker_starts_without_work(data: Path, folder: Path) -> None:
    settings = Settings(str(data / "ner.tagpool"))
    batches = [[job] for job in find_jobs(["in"], Path("out"))]
    with patch.object(subprocess, "Popen", wraps=subprocess.Popen) as start:
        results = list(label_locally(settings, settings.create_labeller(), 20, batches))
    assert (start.call_count, len(results)) == (5, 5)


def test_patterns_and_several_inputs(data: Path, folder: Path) -> None:
    write(folder, "more.txt", "Ann lives in Oslo.\n")
    done = run("tag", data / "ner.tagpool", "in/*.conll*", "in/sub/*.jsonl.zst", "-o", "out")
    assert (done.returncode, done.stdout) == (0, "")
    assert "3 files labelled in" in done.stderr
    assert outputs("out").keys() == {"a.conll", "b.conll.gz", "c.jsonl.zst"}
    succeed("tag", data / "ner.tagpool", "more.txt", "in/a.conll", "-o", "text", "--format", "text")
    assert Path("text/more.txt").read_text().startswith("Ann ")


def test_a_second_run_labels_what_is_new_or_changed(data: Path, folder: Path) -> None:
    command = ("tag", data / "ner.tagpool", "in", "-o", "out")
    succeed(*command)
    before = outputs("out")
    done = run(*command)
    assert done.returncode == 0
    assert "0 files labelled in 0.0 s, 5 unchanged since an earlier run: out" in done.stderr
    write(folder / "in", "a.conll", "Ann X\n")
    write(folder / "in", "new.conll", "Bo X\n")
    Path("out/sub/c.jsonl.zst").unlink()
    summary = json.loads(succeed(*command, "--workers", 2, "--json"))
    assert (summary["labelled"], summary["unchanged"]) == (3, 3)
    after = outputs("out")
    assert after.keys() == {*before, "new.conll"}
    assert {name for name in before if after[name] != before[name]} == {"a.conll"}


def test_another_model_or_other_options(data: Path, folder: Path) -> None:
    command = ("tag", data / "ner.tagpool", "in", "-o", "out")
    succeed(*command)
    before = outputs("out")
    message = "out: the files in this folder were labelled with another probabilities; choose another output folder"
    assert message in fail(*command, "--probabilities")
    tagpool.load(data / "ner.tagpool").save("copy.tagpool")
    (folder / "in" / "sub" / "e.conllu").unlink()
    other = tagpool.CRF("word[0]").fit(tagpool.builtin_corpus(50))
    other.save("other.tagpool")
    assert "labelled with another model" in fail("tag", "other.tagpool", "in", "-o", "out")
    assert outputs("out") == before
    summary = json.loads(succeed("tag", "other.tagpool", "in", "-o", "out", "--restart", "--json"))
    assert (summary["labelled"], summary["unchanged"]) == (4, 0)
    assert outputs("out")["a.conll"] != before["a.conll"]


def test_a_damaged_file_among_good_ones(data: Path, folder: Path) -> None:
    damaged = write(folder / "in", "bad.parquet", (folder / "in" / "sub" / "d.parquet").read_bytes()[:-7])
    for workers in (1, 2):
        command = ("tag", data / "ner.tagpool", "in", "-o", f"out{workers}", "--workers", workers)
        message = fail(*command)
        assert "error: in/bad.parquet: expected a Parquet file, got something else or a damaged file" in message
        assert "correct the file and run again, or skip it with --keep-going" in message
        message = fail_and_report(*command, "--keep-going", "--json")
        assert "in/bad.parquet: expected a Parquet file" in message["stderr"]
        assert f"out{workers}: skipped 1 file of 6" in message["stderr"]
        assert list(json.loads(message["stdout"])["failures"]) == ["in/bad.parquet"]
        assert outputs(f"out{workers}").keys() == outputs("in").keys() - {"bad.parquet"}
    damaged.write_bytes((folder / "in" / "sub" / "d.parquet").read_bytes())
    summary = json.loads(succeed("tag", data / "ner.tagpool", "in", "-o", "out1", "--json"))
    assert (summary["labelled"], summary["unchanged"]) == (1, 5)


def fail_and_report(*arguments: object) -> dict[str, str]:
    done = run(*arguments)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    return {"stdout": done.stdout, "stderr": done.stderr}


def test_bad_records_and_files_without_sentences(data: Path, folder: Path) -> None:
    write(folder / "in", "records.jsonl", '{"tokens": ["Ann"]}\n{"tokens": 3}\n')
    write(folder / "in", "empty.conll", "")
    command = ("tag", data / "ner.tagpool", "in", "-o", "out")
    assert "labelled so far:" in fail(*command)
    message = fail_and_report(*command, "--keep-going")["stderr"]
    assert 'in/records.jsonl:2: "tokens": expected a list of non-empty strings' in message
    assert "in/empty.conll: expected sentences; the input is empty" in message
    assert "out: skipped 1 file of 7, skipped 1 bad record" in message
    assert json.loads(Path("out/records.jsonl").read_text().splitlines()[1])["line"] == 2
    assert "skipped 1 bad record" in fail_and_report(*command, "--keep-going")["stderr"]  # a second run says so, too


def test_schemas_without_tokens(data: Path, folder: Path) -> None:
    tagpool.write_corpus(tagpool.Corpus.from_lists(word=[["Ann"]]), "x.parquet")
    frame = pl.read_parquet("x.parquet").rename({"tokens": "text"})
    for name in ("x.parquet", "in/y.parquet"):
        frame.write_parquet(name)
    message = fail("tag", data / "ner.tagpool", "in/y.parquet", "-o", "z.parquet")
    assert "in/y.parquet: no column of tokens; the columns are text (list<large_utf8>); name it with" in message
    assert "(--columns text=word)" in message
    succeed("tag", data / "ner.tagpool", "x.parquet", "-o", "z.parquet", "--columns", "text=word")
    assert pl.read_parquet("z.parquet").columns == ["text", "labels"]
    assert "in/y.parquet: no column of tokens" in fail("tag", data / "ner.tagpool", "in", "-o", "out")


def test_outputs_that_exist(data: Path, folder: Path) -> None:
    (folder / "out").mkdir()
    write(folder / "out", "a.conll", "mine\n")
    message = fail("tag", data / "ner.tagpool", "in", "-o", "out", code=1)
    assert "out/a.conll: the file exists, and no earlier run wrote it; choose another output folder" in message
    assert Path("out/a.conll").read_text() == "mine\n"
    assert outputs("out").keys() == {"a.conll"}
    model = (folder / "out" / "a.conll").write_bytes((data / "ner.tagpool").read_bytes())
    assert model
    assert "this is an input file" in fail("tag", "out/a.conll", "in", "-o", "out")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["in"], "in: several files: name a folder for the labelled files with --output FOLDER"),
        (["in", "-o", "in"], "--output in: this is the input folder"),
        (["in", "-o", "in/out"], "--output in/out: this is inside the input folder"),
        (["in", "in/sub/c.jsonl.zst", "sub", "-o", "out"], "in/a.conll and sub/a.conll would both be written to out/a.conll"),
        (["in", "-o", "out", "--workers", "0"], "--workers 0: expected a whole number from 1"),
        (["in", "-o", "out", "--engine", "slurm"], "--engine slurm: expected local or ray"),
        (["in", "-o", "out", "--address", "auto"], "--address: add --engine ray"),
        (["in/a.conll", "--workers", "2"], "in/a.conll: --workers is for folders, patterns and several files; drop it"),
        (["in/a.conll", "--json"], "--json is for folders"),
        (["-", "in/a.conll", "-o", "out"], "standard input is no file of a folder"),
        (["in", "-o", "out", "--scheme", "bilou"], "would never be valid"),
        (["in", "-o", "out", "--truecase"], "--truecase: the model stores no capitals"),
    ],
)  # fmt: skip
def test_bad_arguments(data: Path, folder: Path, arguments: list[str], message: str) -> None:
    (folder / "sub").mkdir()
    write(folder / "sub", "a.conll", "x\n")
    assert message in fail("tag", data / "ner.tagpool", *arguments)
    assert not Path("out").exists()


# Interruptions -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def many(data: Path, folder: Path) -> Path:
    """The folder ``many`` with files that take a while."""
    text = (data / "test.conll").read_text() * 12
    (folder / "many").mkdir()
    for number in range(60):
        write(folder / "many", f"{number}.conll", text)
    return folder


def start(data: Path, *options: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tagpool", "tag", data / "ner.tagpool", "many", "-o", "out", *options]
    process = subprocess.Popen([*map(str, command)], stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 120
    while time.monotonic() < end and not (Path("out", MANIFEST).exists() and len(recorded("out")) >= 2):
        time.sleep(0.01)
    return process


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True, check=False)
    return [int(number) for number in listed.stdout.split()]


def expect_complete_files() -> int:
    """Check that all files of the output are complete; return their number."""
    size = Path("many/0.conll").read_text().count("\n")
    labelled = outputs("out")
    assert all(text.decode().count("\n") == size for text in labelled.values())
    assert not [name for name in labelled if Path(name).name.startswith(".")]
    return len(labelled)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_an_interrupted_run_continues(data: Path, many: Path, workers: int, number: signal.Signals) -> None:
    process = start(data, "--workers", workers)
    children = workers_of(process)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    done = len(recorded("out"))
    assert f"interrupted; labelled so far: {done} of 60 files; run the same command again to continue" in errors
    assert 2 <= done <= expect_complete_files() < 60
    assert not [child for child in children if is_running(child)]
    summary = json.loads(succeed("tag", data / "ner.tagpool", "many", "-o", "out", "--json", "--workers", workers))
    assert (summary["unchanged"], summary["labelled"]) == (done, 60 - done)
    assert expect_complete_files() == 60


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_worker_that_is_killed(data: Path, many: Path) -> None:
    process = start(data, "--workers", 2)
    os.kill(workers_of(process)[0], signal.SIGKILL)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "error: a worker process was ended by signal 9 (SIGKILL); the machine may lack memory: use fewer --workers" in errors
    succeed("tag", data / "ner.tagpool", "many", "-o", "out")
    assert expect_complete_files() == 60


def test_workers_end_with_a_main_process_that_is_killed(data: Path, many: Path) -> None:
    process = start(data, "--workers", 2)
    children = workers_of(process)
    assert len(children) == 2
    process.kill()
    process.communicate()
    end = time.monotonic() + 60
    while any(map(is_running, children)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(map(is_running, children))
    succeed("tag", data / "ner.tagpool", "many", "-o", "out", "--workers", 2)
    assert expect_complete_files() == 60


def test_two_runs_do_not_write_to_one_folder(data: Path, many: Path) -> None:
    process = start(data)
    assert "out: another run is writing to this folder" in fail("tag", data / "ner.tagpool", "many", "-o", "out", code=1)
    process.kill()
    process.communicate()


@pytest.mark.parametrize("workers", [1, 2])
def test_files_that_vanish_or_grow(data: Path, many: Path, workers: int) -> None:
    # The largest files come first; these small ones are the last.
    for name in ("vanishing.conll", "growing.conll"):
        write(many / "many", name, "Ann X\n")
    process = start(data, "--workers", workers, "--keep-going")
    (many / "many" / "vanishing.conll").unlink()
    with (many / "many" / "growing.conll").open("a") as file:
        file.write("left X\n")
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "error: many/vanishing.conll: there is no such file" in errors
    assert "error: many/growing.conll: the file changed while the folder was labelled; run again when it is complete" in errors
    assert "out: skipped 2 files of 62" in errors
    assert expect_complete_files() == 60
    succeed("tag", data / "ner.tagpool", "many", "-o", "out")
    assert Path("out/growing.conll").read_text().count("\n") == 2


@pytest.mark.parametrize("workers", [1, 2])
def test_a_full_disk(data: Path, folder: Path, workers: int) -> None:
    (folder / "large").mkdir()
    write(folder / "large", "a.conll", (data / "test.conll").read_text() * 100)
    write(folder / "large", "b.conll", "Ann X\n")
    command = (
        f"ulimit -f 100; exec {sys.executable} -m tagpool tag {data}/ner.tagpool large -o out --keep-going --workers {workers}"
    )
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "error: out/large/a.conll: writing failed: File too large".replace("large/", "") in done.stderr
    assert "run the same command again to continue" in done.stderr
    assert outputs("out").keys() <= {"b.conll"}
    succeed("tag", data / "ner.tagpool", "large", "-o", "out")
    assert outputs("out").keys() == {"a.conll", "b.conll"}


def test_compressed_outputs(data: Path, folder: Path) -> None:
    succeed("tag", data / "ner.tagpool", "in", "-o", "out")
    assert gzip.decompress(Path("out/b.conll.gz").read_bytes()).count(b"\n") > 20
