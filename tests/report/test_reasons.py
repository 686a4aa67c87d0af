"""Differences by feature add up to the difference between the scores of two label sequences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tagpool import CRF, SGD, BaggingPool, Corpus, InducingTagger, MaxEnt, builtin_corpus
from tagpool.experts.inside.sentence_weights import describe_features
from tagpool.experts.linear.lattices import state_scores
from tagpool.experts.states import States
from tagpool.report import reasons
from tagpool.report.figures import Draws, Evaluation
from tagpool.report.systems import run_tagger

TRAIN, TEST = builtin_corpus(60), builtin_corpus(60, part="test", seed=3)
TEMPLATES = "word[-1..1]\nshape(word)[0]\nsuffix(word, 2)[0]"


def evaluate(tagger: Any, corpus: Corpus = TEST) -> Evaluation:
    return Evaluation(corpus, run_tagger("a", tagger, corpus), plain=False, draws=Draws(10, 1))


@pytest.mark.parametrize(
    "learner",
    [
        lambda: CRF(TEMPLATES, trainer=SGD(epochs=2)),
        lambda: CRF(TEMPLATES, trainer=SGD(epochs=2), inner_scheme="bilou"),
        lambda: CRF(f"{TEMPLATES}\nlabel[-1] & shape(word)[0]", trainer=SGD(epochs=2)),
        lambda: MaxEnt(TEMPLATES, trainer=SGD(epochs=2)),
    ],
    ids=["crf", "states", "transition features", "maxent"],
)
def test_differences_add_up(learner: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reasons, "_SMALLEST", 0.0)
    tagger = learner().fit(TRAIN)
    evaluation = evaluate(tagger)
    evidence = reasons.reasons_of(evaluation.system, TEST)
    assert evidence is not None
    states = States(tagger._fitted().labels)
    lattices = list(state_scores(tagger, TEST).lattices())
    gold, predicted = TEST.labels, evaluation.system.labels
    checked = 0
    for number, errors in list(evaluation.errors.items())[:25]:
        for error in errors:
            rows = evidence(number, error)
            other = predicted[number][: error.start] + gold[number][error.start : error.end] + predicted[number][error.end :]
            if rows is None:
                assert not set(other) <= set(tagger.labels_)
                continue
            sides = [_states(states, row) for row in (predicted[number], other)]
            scores = [lattices[number].log_probability(row) for row in sides]
            assert sum(one.difference for one in rows) == pytest.approx(scores[0] - scores[1], abs=1e-3)
            sizes = [abs(one.difference) for one in rows]
            assert sizes == sorted(sizes, reverse=True)
            checked += 1
    assert checked > 5


def _states(states: States, labels: list[str]) -> list[int]:
    """States by their definition: the second one of a label is for the last token of a span."""
    result = []
    for place, label in enumerate(labels):
        following = labels[place + 1] if place + 1 < len(labels) else "O"
        goes_on = label != "O" and following == f"I-{label[2:]}"
        number = states.labels.index(label)
        result.append(int((states.first if goes_on else states.last)[number]))
    return result


def test_other_taggers_have_their_own_contributions() -> None:
    evaluation = evaluate(InducingTagger(TEMPLATES, epochs=2).fit(TRAIN))
    evidence = reasons.reasons_of(evaluation.system, TEST)
    assert evidence is not None
    rows = [evidence(number, error) for number, errors in evaluation.errors.items() for error in errors]
    assert any(rows)


@pytest.mark.parametrize("templates", [TEMPLATES, f"{TEMPLATES}\nelsewhere(shape(word))[0]"], ids=["sentences", "documents"])
def test_small_corpora_have_the_features_of_the_whole_one(templates: str) -> None:
    corpus = Corpus.from_columns({"word": TEST.words, "label": TEST.labels}, documents=range(0, len(TEST), 10))
    tagger = CRF(templates, trainer=SGD(epochs=2)).fit(TRAIN)
    source = reasons._Compact(corpus, tagger.columns, by_document=tagger.reads_documents)
    for number in range(0, len(corpus), 7):
        assert describe_features(tagger, *source.sentence(number)) == describe_features(tagger, *corpus.document_of(number))


def test_pools_that_do_not_merge_have_no_features() -> None:
    bags = "[one]\nword[0]\n[two]\nshape(word)[0]\n"
    pool = BaggingPool(CRF(bags, trainer=SGD(epochs=2)), combine="transition-mixture").fit(TRAIN)
    evaluation = evaluate(pool)
    assert len(evaluation.system.members) == 2
    assert reasons.reasons_of(evaluation.system, TEST) is None


def test_predictions_have_no_reasons() -> None:
    system = run_tagger("a", CRF("word[0]").fit(TRAIN), TEST)
    system.tagger = None
    assert reasons.reasons_of(system, TEST) is None
