"""Jobs of folders and patterns: relative paths, collisions, and batches."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagpool import InputError, OutputError
from tagpool.tagging.folders.jobs import Job, divide, find_jobs


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in (
        "in/b.conll",
        "in/a.conll",
        "in/sub/a.conll",
        "in/sub/deep/c.jsonl",
        "in/.hidden/d.conll",
        "in/.e.conll",
        "other/a.conll",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(*inputs: str) -> list[str]:
    return [job.name for job in find_jobs(inputs, Path("out"))]


def test_relative_paths(folder: Path) -> None:
    assert names("in") == names("in/") == names(str(folder / "in")) == ["a.conll", "b.conll", "sub/a.conll", "sub/deep/c.jsonl"]
    assert names("in/*.conll") == ["a.conll", "b.conll"]
    assert names("in/**/*.conll") == ["a.conll", "b.conll", "sub/a.conll"]
    assert names("in/*/a.conll") == ["sub/a.conll"]
    assert names("in/b.conll", "other/a.conll") == ["a.conll", "b.conll"]
    assert names("in/a.conll", "in", "./in/a.conll") == names("in")
    job = find_jobs(["in/sub"], Path("out"))[0]
    assert (job.source, job.target, job.size) == ("in/sub/a.conll", "out/a.conll", 14)


def test_equal_names_in_different_folders(folder: Path) -> None:
    with pytest.raises(
        InputError, match=r"^in/a.conll and other/a.conll would both be written to out/a.conll; use an output folder for each$"
    ):
        names("in", "other")


@pytest.mark.parametrize(
    ("inputs", "output", "message"),
    [
        (["in"], "in", "--output in: this is the input folder; choose another folder"),
        (["in"], "in/out", "--output in/out: this is inside the input folder in, .*; choose a folder outside"),
        (["in"], "in/sub/../new/out", "this is inside the input folder"),
        (["in/*.conll"], "in", "in/a.conll would replace itself; choose another folder"),
        (["in", "in/a.conll"], "link", "this is the input folder"),
        (["empty"], "out", "empty: the folder has no files"),
        (["in/*.xml"], "out", "no file matches this pattern"),
        (["in/no.conll"], "out", "in/no.conll: there is no such file"),
        (["in", "-"], "out", "standard input is no file of a folder; label it alone"),
    ],
)  # fmt: skip
def test_bad_inputs_and_outputs(folder: Path, inputs: list[str], output: str, message: str) -> None:
    (folder / "link").symlink_to(folder / "in")
    (folder / "empty").mkdir()
    with pytest.raises(InputError, match=message):
        find_jobs(inputs, Path(output))


def test_an_output_that_is_a_file(folder: Path) -> None:
    with pytest.raises(OutputError, match=r"--output other/a.conll: expected a folder"):
        find_jobs(["in"], Path("other/a.conll"))


def test_a_file_that_changes(folder: Path) -> None:
    job = find_jobs(["in/a.conll"], Path("out"))[0]
    job.check_unchanged()
    path = Path(job.source)
    os.utime(path, ns=(time.time_ns(), job.modified + 1))
    with pytest.raises(InputError, match=r"in/a.conll: the file changed while the folder was labelled; run again"):
        job.check_unchanged()
    path.unlink()
    with pytest.raises(InputError, match=r"in/a.conll: there is no such file"):
        job.check_unchanged()


@given(st.lists(st.integers(0, 1 << 23), max_size=300), st.integers(1, 8))
def test_batches_have_every_job_once_and_similar_sizes(sizes: list[int], workers: int) -> None:
    jobs = [Job(str(number), "", "", size, 0) for number, size in enumerate(sizes)]
    batches = divide(jobs, workers)
    assert sorted(job for batch in batches for job in batch) == sorted(jobs)
    limit = min(1 << 22, sum(sizes) // (workers * 16) + 1)
    assert all(len(batch) == 1 or (sum(job.size for job in batch) <= limit and len(batch) <= 64) for batch in batches)
    assert [batch[0].size for batch in batches] == sorted((batch[0].size for batch in batches), reverse=True)
