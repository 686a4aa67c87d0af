"""Explanations in notebooks: the same evidence as the text, and text of the corpus stays text."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tagpool import CRF, SGD, BaggingPool, InducingTagger, builtin_corpus

TRAIN = builtin_corpus(60)
BAGS = "[one]\nword[0]\n[two]\nshape(word)[0]\n"


@pytest.mark.parametrize(
    "learner",
    [
        CRF("word[0]\nshape(word)[0]", trainer=SGD(epochs=2)),
        InducingTagger("word[0]\nshape(word)[0]", epochs=2),
        BaggingPool(CRF(BAGS, trainer=SGD(epochs=2))),
        BaggingPool(CRF(BAGS, trainer=SGD(epochs=2)), combine="transition-mixture"),
    ],
    ids=["crf", "inducing", "pool", "pool that does not merge"],
)
def test_every_token_has_its_evidence(learner: Any) -> None:
    words = ["Ann", "<b>left</b>", "Oslo"]
    explanation = learner.fit(TRAIN).explain(words)
    shown = explanation._repr_html_()
    assert shown.count("<details>") == len(words)
    assert "<b>left" not in shown
    assert "&lt;b&gt;left" in shown
    for token in explanation:
        assert re.search(r"<tbody>(<tr>.*</tr>)?</tbody>", token.html())
    if hasattr(explanation[0], "contributions"):
        assert "shape(word)[0]" in explanation[0].html()
    if hasattr(explanation[0], "votes"):
        assert all(vote.member in explanation[0].html() for vote in explanation[0].votes)
