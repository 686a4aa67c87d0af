"""Limits of the system on memory and threads: an error that says what was done, or fewer threads and one warning."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import tagpool

# A process limits its own address space to what it has and some more.
BEGIN = """
import resource, sys, tagpool, warnings

def limit(megabytes):
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, ((pages << 12) + (megabytes << 20), resource.RLIM_INFINITY))

def free():
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)

corpus, small = tagpool.builtin_corpus(400), tagpool.builtin_corpus(20)
crf = tagpool.CRF("word[0]").fit(small)
"""
MEMORY = """
many = tagpool.Corpus.from_lists(word=[["a"] * 1_000_000] * 3, label=[["O", "B-PER"] * 500_000] * 3)
words, before = [["w"] * 10_000_000], crf.predict(small)
path = sys.argv[1]
open(path + "/words", "w").write("word O\\n\\n" * 2_000_000)
lattice = tagpool.Lattice([[0.0] * 9] * 200, [[0.0] * 9] * 9)
from tagpool.compat import pycrfsuite
trainer = pycrfsuite.Trainer(verbose=False)
long = [["a", "b", "c"]] * 1_000_000
for work in (
    lambda: crf.fit(many), lambda: crf.partial_fit(many), lambda: crf.predict(many), lambda: crf.predict_proba(many),
    lambda: tagpool.Corpus.from_lists(word=words), lambda: tagpool.read_corpus(path + "/words"), lambda: lattice.best_n(10**7),
    lambda: tagpool.Encoder("word[-3..3]").fit(many), lambda: trainer.append(long, ["O"] * len(long)),
):
    limit(8)
    try:
        work()
    except MemoryError as error:
        print(type(error).__name__, error)
    finally:
        free()
    assert crf.predict(small) == before
trainer.append([["a"]], ["O"])
trainer.train(path + "/suite")  # a sequence that was not stored is not trained on
"""


def run(code: str, *arguments: object, before: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    command = [*before, sys.executable, "-c", BEGIN + code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
def test_a_memory_error_says_for_what_and_leaves_objects_unchanged(tmp_path: Path) -> None:
    done = run(MEMORY, tmp_path)
    assert done.stdout.splitlines() == [
        f"OutOfMemoryError not enough memory to {purpose}"
        for purpose in (
            "encode the corpus",
            "encode the corpus",
            "tag the sentences; pass fewer at a time",
            "score the sentences; pass fewer at a time",
            "build the corpus",
            f"read {tmp_path}/words",
            "compute n sequences; reduce n",
            "encode the corpus",
            "store the sequence",
        )
    ], done.stderr
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
@pytest.mark.parametrize(("megabytes", "purpose"), [(1, "start"), (70, "read")])
def test_the_command_line_reports_missing_memory_without_a_traceback(tmp_path: Path, megabytes: int, purpose: str) -> None:
    (tmp_path / "train.conll").write_text("word O\n\n" * 10_000_000)
    code = f"""
from tagpool.cli.entry import run
sys.argv = ["tagpool", "train", "--train", "{tmp_path}/train.conll", "--model", "{tmp_path}/model"]
limit({megabytes})
run()
"""
    done = run(code)
    assert (done.returncode, "Traceback" in done.stderr) == (1, False), done.stderr
    assert f"error: not enough memory to {purpose}" in done.stderr
    assert not (tmp_path / "model").exists()


# Each thread has a stack of 1 GB: none or a few start, then the system refuses.
THREADS = """
def train(threads, kind):
    if kind == "bagging":
        learner = tagpool.BaggingPool(tagpool.CRF("word[-1..1]"), bags=tagpool.RandomParts(9), threads=threads)
    else:
        learner = tagpool.CRF("word[-1..1]", trainer=kind, threads=threads)
    return learner.fit(corpus)

warnings.simplefilter("always")
for kind in ("sgd", "lbfgs", "bagging"):
    expected = train(1, kind).predict(corpus)
    limit(int(sys.argv[1]))
    learner = train(100_000, kind)
    labels = learner.predict(corpus)
    free()
    assert labels == expected
print("same")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
@pytest.mark.parametrize("megabytes", [900, 3500])
def test_fewer_threads_than_requested(megabytes: int) -> None:
    shell = ["sh", "-c", 'ulimit -s 1048576 && exec "$@"', "sh"]
    done = run(THREADS, megabytes, before=shell)
    assert (done.returncode, done.stdout) == (0, "same\n"), done.stderr
    assert done.stderr.count("UserWarning: threads: ") == 1, done.stderr


def test_many_threads_warn_once_on_the_command_line(tmp_path: Path) -> None:
    tagpool.write_corpus(tagpool.builtin_corpus(50), tmp_path / "train.conll")
    arguments = ["train", "--train", tmp_path / "train.conll", "--model", tmp_path / "model", "--threads", "100000"]
    done = subprocess.run([sys.executable, "-m", "tagpool", *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "warning: threads: 1024 are used, more could not be started; the result is the same\n" in done.stderr
    assert done.stderr.count("threads:") == 1
