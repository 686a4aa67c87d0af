"""A tagger without the features of a bag tags as if they never occurred."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tagpool import CRF, SGD, BaggingPool, ElitistPool, MaxEnt, OpinionPool, builtin_corpus
from tagpool.errors import InputError, TemplateError

TEXT = "word[0]\npos[0]\n[shapes]\nshape(word)[-1..1]\n[ends]\nsuffix(word, 1..3)[0]"
TRAIN, TEST = builtin_corpus(120), builtin_corpus(40, part="test")


@pytest.fixture(scope="module", params=["crf", "maxent", "bagging", "opinion", "elitist"])
def tagger(request: pytest.FixtureRequest) -> Any:
    trainer = SGD(epochs=3)
    make: dict[str, Callable[[], Any]] = {
        "crf": lambda: CRF(TEXT, trainer=trainer).fit(TRAIN),
        "maxent": lambda: MaxEnt(TEXT, trainer=trainer).fit(TRAIN),
        "bagging": lambda: BaggingPool(CRF(TEXT, trainer=trainer)).fit(TRAIN),
        "opinion": lambda: OpinionPool([make["crf"](), make["maxent"]()]),
        "elitist": lambda: ElitistPool(TEXT, epochs=2).fit(TRAIN),
    }
    return make[request.param]()


def test_removed_features_are_features_that_never_occur(tagger: Any) -> None:
    # These words have shapes and endings that training never saw.
    strange = TEST.with_labels(TEST.labels)
    before = tagger.predict(strange)
    blind = tagger.without("shapes", "ends")
    only_base = [[{f"word[0]={w}": 1.0, f"pos[0]={p}": 1.0} for w, p in zip(s["word"], s["pos"], strict=True)] for s in TEST]
    assert blind.predict(TEST) != before
    assert tagger.predict(strange) == before  # the tagger itself has not changed
    if isinstance(tagger, MaxEnt | CRF):
        names = sorted({name for sentence in only_base for token in sentence for name in token})
        stored, full = (item._fitted().weights_of(names) for item in (blind, tagger))
        np.testing.assert_array_equal(stored, full)
        assert not np.any(blind._fitted().weights_of([f"suffix(word,1)[0]={letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]))


def test_a_feature_of_two_bags_is_removed_when_both_are() -> None:
    text = "word[0]\n[a, b]\nshape(word)[0]\n[b]\nlower(word)[0]"
    crf = CRF(text, trainer=SGD(epochs=2)).fit(TRAIN)
    counts = [crf.without(*bags).feature_count for bags in ((), ("a",), ("b",), ("a", "b"))]
    assert counts[0] == counts[1] > counts[2] > counts[3]


def test_single_templates_are_removed_whatever_their_bag() -> None:
    text = "word[0]\n[a]\nshape(word)[0]\nlower(word)[0]\n[b]\nsuffix(word, 1..2)[0]"
    crf = CRF(text, trainer=SGD(epochs=2)).fit(TRAIN)
    piecewise = crf.without(templates="shape(word)[0]\nlower(word)[0]")
    assert piecewise.feature_count == crf.without("a").feature_count
    assert piecewise.predict(TEST) == crf.without("a").predict(TEST) != crf.predict(TEST)
    assert crf.without("b", templates="lower(word)[0]").feature_count < crf.without("b").feature_count


def test_what_is_refused() -> None:
    crf = CRF(TEXT, trainer=SGD(epochs=1)).fit(TRAIN)
    with pytest.raises(InputError, match="no template pos"):
        crf.without(templates="pos[-7]")
    with pytest.raises(TemplateError, match="no group 'tails'"):
        crf.without("tails")
