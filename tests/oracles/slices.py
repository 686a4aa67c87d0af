"""A training problem in slices of its sentences, as separate processes would have it."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from oracles.training import Problem

from tagpool import GivenEncoder, _native


@dataclass
class Slice:
    """Some sentences: their encoding, their labels, and their first token in the whole corpus."""

    encoding: _native.Encoding
    gold: NDArray[np.int32]
    begin: int


def slices_of(problem: Problem, cuts: list[int]) -> list[Slice]:
    """The sentences of a problem, cut before these sentences. Feature k has the number k."""
    encoder = GivenEncoder().fit([[{f"f{k}": 1.0} for k in range(problem.features)]])
    bounds = sorted({0, *cuts, len(problem.rows)})
    out = []
    for first, last in itertools.pairwise(bounds):
        rows = [[{f"f{k}": value for k, value in token} for token in sentence] for sentence in problem.rows[first:last]]
        gold = np.array([label for sentence in problem.gold[first:last] for label in sentence], np.int32)
        out.append(Slice(encoder.transform(rows).native, gold, sum(map(len, problem.rows[:first]))))
    return out


def observed(problem: Problem, slices: list[Slice], layout: _native.Layout) -> _native.Observations:
    """Observations of the slices: each is counted alone and stored as bytes, then all are merged."""
    merged = _native.Observations(problem.features, problem.labels, layout)
    for one in slices:
        seen, copy = (_native.Observations(problem.features, problem.labels, layout, begin=one.begin) for _ in range(2))
        seen.add(one.encoding, one.gold)
        copy.read(seen.state())
        merged.merge(copy)
    return merged


def weights_of(problem: Problem, slices: list[Slice], options: dict[str, Any]) -> _native.WeightLayout:
    """The layout of weights, with the decision about bundles, from slices alone."""
    layout = _native.Layout(**options)
    weights = _native.WeightLayout(observed(problem, slices, layout), problem.labels, layout)
    columns = weights.columns()
    if columns is not None:
        for usual in (True, False):
            for one in slices:
                columns.sort(one.encoding, usual)
        columns.join(slices[0].encoding)
        weights.choose_bundles(columns, sum(columns.savings(weights, one.encoding, one.begin) for one in slices))
    return weights
