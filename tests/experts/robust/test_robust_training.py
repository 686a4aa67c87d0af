"""Robust training: gains, the cost on clean text, equal bytes, weights that carry over, and refusals."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tagpool import CRF, LBFGS, SGD, Checkpoint, Corpus, Encoder, Epoch, Gazetteer, MaxEnt, builtin_corpus, load, perturb
from tagpool.errors import InputError
from tagpool.experts.robust.copies import make_copies
from tagpool.experts.robust.data import RobustData
from tagpool.experts.robust.first import FirstTraining
from tagpool.experts.robust.missing import Missing, choose_missing
from tagpool.experts.robust.training import RobustTraining
from tagpool.experts.saving import SaveOptions

TRAIN, DEV = builtin_corpus(400), builtin_corpus(150, part="dev")
PLAIN = "word[-1..1]\nlower(word)[0]\nshape[0]\nsuffix(word, 1..3)[0]\npos[0]\n"
HISTORY = PLAIN + "label[-1] & shape[0]\nlabel[-1] & pos[0]\n"


def content(tagger: Any) -> bytes:
    return bytes(tagger.to_bytes(SaveOptions()))


@pytest.mark.parametrize("kind", [CRF, MaxEnt])
def test_lower_case_costs_less(kind: Any) -> None:
    lower = perturb(DEV, "lower")
    plain, robust = kind("auto").fit(TRAIN, dev=DEV), kind("auto", robust="case", robust_cost=1.0).fit(TRAIN, dev=DEV)
    assert robust.score(lower) > plain.score(lower) + 0.1
    assert robust.score(DEV) > plain.score(DEV) - 0.02
    facts = robust.summary_["robust"]
    assert facts["clean"][0] == pytest.approx(plain.score(DEV))
    assert facts["clean"][1] == pytest.approx(robust.score(DEV)) == pytest.approx(robust.summary_["dev"])
    assert facts["changed"]["lower"][1] == pytest.approx(robust.score(lower))
    assert robust.summary_["sentences"] == len(TRAIN)


@pytest.mark.parametrize("options", [{}, {"min_count": 2}, {"pairs": "observed"}, {"inner_scheme": "bilou"}])
@pytest.mark.parametrize("templates", [PLAIN, HISTORY])
@pytest.mark.parametrize("robust", ["case", "case,groups", "auto"])
def test_threads_and_files_give_the_same_model(tmp_path: Path, templates: str, robust: str, options: dict[str, Any]) -> None:
    first, second = (CRF(templates, robust=robust, threads=threads, **options).fit(TRAIN, dev=DEV) for threads in (1, 2))
    assert content(first) == content(second)
    first.save(tmp_path / "a")
    assert load(tmp_path / "a").predict(DEV) == first.predict(DEV)
    assert first.columns == CRF(templates).fit(TRAIN).columns


def test_a_cost_that_is_too_high_gives_the_ordinary_weights() -> None:
    crf = CRF(PLAIN, robust="case", robust_cost=0.0).fit(TRAIN, dev=DEV)
    before, after = crf.summary_["robust"]["clean"]
    spans = sum(label.startswith("B-") for labels in DEV.labels for label in labels)
    assert after >= before - 1 / spans - 1e-9


@pytest.mark.parametrize("robust", ["groups", "case,groups"])
@pytest.mark.parametrize("templates", [PLAIN, HISTORY])
@pytest.mark.parametrize("min_count", [1, 2])
def test_the_second_training_begins_with_the_weights_of_the_first(templates: str, robust: str, min_count: int) -> None:
    crf, plain = CRF(templates, robust=robust, min_count=min_count), CRF(templates, min_count=min_count).fit(TRAIN)
    first = FirstTraining(crf, TRAIN, None)
    first.run()
    changes = {"case": ("lower",)} if "case" in robust else {}
    changes |= {"groups": ("words", "affixes")}
    copies = make_copies(TRAIN, changes, seed=1, left_out=set(), by_document=False)
    second = RobustTraining(first, TRAIN, copies, choose_missing(len(TRAIN), changes, seed=1), changes, dev_texts=None)
    model = second.model(second.mixed(np.zeros_like(second.begin), 0.0))  # nothing of the new weights
    crf._model, crf._encoder = model, second.data.encoder
    assert crf.predict(DEV) == plain.predict(DEV)
    assert np.allclose(crf.predict_proba(DEV[:5])[0], plain.predict_proba(DEV[:5])[0], atol=1e-5)


def test_features_of_the_copies_follow_those_of_the_sentences() -> None:
    for changes, grows in (({"groups": ("words", "affixes")}, False), ({"lower": ("lower",)}, True)):
        first = FirstTraining(CRF(PLAIN, robust="groups", min_count=2), TRAIN, None)
        first.run()
        known = Encoder(PLAIN, min_count=2).fit(TRAIN).feature_names
        copies = make_copies(TRAIN, changes, seed=1, left_out=set(), by_document=False)
        missing = choose_missing(len(TRAIN), changes, seed=1)
        names = RobustTraining(first, TRAIN, copies, missing, changes, dev_texts=None).data.encoder.feature_names
        assert names[: len(known)] == known
        assert (len(names) > len(known)) == grows
        counts = Counter(word for row in copies.corpus.words for word in row)
        assert all(counts[one.removeprefix("word[0]=")] >= 2 for one in names[len(known) :] if one.startswith("word[0]="))


@pytest.mark.parametrize("templates", [PLAIN, HISTORY])
def test_the_second_training_has_sentences_copies_and_sentences_without_groups(templates: str) -> None:
    changes = {"case": ("lower",), "groups": ("affixes", "shapes")}
    first = FirstTraining(CRF(templates, robust="case,groups"), TRAIN[:300], None)
    first.numbers = list(range(300))
    first.run()
    copies = make_copies(TRAIN, changes, seed=1, left_out=set(), by_document=False)
    missing = Missing({"affixes": list(range(0, 400, 2)), "shapes": list(range(0, 400, 3))}, {"groups": 334})
    data = RobustData(first, TRAIN, copies, missing)
    encoded, encoder, sources = data.encoded, data.encoder, data.sources.tolist()
    removed = [group for group in (None, *missing.sentences) for _ in (missing.sentences[group] if group else [])]
    unchanged = [number for number in range(400) if number % 6]  # others are there without affixes, and without shapes
    whole = len(unchanged) + len(copies.sources)
    assert sources[:whole] == [*unchanged, *copies.sources]
    assert sources[whole:] == [number for numbers in missing.sentences.values() for number in numbers]
    texts = [*(TRAIN[number] for number in unchanged), *copies.corpus, *(TRAIN[number] for number in sources[whole:])]
    names, history_names = encoder.feature_names, encoder.history_names
    for number, (sentence, group) in enumerate(zip(texts, [None] * whole + removed, strict=True)):
        begin, end = encoded.sentences[number : number + 2]
        assert [data.labels[one] for one in data.gold[begin:end]] == sentence.labels
        for native, known in ((encoded.native, names), (encoded.history, history_names)):
            if native is None:
                continue
            ids = native.ids()[native.starts()[begin] : native.starts()[end]]
            keys = {known[feature].partition("=")[0] for feature in ids}
            gone = {"affixes": "suffix", "shapes": "shape", None: "nothing"}[group]
            assert not any(gone in key for key in keys)
            if group is None and native is encoded.native:
                assert any("shape" in key for key in keys)


def test_missing_lists_cost_less() -> None:
    names = {
        word
        for corpus in (TRAIN, DEV)
        for words, labels in zip(corpus.words, corpus.labels, strict=True)
        for word, label in zip(words, labels, strict=True)
        if label == "B-LOC"
    }
    resources = {"cities": Gazetteer({"cities": sorted(names)})}
    templates = "word[-1..1]\n[lists]\ngazetteer(cities)[-1..1]\n"
    lost = []
    for options in ({}, {"robust": "lists", "robust_cost": 2.0}):
        crf = CRF(templates, resources=resources, **options).fit(TRAIN, dev=DEV)
        lost.append(crf.score(DEV) - crf.without("lists").score(DEV))
    assert lost[1] < lost[0]


def test_a_killed_training_continues(tmp_path: Path) -> None:
    whole = CRF(PLAIN, robust="case,groups").fit(TRAIN, dev=DEV)
    seen: list[Epoch] = []

    def stop(epoch: Epoch) -> None:
        seen.append(epoch)
        if epoch.note and epoch.note.startswith("continued"):
            raise RuntimeError("killed")

    checkpoint = Checkpoint(tmp_path / "run", every=0)
    with pytest.raises(RuntimeError, match="killed"):
        CRF(PLAIN, robust="case,groups").fit(TRAIN, dev=DEV, checkpoint=checkpoint, on_epoch=stop)
    again = CRF(PLAIN, robust="case,groups").fit(TRAIN, dev=DEV, checkpoint=checkpoint)
    assert content(again) == content(whole)
    assert [epoch.number for epoch in again.log_] == [epoch.number for epoch in whole.log_]


@pytest.mark.parametrize("when", ["first", "second"])
def test_an_interruption_keeps_the_finished_epochs(when: str) -> None:
    def stop(epoch: Epoch) -> None:
        is_second = epoch.note is not None and epoch.note.startswith("continued")
        if is_second or (when == "first" and epoch.number == 2):
            raise KeyboardInterrupt

    crf = CRF(PLAIN, robust="case")
    with pytest.raises(KeyboardInterrupt):
        crf.fit(TRAIN, dev=DEV, on_epoch=stop)
    assert crf.is_fitted
    assert crf.score(DEV) > 0.5
    assert ("interrupted before the robust part" in str(crf.describe(top=0))) == (when == "first")


def test_weights_of_sentences_apply_to_their_copies() -> None:
    weights = np.where(np.arange(len(TRAIN)) < 200, 1.0, 0.0)
    half = CRF(PLAIN, robust="case").fit(TRAIN, sample_weight=weights)
    assert half.score(DEV) != CRF(PLAIN, robust="case").fit(TRAIN).score(DEV)


def test_sentences_with_unknown_labels_are_not_copied() -> None:
    labels: list[list[str | None]] = [[None, *row[1:]] if number % 2 else list(row) for number, row in enumerate(TRAIN.labels)]
    crf = CRF("word[-1..1]\nshape[0]", robust="case").fit(TRAIN.words, labels, dev=(DEV.words, DEV.labels))
    assert crf.labels_ == CRF("word[-1..1]\nshape[0]").fit(TRAIN.words, labels).labels_


def test_auto_without_a_dev_set() -> None:
    crf = CRF(PLAIN, robust="auto").fit(TRAIN)
    assert crf.summary_["sentences"] == len(TRAIN)
    assert crf.summary_["robust"]["copies"]
    with pytest.raises(InputError, match="needs a dev set"):
        CRF(PLAIN, robust="auto").fit(TRAIN[:5])


def test_auto_may_find_nothing() -> None:
    corpus = Corpus.from_lists(word=[["猫", "が"], ["が", "猫"]] * 40, label=[["A", "B"], ["B", "A"]] * 40)
    crf = CRF("word[0]", robust="auto").fit(corpus, dev=corpus)
    assert (crf.summary_["robust"]["copies"], crf.summary_["robust"]["share"]) == ({}, 0.0)
    assert crf.predict(corpus) == CRF("word[0]").fit(corpus, dev=corpus).predict(corpus)


def test_refusals() -> None:
    with pytest.raises(InputError, match="not for given features"):
        CRF(robust="case").fit([[["a"], ["b"]]] * 3, [["X", "Y"]] * 3)
    with pytest.raises(InputError, match="trainer lbfgs"):
        CRF(PLAIN, robust="case", trainer=LBFGS()).fit(TRAIN)
    crf = CRF(PLAIN, robust="case", warm_start=True, trainer=SGD(epochs=1)).fit(TRAIN)
    with pytest.raises(InputError, match="begins with a new model"):
        crf.fit(TRAIN)
    with pytest.raises(InputError, match="no column 'word'"):
        CRF("pos[0]", robust="typos").fit(Corpus.from_lists(pos=TRAIN.column("pos"), label=TRAIN.labels))
