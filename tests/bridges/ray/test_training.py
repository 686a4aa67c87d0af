"""Training on Ray: the same bytes for any number of workers, also if some are killed."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

import tagpool
from tagpool import CRF, BaggingPool, InputError, MaxEnt, TrainingError, builtin_corpus, tune
from tagpool.bridges.ray import Ray
from tagpool.bridges.ray.session import Session, WorkerError
from tagpool.bridges.ray.sharing import pack, unpack
from tagpool.bridges.ray.workers import RayWorkers
from tagpool.errors import OutputError
from tagpool.experts.fit_task import FitTask, run_fit
from tagpool.optim.lbfgs import LBFGS, OWLQN

WORDS = "word[-1..1]\nsuffix(word, 1..3)[0]"
EXACT = LBFGS(warm_up=0, iterations=15)
PLAIN = builtin_corpus(300)
DEV = builtin_corpus(80, part="dev")
LEARNERS: dict[str, Any] = {
    "crf, l2": lambda: CRF(WORDS, trainer=EXACT),
    "crf, l1": lambda: CRF(WORDS, trainer=OWLQN(iterations=15), l1=0.5, l2=0.1),
    "maxent": lambda: MaxEnt(WORDS, trainer=EXACT),
}


@pytest.fixture(autouse=True)
def send_functions(session: Session) -> None:
    """Send the functions of this file as code: workers cannot import it."""
    session.ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])


def content(tagger: Any, folder: Path) -> bytes:
    tagger.save(folder / "model")
    return (folder / "model").read_bytes()


@pytest.mark.parametrize("workers", [2, pytest.param(1, marks=pytest.mark.long), pytest.param(4, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", LEARNERS)
def test_the_number_of_workers_does_not_matter(session: Session, name: str, workers: int, tmp_path: Path) -> None:
    model = LEARNERS[name]().fit(PLAIN, dev=DEV, engine=Ray(workers=workers))
    assert content(model, tmp_path) == content(LEARNERS[name]().fit(PLAIN, dev=DEV), tmp_path)


class Killer:
    """Kills a worker of a training after some of its epochs."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, session: Session, at: dict[int, int]) -> None:
        self.at, self.killed = at, []
        self.session = session
        create = RayWorkers.__init__

        def spy(workers: RayWorkers, *arguments: Any) -> None:
            self.workers = workers
            create(workers, *arguments)

        monkeypatch.setattr(RayWorkers, "__init__", spy)

    def __call__(self, epoch: tagpool.Epoch) -> None:
        if epoch.number in self.at:
            actor = self.workers._actors[self.at[epoch.number]]
            process = self.session.ray.get(actor.__ray_call__.remote(lambda _: os.getpid()))
            os.kill(process, signal.SIGKILL)
            self.killed.append(process)


