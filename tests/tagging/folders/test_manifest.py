"""Manifest: a second run skips what is complete, and knows what an interrupted run may have written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tagpool import InputError, OutputError
from tagpool.tagging.folders.jobs import Job
from tagpool.tagging.folders.manifest import MANIFEST, Manifest
from tagpool.tagging.folders.worker import Failure, FileResult

FACTS = {"model": "abc", "nbest": 0}


def job(folder: Path, name: str, size: int = 3) -> Job:
    return Job(name, f"in/{name}", str(folder / name), size, 7)


def label(manifest: Manifest, *jobs: Job) -> None:
    manifest.announce(jobs)
    for one in jobs:
        Path(one.target).write_text(one.name)
    manifest.record([FileResult(one, 1, 2) for one in jobs])


def test_complete_files_are_skipped(tmp_path: Path) -> None:
    jobs = [job(tmp_path, name) for name in ("a", "b", "ü\n")]
    with Manifest(tmp_path, FACTS) as manifest:
        label(manifest, *jobs)
    with Manifest(tmp_path, FACTS) as manifest:
        assert manifest.split(jobs) == ([], jobs)
        changed = jobs[0]._replace(size=4)
        assert manifest.split([changed, jobs[1]]) == ([changed], [jobs[1]])
        Path(jobs[1].target).unlink()
        assert manifest.split(jobs) == ([jobs[1]], [jobs[0], jobs[2]])


def test_files_that_failed_are_not_complete(tmp_path: Path) -> None:
    one = job(tmp_path, "a")
    with Manifest(tmp_path, FACTS) as manifest:
        manifest.announce([one])
        manifest.record([FileResult(one, failure=Failure.INPUT, error="bad")])
        assert manifest.split([one]) == ([one], [])


def test_another_model_or_other_options(tmp_path: Path) -> None:
    with Manifest(tmp_path, FACTS) as manifest:
        label(manifest, job(tmp_path, "a"))
    message = "labelled with another model and nbest; choose another output folder, or label all again with --restart"
    with pytest.raises(InputError, match=message):
        Manifest(tmp_path, {"model": "x", "nbest": 1})
    with Manifest(tmp_path, {"model": "x", "nbest": 1}, restart=True) as manifest:
        assert manifest.split([job(tmp_path, "a")])[1] == []
        manifest.check_outputs([job(tmp_path, "a")])  # of the earlier run: may be replaced
    with Manifest(tmp_path, {"model": "x", "nbest": 1}) as manifest:
        manifest.check_outputs([job(tmp_path, "a")])


def test_outputs_of_an_interrupted_run_and_of_others(tmp_path: Path) -> None:
    begun, other = job(tmp_path, "a[1]"), job(tmp_path, "b")
    with Manifest(tmp_path, FACTS) as manifest:
        manifest.announce([begun])
    unfinished = tmp_path / f".a[1].{'0f' * 8}"
    unrelated = tmp_path / ".a[1].notes"
    for path in (tmp_path / "a[1]", tmp_path / "b", unfinished, unrelated):
        path.write_text("x")
    with Manifest(tmp_path, FACTS) as manifest:
        manifest.check_outputs([begun])
        manifest.remove_unfinished()
        assert not unfinished.exists()
        assert unrelated.exists()
        with pytest.raises(OutputError, match=r"b: the file exists, and no earlier run wrote it; choose another output folder"):
            manifest.check_outputs([begun, other])


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_last_line_that_is_cut_off(tmp_path: Path, cut: int) -> None:
    jobs = [job(tmp_path, name) for name in "ab"]
    with Manifest(tmp_path, FACTS) as manifest:
        label(manifest, jobs[0])
        label(manifest, jobs[1])
    path = tmp_path / MANIFEST
    path.write_bytes(path.read_bytes()[:-cut])
    with Manifest(tmp_path, FACTS) as manifest:
        assert manifest.split(jobs) == ([jobs[1]], [jobs[0]])
        label(manifest, jobs[1])
    with Manifest(tmp_path, FACTS) as manifest:
        assert manifest.split(jobs) == ([], jobs)
    assert all(json.loads(line) for line in path.read_text().splitlines())


@pytest.mark.parametrize("text", ["x\n", "[]\n", "{}\n", '{"manifest": 1}\n', '{"manifest": 2, "facts": {}}\n'])
def test_a_damaged_manifest(tmp_path: Path, text: str) -> None:
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(InputError, match=f"{MANIFEST}:1: the manifest is damaged; label all files again with --restart"):
        Manifest(tmp_path, FACTS)
    with Manifest(tmp_path, FACTS, restart=True):
        pass
    with Manifest(tmp_path, FACTS):
        pass


def test_a_file_in_place_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    with Manifest(tmp_path, FACTS) as manifest, pytest.raises(OutputError, match=r"/a: a folder is needed here; choose another"):
        manifest.check_outputs([job(tmp_path, "a/b/c")])


def test_one_run_at_a_time(tmp_path: Path) -> None:
    with Manifest(tmp_path, FACTS), pytest.raises(OutputError, match=rf"^{tmp_path}: another run is writing to this folder"):
        Manifest(tmp_path, FACTS)
    with Manifest(tmp_path, FACTS):
        pass


def test_a_folder_that_is_not_writable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="writing failed"):
        Manifest(tmp_path / "file" / "out", FACTS)
