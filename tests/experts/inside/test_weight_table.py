"""The table of weights: complete, in order, and taken by pandas, polars and pyarrow."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tagpool
from tagpool import CRF, BaggingPool, InducingTagger, InputError, MaxEnt
from tagpool.experts.inside.inspection import top_transitions


@pytest.fixture(scope="module")
def crf() -> CRF:
    corpus = tagpool.builtin_corpus(150, seed=2)
    return CRF("word[0]\nshape[0]\nlabel[-1] & word[0]", inner_scheme="same").fit(corpus)


def test_scores_follow_from_the_table(crf: CRF) -> None:
    words, path = ["Ann", "left", "Oslo"], ["B-PER", "O", "B-LOC"]
    table = crf.weight_table()
    rows = zip(table["kind"], table["feature"], table["before"], table["label"], table["weight"].tolist(), strict=True)
    weights = {row[:4]: row[4] for row in rows}
    score = weights.get(("transition", None, None, path[0]), 0.0) + weights.get(("transition", None, path[-1], None), 0.0)
    for place, (word, label) in enumerate(zip(words, path, strict=True)):
        shape = {"Ann": "Xxx", "left": "xxxx", "Oslo": "Xxxx"}[word]
        names = (f"word[0]={word}", f"shape(word)[0]={shape}")
        score += sum(weights.get(("feature", name, None, label), 0.0) for name in names)
        if place:
            before = path[place - 1]
            score += weights.get(("transition", None, before, label), 0.0)
            score += weights.get(("transition feature", f"label[-1]&word[0]={word}", before, label), 0.0)
    lattice = crf.lattices(tagpool.Corpus.from_lists(word=[words]))[0]
    numbers = [crf.labels_.index(label) for label in path]
    assert score != 0
    assert lattice.log_probability(numbers) + lattice.log_partition() == pytest.approx(score, abs=1e-4)


def test_rows_are_in_order_and_chosen(crf: CRF) -> None:
    frame = pd.DataFrame(crf.weight_table())
    assert list(frame.columns) == ["kind", "template", "feature", "before", "label", "weight"]
    assert (np.diff(frame.weight.abs()) <= 0).all()
    assert (frame.weight != 0).all()
    assert set(frame.kind) == {"feature", "transition", "transition feature"}
    strongest = frame[(frame.kind == "feature") & (frame.label == "B-PER") & (frame.weight > 0)].head(5)
    assert list(zip(strongest.feature, strongest.weight, strict=True)) == crf.top_features("B-PER", 5).positive
    edges = frame[frame.kind == "transition"]
    assert len(edges) == len(top_transitions(crf, top=10_000))
    assert edges.before.isna().sum() > 0
    assert edges.label.isna().sum() > 0
    some = pd.DataFrame(crf.weight_table(labels=["B-PER"], template="word[0]"))
    chosen = frame[(frame.kind == "feature") & (frame.template == "word[0]") & (frame.label == "B-PER")]
    columns = ["kind", "template", "feature", "label", "weight"]
    assert some[columns].equals(chosen[columns].reset_index(drop=True))
    with pytest.raises(InputError, match="unknown label 'X'"):
        crf.weight_table(labels=["X"])


def test_other_libraries_take_the_table(crf: CRF) -> None:
    table = crf.weight_table()
    count = len(table["weight"])
    assert pl.DataFrame(table).shape == (count, 6)
    assert pa.table(table).schema.field("weight").type == pa.float32()


def test_other_learners() -> None:
    corpus = tagpool.builtin_corpus(60, seed=2)
    for learner in (MaxEnt("word[0]"), InducingTagger("word[0]"), BaggingPool(CRF("[a]\nword[0]\n[b]\nshape[0]"))):
        assert "feature" in learner.fit(corpus).weight_table()["kind"]
    assert set(MaxEnt("word[0]").fit(corpus).weight_table()["kind"]) == {"feature"}
