"""Checkpoints: a training that was killed continues and gives the same bytes; other trainings and damaged files are errors."""

from __future__ import annotations

import contextlib
import random
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from injection import run_with_faults
from oracles.tampering import with_changed_array

import tagpool
from tagpool import (
    CRF,
    FOBOS,
    LBFGS,
    OWLQN,
    SGD,
    BaggingPool,
    Checkpoint,
    Corpus,
    ElitistPool,
    InducingTagger,
    InputError,
    MaxEnt,
    Perceptron,
    RandomParts,
    TwoStageTagger,
    _native,
    builtin_corpus,
)
from tagpool.experts.saving import SaveOptions
from tagpool.optim.watch import Watch

TEMPLATES = "word[-1..1]\nshape(word)[0]\nsuffix(word, 1..3)[0]"
BAGS = "word[0]\n[shapes]\nshape(word)[-1..1]\n[endings]\nsuffix(word, 1..3)[0]"
TRAIN, DEV = builtin_corpus(100), builtin_corpus(40, part="dev")
DOCUMENTS = Corpus.from_columns({"word": TRAIN.words, "label": TRAIN.labels}, documents=range(0, 100, 10))

LEARNERS: dict[str, Callable[[], Any]] = {
    "sgd": lambda: CRF(TEMPLATES, trainer=SGD(epochs=6), patience=None),
    "sgd that ends by itself": lambda: CRF(TEMPLATES, trainer=SGD(epochs=30)),
    "sgd, transition features": lambda: CRF(TEMPLATES + "\nlabel[-1] & word[0]", trainer=SGD(epochs=5), pairs="observed"),
    "sgd, dropout": lambda: CRF(TEMPLATES, trainer=SGD(epochs=6, dropout=0.3), threads=2),
    "sgd that diverges": lambda: CRF(TEMPLATES, trainer=SGD(epochs=5, step=1e4)),
    "sgd for tokens": lambda: MaxEnt(TEMPLATES, trainer=SGD(epochs=6)),
    "lbfgs": lambda: CRF(TEMPLATES, trainer=LBFGS(iterations=30)),
    "lbfgs for tokens": lambda: MaxEnt(TEMPLATES, trainer=LBFGS(iterations=25, warm_up=0, memory=3)),
    "owlqn": lambda: CRF(TEMPLATES, l1=0.5, trainer=OWLQN(iterations=30)),
    "fobos, elastic": lambda: CRF(TEMPLATES, l1=0.5, trainer=FOBOS(epochs=6)),
    "fobos, group": lambda: CRF(TEMPLATES, trainer=FOBOS(epochs=6, penalty="group")),
    "fobos, elitist": lambda: CRF(TEMPLATES, trainer=FOBOS(epochs=6, penalty="elitist")),
    "perceptron": lambda: CRF(TEMPLATES, trainer=Perceptron(epochs=8)),
    "inducing": lambda: InducingTagger(TEMPLATES + "\nlabel[-1]\nlabel[-2..-1]", epochs=8, dropout=0.2),
    "inducing without averages": lambda: InducingTagger(TEMPLATES, epochs=6, average_from=None, dual_averaging=False),
    "elitist": lambda: ElitistPool(TEMPLATES, experts=3, epochs=6),
    "elitist, learned": lambda: ElitistPool(TEMPLATES, experts=2, epochs=6, mu=0.3, weights="learned", threads=2),
    "bagging": lambda: BaggingPool(CRF(BAGS, trainer=SGD(epochs=4)), weights="kfold"),
    "bagging, threads": lambda: BaggingPool(CRF(BAGS, trainer=SGD(epochs=4)), weights="dev", threads=3),
    "bagging, auto": lambda: BaggingPool(CRF(TEMPLATES, trainer=SGD(epochs=3)), bags="auto"),
    "bagging, random parts": lambda: BaggingPool(CRF(TEMPLATES, trainer=SGD(epochs=4)), bags=RandomParts(2)),
    "two stages": lambda: TwoStageTagger(CRF(TEMPLATES, trainer=SGD(epochs=3)), folds=2),
    "two stages of pools": lambda: TwoStageTagger(BaggingPool(CRF(BAGS, trainer=SGD(epochs=3))), folds=2),
}


class KilledError(Exception):
    """Ends a training at once."""


def fit(learner: Any, dev: Corpus | None = DEV, **options: Any) -> bytes:
    train = DOCUMENTS if isinstance(learner, TwoStageTagger) else TRAIN
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a step that diverges
        learner.fit(train, dev=dev, **options)
    block: bytes = learner.to_bytes(SaveOptions())
    return block


