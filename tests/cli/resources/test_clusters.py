"""``tagpool resources clusters``: files of clusters that templates read, progress, and invalid input."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from cli.commands import fail, run, succeed, write

from tagpool import Clusters, builtin_corpus

TEXT = "\n".join(" ".join(words) for words in builtin_corpus(200).words) + "\n"


def test_what_is_written_is_what_python_finds(tmp_path: Path) -> None:
    plain, packed = write(tmp_path, "a.txt", TEXT), write(tmp_path, "a.gz", gzip.compress(TEXT.encode()))
    reported = json.loads(succeed("resources", "clusters", plain, "--k", 20, "--min-count", 2, "-o", tmp_path / "out", "--json"))
    result = Clusters.brown(plain, k=20, min_count=2)
    assert reported.pop("seconds") >= 0
    assert reported == {
        "output": str(tmp_path / "out"),
        "tokens": sum(result.counts.values()),
        "words": len(result),
        "clusters": 20,
    }
    rows = [line.split("\t") for line in (tmp_path / "out").read_text().splitlines()]
    assert [tuple(row) for row in rows] == [(result.get(word), word, str(count)) for word, count in result.counts.items()]
    assert succeed("resources", "clusters", "-", "--k", 20, "--min-count", 2, stdin=TEXT) == (tmp_path / "out").read_text()
    succeed("resources", "clusters", packed, "--k", 20, "--min-count", 2, "-o", tmp_path / "out.gz")
    assert gzip.decompress((tmp_path / "out.gz").read_bytes()) == (tmp_path / "out").read_bytes()
    twice = succeed("resources", "clusters", plain, packed, "--k", 20, "--simplify", "--lower")
    assert sum(int(line.split("\t")[2]) for line in twice.splitlines()) == 2 * len(TEXT.split())


def test_templates_use_them(data: Path, tmp_path: Path) -> None:
    succeed("resources", "clusters", write(tmp_path, "text", TEXT), "--k", 30, "-o", tmp_path / "brown.txt")
    assert len(Clusters.read(tmp_path / "brown.txt")) > 100
    model = tmp_path / "m"
    options = [
        "--features",
        "cluster(brown, 2, 4, 8)[-1..1]",
        "--set",
        f"features.use.brown={tmp_path / 'brown.txt'}",
        "--set",
        "learner.trainer.epochs=2",
    ]
    succeed("train", "--train", data / "train.conll", *options, "--model", model)
    names = json.loads(succeed("inspect", model, "--top", 3, "--json"))
    assert "cluster(brown, 4)" in json.dumps(names)


def test_what_cannot_be_clustered(tmp_path: Path) -> None:
    text = write(tmp_path, "text", "a b\n")
    assert "no-such.txt: there is no such file" in fail("resources", "clusters", tmp_path / "no-such.txt")
    assert "expected sentences, got none" in fail("resources", "clusters", write(tmp_path, "empty", " \n\n"))
    assert "bad:2: expected UTF-8" in fail("resources", "clusters", write(tmp_path, "bad", b"a\n\xff\n"))
    assert "nul:1: expected text, got a NUL byte" in fail("resources", "clusters", write(tmp_path, "nul", b"a\0b\n"))
    assert "gzip data is damaged" in fail("resources", "clusters", write(tmp_path, "cut.gz", gzip.compress(b"a b\n" * 999)[:-9]))
    assert "k=0: expected a whole number from 1" in fail("resources", "clusters", text, "--k", 0)
    assert "no word occurs 9 times" in fail("resources", "clusters", text, "--min-count", 9)
    assert "name a file for the result with --output" in fail("resources", "clusters", text, "--json")
    assert "there is no folder" in fail("resources", "clusters", text, "-o", tmp_path / "no" / "out", code=1)
    assert "Examples:\n" in succeed("resources", "clusters", "--help")


def test_progress_is_for_terminals(tmp_path: Path) -> None:
    done = run("resources", "clusters", write(tmp_path, "text", TEXT), "--k", 20, "-o", tmp_path / "out")
    assert done.stdout == ""
    first, last = done.stderr.splitlines()
    assert first == "merging words into 20 clusters"
    assert "words in 20 clusters" in last


def test_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    # Rare words beside other ones: joining them takes minutes, reading them less than a second.
    text = write(tmp_path, "text", "\n".join(f"w{i * 7919 % 60_013} w{i}" for i in range(60_000)))
    command = [sys.executable, "-m", "tagpool", "resources", "clusters", str(text), "--k", "2000", "-o", str(tmp_path / "out")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ))
    try:
        assert process.stderr is not None
        assert process.stderr.readline() == "merging words into 2,000 clusters\n"
        process.send_signal(signal.SIGINT)
        _, message = process.communicate()
    finally:
        process.kill()
    assert process.returncode == 130
    assert message.endswith("interrupted; nothing was written\n")
    assert "Traceback" not in message
    assert sorted(path.name for path in tmp_path.iterdir()) == ["text"]


def test_a_model_can_refer_to_its_clusters(data: Path, tmp_path: Path) -> None:
    succeed("resources", "clusters", write(tmp_path, "text", TEXT), "--k", 30, "-o", tmp_path / "brown.txt")
    options = [
        "--features",
        "word[0]\ncluster(brown, 2, 4)[0]",
        "--set",
        f"features.use.brown={tmp_path / 'brown.txt'}",
        "--set",
        "learner.trainer.epochs=1",
    ]
    common = ["train", "--train", data / "train.conll", *options, "--model", tmp_path / "m"]
    assert "output.resources = 'maybe': expected true or false" in fail(*common, "--set", "output.resources=maybe")
    succeed(*common, "--set", "output.resources=false")
    (tmp_path / "brown.txt").rename(tmp_path / "elsewhere.txt")
    tag = ["tag", tmp_path / "m", data / "test.conll"]
    assert "the model needs the cluster 'brown'" in fail(*tag)
    tagged = succeed(*tag, "--use", f"brown={tmp_path / 'elsewhere.txt'}")
    (tmp_path / "elsewhere.txt").rename(tmp_path / "brown.txt")
    succeed(*common, "--set", "output.resources=true")
    (tmp_path / "brown.txt").unlink()
    assert succeed("tag", tmp_path / "m", data / "test.conll") == tagged
