"""Conjunctions and features with previous labels that have the largest weights in an inducing tagger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tagpool.experts.inducing.names import NamedFeatures
from tagpool.experts.inducing.tagger import InducingTagger
from tagpool.experts.inside.inspection import label_numbers


class LabelWeight(NamedTuple):
    """The weight of a feature for a label."""

    feature: str
    label: str
    weight: float


def top_conjunctions(tagger: InducingTagger, *, top: int = 10, labels: Sequence[str] | None = None) -> list[LabelWeight]:
    """The conjunctions with the largest absolute weights, for all labels or for some.

    Where several conjunctions share a slot, the name is that of the first.

    >>> from tagpool import Corpus
    >>> corpus = Corpus.from_lists(
    ...     word=[["Ann", "left"], ["Ann", "will"], ["the", "left"]], label=[["N", "V"], ["N", "M"], ["D", "N"]]
    ... )
    >>> tagger = InducingTagger("word[-1..0]", slots=100, epochs=20).fit(corpus)
    >>> top_conjunctions(tagger, top=1)[0].feature.count(" & ")
    1
    """
    features = NamedFeatures(tagger)
    return _top(tagger, features.conjunction_weights(), features.conjunction_name, top, labels)


def top_label_features(tagger: InducingTagger, *, top: int = 10, labels: Sequence[str] | None = None) -> list[LabelWeight]:
    """The features with previous labels that have the largest absolute weights.

    >>> from tagpool import Corpus
    >>> corpus = Corpus.from_lists(word=[["a", "x"], ["b", "x"]], label=[["A", "C"], ["B", "D"]])
    >>> tagger = InducingTagger("word[0]\\nlabel[-1]").fit(corpus)
    >>> sorted(one.feature for one in top_label_features(tagger, labels=["C", "D"]) if one.weight > 0)
    ['label[-1]=A', 'label[-1]=B']
    """
    features = NamedFeatures(tagger)
    return _top(tagger, features.label_weights(), features.label_feature_name, top, labels)


def _top(
    tagger: InducingTagger,
    parts: Iterable[NDArray[np.float32]],
    name: Callable[[int], str],
    top: int,
    labels: Sequence[str] | None,
) -> list[LabelWeight]:
    wanted = label_numbers(tagger, labels)
    names = list(wanted)
    columns = np.array(list(wanted.values()), np.int64)
    best: list[tuple[float, int, int, float]] = []  # minus the magnitude, row, column, weight
    begin = 0
    for weights in parts:
        chosen = weights if labels is None else weights[:, columns]
        order = np.argsort(-np.abs(chosen), axis=None, kind="stable")[:top]
        rows, places = (axis.tolist() for axis in np.unravel_index(order, chosen.shape))
        cells = zip(rows, places, chosen.ravel()[order].tolist(), strict=True)
        best += [(-abs(weight), begin + row, column, weight) for row, column, weight in cells if weight]
        best = sorted(best)[:top]
        begin += len(weights)
    return [LabelWeight(name(row), names[column], weight) for _, row, column, weight in best]