def test_a_worker_that_is_killed_twice(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    killer = Killer(monkeypatch, session, {4: 1, 9: 1, 10: 0})
    model = CRF(WORDS, trainer=EXACT).fit(PLAIN, on_epoch=killer, engine=Ray(workers=2))
    assert len(set(killer.killed)) == 3
    assert content(model, tmp_path) == content(CRF(WORDS, trainer=EXACT).fit(PLAIN), tmp_path)


class Fragile:
    """An object whose process dies in some calls."""

    def __init__(self, marks: str) -> None:
        self.marks = Path(marks)

    def die(self, times: int) -> int:
        with self.marks.open("a") as file:
            file.write("x")
        if self.marks.stat().st_size <= times:
            os.kill(os.getpid(), signal.SIGKILL)
        return self.marks.stat().st_size


def test_deaths_during_calls(session: Session, tmp_path: Path) -> None:
    workers = session.workers(Fragile, [(str(tmp_path / "marks"),)])
    assert workers.call_one(0, "die", (3,)) == 4
    with pytest.raises(WorkerError, match=r"Ray failed: .*; try again, or run without --engine ray"):
        workers.call_one(0, "die", (1000,))
    workers.close()


def die_once(marks: str) -> int:
    return Fragile(marks).die(1)


def test_a_killed_task_is_run_again(session: Session, tmp_path: Path) -> None:
    assert list(session.iterate(die_once, [str(tmp_path / "a"), str(tmp_path / "b")])) == [2, 2]


def fail(kind: str) -> None:
    raise {
        "input": InputError("wrong", source="x.conll", line=3),
        "training": TrainingError("not finite"),
        "disk": OSError(28, "No space left on device"),
        "bug": KeyError("k"),
    }[kind]


@pytest.mark.parametrize(
    ("kind", "error", "message"),
    [
        ("input", InputError, "^x.conll:3: wrong$"),
        ("training", TrainingError, "^not finite$"),
        ("disk", OutputError, "No space left on device; free space on its disk"),
        ("bug", WorkerError, "a task failed: KeyError: 'k'"),
    ],
)
def test_errors_of_tasks(session: Session, kind: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        list(session.iterate(fail, [kind]))


def test_full_disks_and_memory(session: Session) -> None:
    exceptions = session.ray.exceptions
    for kind in (exceptions.OutOfDiskError, exceptions.ObjectStoreFullError):
        with pytest.raises(OutputError, match="the disk or the object store of a machine of Ray is full"), session.explaining():
            raise kind("no space")
    with pytest.raises(MemoryError, match="use fewer --workers"), session.explaining():
        raise exceptions.OutOfMemoryError("killed")


def test_corpora_are_sent_once(session: Session) -> None:
    blocks, shared = pack([(1, PLAIN), (2, PLAIN), (3, DEV)])
    assert len(shared) == 2
    assert max(map(len, blocks)) < 1000
    assert [unpack(block, shared.__getitem__) for block in blocks] == [(1, PLAIN), (2, PLAIN), (3, DEV)]


def no_folder(_: int) -> str:
    tempfile.tempdir = "/proc/nowhere"  # nothing can be written there
    try:
        run_fit(FitTask(CRF("word[0]"), {"sentences": PLAIN}, {}))
    finally:
        tempfile.tempdir = None
    return "trained"


def test_a_worker_without_disk_space(session: Session) -> None:
    with pytest.raises(OutputError, match=r"/proc/nowhere: .*; free space on this disk"):
        list(session.iterate(no_folder, [1]))


def test_members_and_trials(session: Session, tmp_path: Path) -> None:
    def pool() -> BaggingPool:
        return BaggingPool(CRF("word[-1..1]\n[shapes]\nshape(word)[-1..1]\n[endings]\nsuffix(word, 1..3)[0]"), weights="kfold")

    assert content(pool().fit(PLAIN, engine=Ray(workers=2)), tmp_path) == content(pool().fit(PLAIN), tmp_path)
    results = []
    for workers in (1, 2):
        with Ray(workers=workers).start():
            results.append(tune(CRF("word[-1..1]"), PLAIN.select(range(100)), DEV, trials=6))
    one, two = results
    assert [(trial.values, trial.score, trial.state) for trial in one.trials] == [
        (trial.values, trial.score, trial.state) for trial in two.trials
    ]
    assert len({str(trial.values) for trial in one.trials}) == 6


def test_missing_cpus_are_an_error(session: Session) -> None:
    total = session.ray.cluster_resources()["CPU"]
    engine = Ray(workers=2, cpus=total, timeout=1.5)
    with pytest.raises(
        InputError,
        match=rf"Ray: 1 of 2 workers found no place in 1.5 s: each reserves {total:g} CPUs, and 0 of {total:g} are free",
    ):
        CRF(WORDS, trainer=EXACT).fit(PLAIN, engine=engine)


def test_another_version_on_the_cluster(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    version = tagpool.__version__
    monkeypatch.setattr(tagpool, "__version__", "0.0.1")
    with pytest.raises(InputError, match=f": the machine has tagpool {version}, and this one 0.0.1; pip install"), Ray().start():
        pass


def test_no_workers_remain(session: Session) -> None:
    def free() -> float:
        return float(session.ray.available_resources().get("CPU", 0))

    everything = session.ray.cluster_resources()["CPU"]
    CRF(WORDS, trainer=EXACT).fit(PLAIN.select(range(50)), engine=Ray(workers=2))
    with pytest.raises(InputError, match="at least two different labels"):
        CRF(WORDS, trainer=EXACT).fit([["a", "b"]], [["O", "O"]], engine=Ray(workers=2))
    end = time.monotonic() + 20
    while free() < everything and time.monotonic() < end:
        time.sleep(0.1)
    assert free() == everything
