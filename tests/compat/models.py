"""Models and sentences made up for the tests, and what both sides say of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pycrfsuite
from hypothesis import strategies as st
from oracles.crfsuite import written

from tagpool.compat import pycrfsuite as ours

# Whitespace and letters of any kind are CRFsuite's known trouble; texts end at a zero there.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
few_texts = st.sampled_from(["a", "b", "c d", "é", "\t", "", "a:b", "word=the dog", "x" * 40])
values = st.one_of(st.just(1.0), st.floats(-3, 3), st.booleans(), st.integers(-2, 2))
# In training values are single numbers: what is nothing there (1e-300) is something to CRFsuite.
single_values = st.one_of(st.just(1.0), st.floats(-3, 3, width=32), st.booleans(), st.integers(-2, 2))
items = st.one_of(
    st.lists(few_texts, max_size=4),
    st.sets(few_texts, max_size=4),
    st.dictionaries(few_texts, st.one_of(values, few_texts, st.lists(few_texts, max_size=2)), max_size=4),
)
sentences = st.lists(items, min_size=1, max_size=6)
# Few weights, so that scores are often equal.
weights = st.one_of(st.sampled_from([0.0, 1.0, -1.0, 0.5]), st.floats(-5, 5))


@st.composite
def files(draw: Any) -> bytes:
    """Model files written by us."""
    labels = draw(st.lists(texts.filter(bool), min_size=1, max_size=5, unique=True))
    attributes = draw(st.lists(st.one_of(few_texts, texts), max_size=12, unique=True))
    count = len(labels)
    states = draw(st.lists(weights, min_size=len(attributes) * count, max_size=len(attributes) * count))
    transitions = draw(st.lists(weights, min_size=count * count, max_size=count * count))
    return written(labels, attributes, states, transitions)


def both(model: bytes) -> tuple[Any, Any]:
    """Taggers of both sides."""
    theirs, mine = pycrfsuite.Tagger(), ours.Tagger()
    theirs.open_inmemory(model)
    mine.open_inmemory(model)
    return theirs, mine


def agree(theirs: Any, mine: Any, sentence: Any) -> None:
    """Labels are the same, probabilities to 1e-9."""
    best = theirs.tag(sentence)
    assert mine.tag(sentence) == best
    assert abs(theirs.probability(best) - mine.probability(best)) < 1e-9
    for place in range(len(sentence)):
        for label in theirs.labels():
            assert abs(theirs.marginal(label, place) - mine.marginal(label, place)) < 1e-9


def trained(instances: list[tuple[Any, list[str]]], path: Path, algorithm: str = "lbfgs", **parameters: Any) -> Any:
    """python-crfsuite's trainer, after training."""
    trainer = pycrfsuite.Trainer(algorithm, parameters, verbose=False)
    for sentence, labels in instances:
        trainer.append(sentence, labels)
    trainer.train(str(path))
    return trainer