@pytest.fixture
def kill_after(monkeypatch: pytest.MonkeyPatch) -> Callable[[int | None], None]:
    """Return a function that sets the number of further epochs before a training is killed."""
    epochs_left: int | None = None
    original = Watch.epoch

    def epoch(watch: Watch, *arguments: Any, **options: Any) -> bool:
        nonlocal epochs_left
        if epochs_left is not None:
            epochs_left -= 1
            if epochs_left <= 0:
                raise KilledError
        return original(watch, *arguments, **options)

    def set_epochs(count: int | None) -> None:
        nonlocal epochs_left
        epochs_left = count

    monkeypatch.setattr(Watch, "epoch", epoch)
    return set_epochs


def fit_with_kills(create: Callable[[], Any], folder: Path, kill_after: Any, **options: Any) -> tuple[bytes, int]:
    """Train with a checkpoint after every epoch; kill the training at random epochs, and continue."""
    generator = random.Random(1)
    kills = 0
    while True:
        kill_after(generator.randrange(2, 6))
        checkpoint = Checkpoint(folder, every=0)
        try:
            return fit(create(), checkpoint=checkpoint, **options), kills
        except KilledError:
            kills += 1
        finally:
            checkpoint.close()


@pytest.mark.parametrize("name", LEARNERS)
def test_a_killed_training_gives_the_same_bytes(name: str, tmp_path: Path, kill_after: Any) -> None:
    expected = fit(LEARNERS[name]())
    continued, kills = fit_with_kills(LEARNERS[name], tmp_path, kill_after)
    assert kills > 0
    assert continued == expected


@pytest.mark.parametrize("name", ["sgd", "lbfgs", "inducing"])
def test_a_killed_training_without_dev_gives_the_same_bytes(name: str, tmp_path: Path, kill_after: Any) -> None:
    expected = fit(LEARNERS[name](), dev=None)
    assert fit_with_kills(LEARNERS[name], tmp_path, kill_after, dev=None)[0] == expected


def test_a_continued_model_gives_the_same_bytes(tmp_path: Path, kill_after: Any) -> None:
    CRF("word[0]", trainer=SGD(epochs=2)).fit(builtin_corpus(30)).save(tmp_path / "m")

    def create() -> Any:
        return tagpool.load(tmp_path / "m").set_params(templates="word[0]", warm_start=True, trainer=SGD(epochs=6))

    expected = fit(create())
    assert fit_with_kills(create, tmp_path / "c", kill_after)[0] == expected


def test_a_finished_training_is_not_repeated(tmp_path: Path) -> None:
    epochs: list[int] = []
    first = fit(LEARNERS["sgd"](), checkpoint=tmp_path)
    second = fit(LEARNERS["sgd"](), checkpoint=tmp_path, on_epoch=lambda epoch: epochs.append(epoch.number))
    assert second == first
    assert epochs == [1, 2, 3, 4, 5, 6]  # the log is reported again
    checkpoint = Checkpoint(tmp_path)
    checkpoint.remove()
    assert not tmp_path.exists()


def test_a_training_that_on_epoch_ends_is_not_finished(tmp_path: Path) -> None:
    fit(LEARNERS["sgd"](), checkpoint=Checkpoint(tmp_path, every=0), on_epoch=lambda epoch: epoch.number < 3)
    assert fit(LEARNERS["sgd"](), checkpoint=tmp_path) == fit(LEARNERS["sgd"]())


def test_the_number_of_threads_may_change(tmp_path: Path, kill_after: Any) -> None:
    expected = fit(LEARNERS["sgd"]())
    kill_after(4)
    with pytest.raises(KilledError):
        fit(LEARNERS["sgd"](), checkpoint=Checkpoint(tmp_path, every=0))
    kill_after(None)
    assert fit(LEARNERS["sgd"]().set_params(threads=3), checkpoint=tmp_path) == expected


