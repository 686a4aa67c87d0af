"""Members of pools, folds and their checkpoints in other processes: the same bytes as in this one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from oracles.in_process import InProcess

from tagpool import (
    CRF,
    SGD,
    BaggingPool,
    Corpus,
    InputError,
    LabelWise,
    StackedPool,
    TemplateError,
    TwoStageTagger,
    builtin_corpus,
    cross_val_predict,
)
from tagpool.optim.checkpoint import Checkpoint

BAGS = "word[-1..1]\n[shapes]\nshape(word)[-1..1]\n[endings]\nsuffix(word, 1..3)[0]"
FAST = SGD(epochs=3)
PLAIN = builtin_corpus(120)
DEV = builtin_corpus(40, part="dev")
DOCUMENTS = Corpus.from_columns({"word": PLAIN.words, "label": PLAIN.labels}, documents=range(0, 120, 6))
POOLS: dict[str, tuple[Callable[[], Any], Corpus, int]] = {
    "bagging": (lambda: BaggingPool(CRF(BAGS, trainer=FAST), weights="kfold", folds=2), PLAIN, 6),
    "automatic bags": (
        lambda: BaggingPool(CRF("word[-1..1]\nshape(word)[0]\nsuffix(word, 2)[0]", trainer=FAST), bags="auto"),
        PLAIN,
        9,
    ),
    "label-wise": (lambda: BaggingPool(CRF(BAGS, trainer=FAST), bags=LabelWise()), PLAIN, 5),
    "two-stage": (lambda: TwoStageTagger(CRF("word[-1..1]", trainer=FAST), folds=2), DOCUMENTS, 4),
    "two-stage of a pool": (lambda: TwoStageTagger(BaggingPool(CRF(BAGS, trainer=FAST)), folds=2), DOCUMENTS, 4),
}


def content(pool: Any, folder: Path) -> bytes:
    pool.save(folder / "model")
    return (folder / "model").read_bytes()


@pytest.mark.parametrize("name", POOLS)
def test_pools_have_the_same_bytes(name: str, tmp_path: Path) -> None:
    create, corpus, least = POOLS[name]
    here: list[Any] = []
    there: list[Any] = []
    engine = InProcess(2)
    alone = create().fit(corpus, dev=DEV, on_epoch=lambda *event: here.append((event[0], event[-1].loss)))
    pool = create().fit(corpus, dev=DEV, on_epoch=lambda *event: there.append((event[0], event[-1].loss)), engine=engine)
    assert content(pool, tmp_path) == content(alone, tmp_path)
    assert engine.tasks.count >= least
    assert sorted(there) == sorted(here) != []
    assert [member.threads for member in pool.members_] == [member.threads for member in alone.members_]
    assert pool.predict(DEV) == alone.predict(DEV)


@pytest.mark.parametrize("name", ["bagging", "two-stage", "two-stage of a pool"])
@pytest.mark.parametrize("first", [True, False])
def test_finished_members_are_not_trained_again(name: str, first: bool, tmp_path: Path) -> None:
    create, corpus, _ = POOLS[name]
    checkpoint = Checkpoint(tmp_path / "run", every=0)

    class KilledError(Exception):
        pass

    names: list[str] = []

    def end(member: str, _: Any) -> None:
        names.append(member)
        if len(set(names)) == 3:
            raise KilledError

    with pytest.raises(KilledError):
        create().fit(corpus, dev=DEV, on_epoch=end, checkpoint=checkpoint, engine=InProcess(2) if first else None)
    assert list((tmp_path / "run").glob("*.checkpoint"))
    pool = create().fit(corpus, dev=DEV, checkpoint=checkpoint, engine=None if first else InProcess(2))
    assert content(pool, tmp_path) == content(create().fit(corpus, dev=DEV), tmp_path)


def test_folds_of_a_stack(tmp_path: Path) -> None:
    gold = builtin_corpus(60)
    names = [["B-PER" if word.istitle() else "O" for word in words] for words in gold.words]
    experts = {"capitals": names, "nothing": [["O"] * len(words) for words in gold.words]}
    engine = InProcess(2)
    alone = StackedPool(folds=3).fit(experts, gold)
    with engine.start():
        pool = StackedPool(folds=3).fit(experts, gold)
    assert engine.tasks.count > 9
    assert content(pool, tmp_path) == content(alone, tmp_path)


def test_cross_validation() -> None:
    experts = {"words": CRF("word[0]", trainer=FAST), "endings": CRF("suffix(word, 2)[0]", trainer=FAST)}
    engine = InProcess(2)
    with engine.start():
        labels = cross_val_predict(experts, PLAIN, 3)
    assert engine.tasks.count == 6
    assert labels == cross_val_predict(experts, PLAIN, 3)


def test_errors_name_the_bag() -> None:
    with pytest.raises(InputError, match=r"^bag '(shapes|endings)': "):
        BaggingPool(CRF(BAGS, trainer=FAST, unknown_label="O")).fit([["a"]], [["O"]], engine=InProcess(2))
    with pytest.raises(TemplateError) as error:
        BaggingPool(CRF("word[0]\n[a]\nnothing(word)[0]", trainer=FAST)).fit(PLAIN, engine=InProcess(2))
    assert "unknown function" in str(error.value)
