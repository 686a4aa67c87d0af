"""Observations of slices, merged in order, are those of the whole corpus; the layout and the parts are the same for every cut."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.slices import observed, slices_of, weights_of
from oracles.training import Problem, problems, random_problem

from tagpool import _native


def whole(problem: Problem, options: dict[str, Any]) -> _native.TrainingSet:
    one = slices_of(problem, [])[0]
    return _native.TrainingSet(one.encoding, one.gold, problem.features, problem.labels, _native.Layout(**options))


OPTIONS = st.fixed_dictionaries(
    {
        "all_cells": st.booleans(),
        "dense_from": st.integers(1, 3),
        "boundaries": st.booleans(),
        "all_transitions": st.booleans(),
        "merge_twins": st.booleans(),
        "bundle": st.booleans(),
    }
)


@settings(max_examples=100, deadline=None)
@given(problem=problems(), options=OPTIONS, cuts=st.lists(st.integers(0, 3), max_size=3))
def test_bytes_do_not_depend_on_the_cut(problem: Problem, options: dict[str, Any], cuts: list[int]) -> None:
    layout = _native.Layout(**options)
    expected = _native.Observations(problem.features, problem.labels, layout)
    one = slices_of(problem, [])[0]
    expected.add(one.encoding, one.gold)
    assert observed(problem, slices_of(problem, cuts), layout).state() == expected.state()


@settings(max_examples=60, deadline=None)
@given(
    options=OPTIONS,
    seed=st.integers(0, 100),
    sentences=st.integers(1, 60),
    labels=st.integers(2, 6),
    cuts=st.lists(st.integers(0, 60), max_size=5),
)
def test_every_cut_has_the_layout_of_the_whole(
    options: dict[str, Any], seed: int, sentences: int, labels: int, cuts: list[int]
) -> None:
    problem = random_problem(sentences, 5, labels, 12, seed)
    expected = whole(problem, options)
    parts = slices_of(problem, [cut for cut in cuts if cut < sentences])
    weights = weights_of(problem, slices_of(problem, []), options) if options["bundle"] else weights_of(problem, parts, options)
    for one in parts if not options["bundle"] else []:
        got = _native.TrainingSet.slice(weights, one.encoding, one.gold, begin=one.begin)
        assert got.cell_features().tolist() == expected.cell_features().tolist()
        assert got.cell_labels().tolist() == expected.cell_labels().tolist()
        assert got.edges().tolist() == expected.edges().tolist()
        assert got.token_count == expected.token_count  # of the whole corpus
    assert weights.part_tokens()[-1] == sum(map(len, problem.rows))


def test_slices_are_merged_in_order() -> None:
    problem = random_problem(4, 3, 2, 5, seed=1)
    layout = _native.Layout()
    first, second = slices_of(problem, [2])
    later = _native.Observations(problem.features, problem.labels, layout, begin=second.begin)
    later.add(second.encoding, second.gold)
    empty = _native.Observations(problem.features, problem.labels, layout)
    with pytest.raises(_native.InputFault, match="in the order of the sentences"):
        empty.merge(later)
    with pytest.raises(_native.InputFault, match="features"):
        _native.Observations(problem.features + 1, problem.labels, layout).merge(empty)
    assert first.begin == 0


def test_unknown_features_and_labels_are_errors() -> None:
    problem = random_problem(4, 3, 2, 5, seed=1)
    one = slices_of(problem, [])[0]
    with pytest.raises(_native.InputFault, match="a feature is out of range; there are 1"):
        _native.Observations(1, 2, _native.Layout()).add(one.encoding, one.gold)
    with pytest.raises(_native.InputFault, match="label 9 is out of range"):
        _native.Observations(5, 2, _native.Layout()).add(one.encoding, np.full_like(one.gold, 9))