# Other trainings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("learner", "train", "dev", "difference"),
    [
        (CRF(TEMPLATES, l2=0.5, trainer=SGD(epochs=6)), TRAIN, DEV, "l2 was 1.0, is 0.5"),
        (CRF(TEMPLATES, trainer=SGD(epochs=7)), TRAIN, DEV, "trainer was SGD(epochs=6), is SGD(epochs=7)"),
        (CRF("word[0]", trainer=SGD(epochs=6)), TRAIN, DEV, "content of the templates differs"),
        (LEARNERS["sgd"](), builtin_corpus(90), DEV, "sentences: was 100, is 90"),
        (LEARNERS["sgd"](), TRAIN, builtin_corpus(41, part="dev"), "content of the dev sentences differs"),
        (LEARNERS["sgd"](), TRAIN, None, "content of the dev sentences differs"),
        (MaxEnt(TEMPLATES, trainer=SGD(epochs=6)), TRAIN, DEV, "learner: was crf, is maxent"),
    ],
)
def test_another_training_is_an_error(learner: Any, train: Corpus, dev: Corpus | None, difference: str, tmp_path: Path) -> None:
    fit(LEARNERS["sgd"](), checkpoint=tmp_path)
    with pytest.raises(InputError) as caught:
        learner.fit(train, dev=dev, checkpoint=tmp_path)
    assert difference in str(caught.value)
    assert "start again with another folder" in str(caught.value)


def test_the_version_is_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fit(LEARNERS["sgd"](), checkpoint=tmp_path)
    monkeypatch.setattr(tagpool, "__version__", "99.0")
    with pytest.raises(InputError, match=r"tagpool: was .*, is 99.0"):
        fit(LEARNERS["sgd"](), checkpoint=tmp_path)


def test_one_training_per_folder(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path)
    with pytest.raises(InputError, match="another training uses this folder"):
        Checkpoint(tmp_path)
    checkpoint.close()
    Checkpoint(tmp_path).close()
    with pytest.raises(InputError, match="every=-1: expected a number of seconds from 0 on"):
        Checkpoint(tmp_path, every=-1)


@pytest.mark.skipif(sys.platform != "linux", reason="needs LD_PRELOAD")
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("lock", "OutputError: {folder}: locking failed: Input/output error; choose a folder on another disk"),
        ("unlink", "OutputError: {folder}: the checkpoint could not be removed: Input/output error; remove this folder"),
        ("close", "no error"),
    ],
)
def test_a_folder_on_a_bad_disk(tmp_path: Path, kind: str, expected: str) -> None:
    program = (
        f"from tagpool import Checkpoint\noutcomes(lambda: Checkpoint({str(tmp_path / 'c')!r}).remove(), {kind!r}, errno.EIO)"
    )
    assert run_with_faults(tmp_path, program) == [expected.format(folder=tmp_path / "c"), "end no error"]


# Damaged files -----------------------------------------------------------------------------------------------------------


def store(name: str, folder: Path, kill_after: Any) -> Path:
    """Return the file of a training that was killed in its fourth epoch."""
    kill_after(4)
    checkpoint = Checkpoint(folder, every=0)
    with pytest.raises(KilledError):
        fit(LEARNERS[name](), checkpoint=checkpoint)
    checkpoint.close()
    kill_after(None)
    return folder / "training.checkpoint"


def test_a_changed_byte_is_an_error(tmp_path: Path, kill_after: Any) -> None:
    path = store("sgd", tmp_path, kill_after)
    block = path.read_bytes()
    generator = random.Random(1)
    for _ in range(20):
        damaged = bytearray(block)
        damaged[generator.randrange(len(block))] ^= 1 << generator.randrange(8)
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=r"checkpoint"):
            fit(LEARNERS["sgd"](), checkpoint=tmp_path)
    path.write_bytes(block[: len(block) // 2])
    with pytest.raises(InputError, match="damaged checkpoint"):
        fit(LEARNERS["sgd"](), checkpoint=tmp_path)


@pytest.mark.parametrize("name", ["sgd", "lbfgs", "owlqn", "fobos, group", "perceptron", "inducing", "elitist"])
def test_a_hostile_state_is_an_error_or_gives_a_model(name: str, tmp_path: Path, kill_after: Any) -> None:
    """Arrays of the trainer's state are changed, and all checksums are correct."""
    path = store(name, tmp_path, kill_after)
    if name == "lbfgs":  # killed in the warm-up
        path = tmp_path / "training.warm-up.checkpoint"
    container = _native.Container.read(path.read_bytes())
    texts = {key: container.text(key) or "" for key in ("checkpoint", "facts", "progress", "trainer")}
    arrays = {key: container.array(key) or b"" for key in ("state", "best") if container.array(key) is not None}
    generator = random.Random(1)
    for _ in range(60):
        key = generator.choice(list(arrays))
        is_file = key == "state" or name == "inducing"
        block = with_changed_array(arrays[key], generator) if is_file else arrays[key][: generator.randrange(9)]
        path.write_bytes(_native.Container.write(texts, {**arrays, key: block}))
        with contextlib.suppress(InputError, tagpool.TrainingError):
            fit(LEARNERS[name](), checkpoint=tmp_path)
        (tmp_path / "training.checkpoint").unlink(missing_ok=True)
