"""Trainings whose sentences are divided among workers: the model has the same bytes for any number of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from oracles.in_process import InProcess

import tagpool
from tagpool import CRF, SGD, Corpus, InputError, MaxEnt, builtin_corpus
from tagpool.optim.checkpoint import Checkpoint
from tagpool.optim.lbfgs import LBFGS, OWLQN

WORDS = "word[-1..1]\nsuffix(word, 1..3)[0]"
EXACT = LBFGS(warm_up=0, iterations=12)
PLAIN = builtin_corpus(150)
DEV = builtin_corpus(40, part="dev")
DOCUMENTS = Corpus.from_columns({"word": PLAIN.words, "label": PLAIN.labels}, documents=[0, 3, 70, 71, 120])
LEARNERS: dict[str, tuple[Any, Corpus]] = {
    "crf, l2": (CRF(WORDS, trainer=EXACT), PLAIN),
    "crf, l1": (CRF(WORDS, trainer=OWLQN(iterations=12), l1=0.5, l2=0.1), PLAIN),
    "maxent": (MaxEnt(WORDS, trainer=EXACT, class_weight="balanced"), PLAIN),
    "observed pairs": (CRF(WORDS, trainer=EXACT, pairs="observed", min_count=2), PLAIN),
    "frequent pairs": (CRF(WORDS, trainer=EXACT, pairs="frequent"), PLAIN),
    "transition features": (CRF(WORDS + "\nlabel[-1] & word[0]\nlabel[-1] & suffix(word, 2)[0]", trainer=EXACT), PLAIN),
    "documents": (CRF(WORDS + "\nelsewhere(word)[0]", trainer=EXACT), DOCUMENTS),
    "two states for a label": (CRF(WORDS, trainer=EXACT, inner_scheme="bilou"), PLAIN),
    "weights of classes": (CRF(WORDS, trainer=EXACT, class_weight={"O": 0.5}), PLAIN),
}


def fresh(learner: Any, **changes: Any) -> Any:
    return type(learner)(**{**learner.get_params(deep=False), **changes})


def content(tagger: Any, folder: Path) -> bytes:
    tagger.save(folder / "model")
    return (folder / "model").read_bytes()


@pytest.mark.parametrize("name", LEARNERS)
def test_the_number_of_workers_does_not_matter(name: str, tmp_path: Path) -> None:
    learner, corpus = LEARNERS[name]
    alone = fresh(learner).fit(corpus, dev=DEV)
    assert len(alone.log_) > 3
    for size in (1, 2, 3, 4, 9):
        model = fresh(learner).fit(corpus, dev=DEV, engine=InProcess(size))
        assert content(model, tmp_path) == content(alone, tmp_path), size
        assert [epoch.loss for epoch in model.log_] == [epoch.loss for epoch in alone.log_]


def test_sentences_have_weights_and_labels_are_unknown(tmp_path: Path) -> None:
    weights = [0.5 + number % 3 for number in range(len(PLAIN))]
    labels = [[None if number % 5 == 0 else label for label in row] for number, row in enumerate(PLAIN.labels)]
    alone, model = (
        CRF(WORDS, trainer=EXACT).fit(PLAIN.words, labels, sample_weight=weights, **engine)
        for engine in ({}, {"engine": InProcess(3)})
    )
    assert content(model, tmp_path) == content(alone, tmp_path)


def test_resources_are_sent(tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("\n".join(word for word in PLAIN.strings("word") if word.istitle()))
    templates = WORDS + f"\nuse names from {tmp_path}/names.txt\ngazetteer(names)[0]"
    alone, model = (CRF(templates, trainer=EXACT).fit(PLAIN, **engine) for engine in ({}, {"engine": InProcess(2)}))
    assert content(model, tmp_path) == content(alone, tmp_path)


def test_more_workers_than_sentences(tmp_path: Path) -> None:
    few = PLAIN.select(range(3))
    alone, model = (CRF("word[0]", trainer=EXACT).fit(few, **engine) for engine in ({}, {"engine": InProcess(8)}))
    assert content(model, tmp_path) == content(alone, tmp_path)


@pytest.mark.parametrize("sizes", [(2, 3), (3, 1)])
def test_a_checkpoint_continues_with_another_number_of_workers(sizes: tuple[int, int], tmp_path: Path) -> None:
    class KilledError(Exception):
        pass

    def end(epoch: tagpool.Epoch) -> None:
        if epoch.number == 5:
            raise KilledError

    whole = CRF(WORDS, trainer=EXACT).fit(PLAIN, dev=DEV)
    checkpoint = Checkpoint(tmp_path / "run", every=0)
    with pytest.raises(KilledError):
        CRF(WORDS, trainer=EXACT).fit(PLAIN, dev=DEV, on_epoch=end, checkpoint=checkpoint, engine=InProcess(sizes[0]))
    numbers: list[int] = []
    checkpoint.close()
    model = CRF(WORDS, trainer=EXACT).fit(
        PLAIN,
        dev=DEV,
        on_epoch=lambda epoch: numbers.append(epoch.number),
        checkpoint=tmp_path / "run",
        engine=InProcess(sizes[1]),
    )
    assert numbers == [epoch.number for epoch in whole.log_]
    assert content(model, tmp_path) == content(whole, tmp_path)
    other = PLAIN.select(range(149))
    with pytest.raises(InputError, match="belongs to another training"):
        CRF(WORDS, trainer=EXACT).fit(other, dev=DEV, checkpoint=tmp_path / "run", engine=InProcess(2))


@pytest.mark.parametrize(
    ("learner", "sentences", "message"),
    [
        (
            CRF(WORDS),
            PLAIN,
            "it changes the weights after every few sentences, and stays in one process.*use lbfgs with warm_up=0 or owlqn",
        ),
        (CRF(WORDS, trainer=SGD(epochs=2)), PLAIN, "trainer = 'sgd'"),
        (CRF(WORDS, trainer="lbfgs"), PLAIN, "warm_up = 5.*use LBFGS.warm_up=0."),
        (CRF(WORDS, trainer=EXACT, robust="case"), PLAIN, "robust trainings stay in one process"),
        (CRF(trainer=EXACT), [[["a=1"], ["a=2"]]], "given features stay in one process"),
        (tagpool.InducingTagger(WORDS), PLAIN, "InducingTagger: this learner is trained in one process; drop the engine"),
        (tagpool.ElitistPool(WORDS), PLAIN, "ElitistPool: this learner is trained in one process"),
    ],
)
def test_trainings_that_stay_in_one_process(learner: Any, sentences: Any, message: str) -> None:
    labels = None if isinstance(sentences, Corpus) else [["A", "B"]]
    with pytest.raises(InputError, match=message):
        fresh(learner).fit(sentences, labels, engine=InProcess(2))


def test_a_memory_budget_is_for_one_process() -> None:
    with pytest.raises(InputError, match="a training with a memory budget stays in one process"):
        CRF(WORDS, trainer=EXACT).fit(PLAIN, memory="2G", engine=InProcess(2))


def test_a_model_is_continued_in_one_process() -> None:
    model = CRF(WORDS, trainer=EXACT, warm_start=True).fit(PLAIN)
    with pytest.raises(InputError, match="a model is continued in one process"):
        model.fit(PLAIN, engine=InProcess(2))
