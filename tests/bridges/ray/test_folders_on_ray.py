"""``tag --engine ray``: the files are those of local workers, also if an actor is killed. ``make scale`` runs this."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli.commands import outputs, run_process

import tagpool
from tagpool import CRF, builtin_corpus
from tagpool.tagging.folders.manifest import MANIFEST

pytestmark = pytest.mark.skipif("TAGPOOL_SCALE" not in os.environ, reason="make scale runs this")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    CRF("ner").fit(builtin_corpus(100)).save("ner.tagpool")
    corpus = builtin_corpus(400, part="test")
    for number in range(40):
        path = tmp_path / "in" / f"{number % 3}" / f"{number}.{('conll', 'jsonl.gz', 'parquet')[number % 3]}"
        path.parent.mkdir(parents=True, exist_ok=True)
        tagpool.write_corpus(corpus[number * 10 : number * 10 + 10], path)
    return tmp_path


def test_files_are_those_of_local_workers(folder: Path) -> None:
    (folder / "in" / "bad.parquet").write_bytes(b"PAR1")
    common = ("tag", "ner.tagpool", "in", "--keep-going", "--json", "-o")
    local = run_process(*common, "local")
    on_ray = run_process(*common, "ray", "--engine", "ray", "--workers", 2)
    assert on_ray.returncode == local.returncode == 1
    assert "in/bad.parquet: expected a Parquet file" in on_ray.stderr
    counts = [{**json.loads(done.stdout), "seconds": 0} for done in (local, on_ray)]
    assert counts[0] == counts[1]
    assert counts[0]["labelled"] == 40
    assert outputs("ray") == outputs("local")
    again = run_process(*common, "ray", "--engine", "ray", "--workers", 2)
    assert json.loads(again.stdout)["unchanged"] == 40


def test_errors(folder: Path) -> None:
    (folder / "in" / "bad.parquet").write_bytes(b"PAR1" * 100_000)  # the largest file, and so the first
    done = run_process("tag", "ner.tagpool", "in", "-o", "out", "--engine", "ray")
    assert done.returncode == 2
    assert "error: in/bad.parquet: expected a Parquet file" in done.stderr
    assert "skip it with --keep-going" in done.stderr
    assert "bad.parquet" not in outputs("out")


def actors_of(session: int) -> list[int]:
    """Return the processes of actors in a session of processes."""
    processes = []
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and os.getsid(int(process.name)) == session:
                name = (process / "cmdline").read_bytes()
                if b"ray::FileActor.label" in name:
                    processes.append(int(process.name))
        except (OSError, ProcessLookupError):
            continue
    return processes


def test_an_actor_that_is_killed(folder: Path) -> None:
    corpus = builtin_corpus(3000, part="test")
    for number in range(60):
        tagpool.write_corpus(corpus, folder / "in" / f"large{number}.jsonl")
    command = [sys.executable, "-m", "tagpool", "tag", "ner.tagpool", "in", "-o", "ray", "--engine", "ray", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    killed, end = 0, time.monotonic() + 120
    while killed < 2 and process.poll() is None and time.monotonic() < end:
        for actor in actors_of(process.pid)[:1]:
            os.kill(actor, signal.SIGKILL)
            killed += 1
            time.sleep(1)
        time.sleep(0.02)
    stdout, stderr = process.communicate(timeout=300)
    assert killed >= 1, "no actor was labelling"
    assert process.returncode == 0, stderr
    assert json.loads(stdout)["labelled"] == 100
    assert run_process("tag", "ner.tagpool", "in", "-o", "local").returncode == 0
    assert outputs("ray") == outputs("local")


def test_an_interrupted_run_continues(folder: Path) -> None:
    corpus = builtin_corpus(3000, part="test")
    for number in range(60):
        tagpool.write_corpus(corpus, folder / "in" / f"large{number}.jsonl")
    command = [sys.executable, "-m", "tagpool", "tag", "ner.tagpool", "in", "-o", "ray", "--engine", "ray"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    manifest, end = folder / "ray" / MANIFEST, time.monotonic() + 120
    while process.poll() is None and time.monotonic() < end:
        if manifest.exists() and manifest.read_text().count('"file"') >= 2:
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    _, stderr = process.communicate(timeout=120)
    assert process.returncode == 128 + signal.SIGTERM, stderr
    assert "interrupted; labelled so far:" in stderr
    done = run_process("tag", "ner.tagpool", "in", "-o", "ray", "--json")
    summary = json.loads(done.stdout)
    assert summary["unchanged"] >= 2
    assert summary["unchanged"] + summary["labelled"] == 100
    assert not [name for name in outputs("ray") if Path(name).name.startswith(".")]
