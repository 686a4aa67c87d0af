"""Looking into an inducing tagger: the strongest of the pairs it has joined, and of its features with previous labels.

Its single features are looked at as those of all taggers are (``inspection``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tagpool.experts.inducing.names import NamedFeatures
from tagpool.experts.inducing.tagger import InducingTagger
from tagpool.experts.inside.inspection import wanted_labels


class LabelWeight(NamedTuple):
    """The weight of a feature for a label."""

    feature: str
    label: str
    weight: float


def strongest_pairs(tagger: InducingTagger, *, top: int = 10, labels: Sequence[str] | None = None) -> list[LabelWeight]:
    """The pairs with the largest weights of either sign, for all labels or for some, strongest first.

    Where several pairs share a slot, the name is that of the one that joined first.

    >>> from tagpool import Corpus
    >>> corpus = Corpus.from_lists(
    ...     word=[["Ann", "left"], ["Ann", "will"], ["the", "left"]], label=[["N", "V"], ["N", "M"], ["D", "N"]]
    ... )
    >>> tagger = InducingTagger("word[-1..0]", slots=100, epochs=20).fit(corpus)
    >>> strongest_pairs(tagger, top=1)[0].feature.count(" & ")
    1
    """
    found = NamedFeatures(tagger)
    return _strongest(tagger, found.pair_weights(), found.pair_name, top, labels)


def strongest_labelled(tagger: InducingTagger, *, top: int = 10, labels: Sequence[str] | None = None) -> list[LabelWeight]:
    """The same for features with previous labels.

    >>> from tagpool import Corpus
    >>> corpus = Corpus.from_lists(word=[["a", "x"], ["b", "x"]], label=[["A", "C"], ["B", "D"]])
    >>> tagger = InducingTagger("word[0]\\nlabel[-1]").fit(corpus)
    >>> sorted(one.feature for one in strongest_labelled(tagger, labels=["C", "D"]) if one.weight > 0)
    ['label[-1]=A', 'label[-1]=B']
    """
    found = NamedFeatures(tagger)
    weights = found.single_weights()[len(found.names) :]
    return _strongest(tagger, weights, found.labelled_names.__getitem__, top, labels)


def _strongest(
    tagger: InducingTagger,
    weights: NDArray[np.float32],
    name: Callable[[int], str],
    top: int,
    labels: Sequence[str] | None,
) -> list[LabelWeight]:
    wanted = wanted_labels(tagger, labels)
    numbers = np.array(list(wanted.values()), np.int64)
    names = list(wanted)
    chosen = weights[:, numbers]
    order = np.argsort(-np.abs(chosen), axis=None, kind="stable")[:top]
    rows, columns = np.unravel_index(order, chosen.shape)
    found = zip(rows.tolist(), columns.tolist(), strict=True)
    return [LabelWeight(name(row), names[column], float(chosen[row, column])) for row, column in found if chosen[row, column]]
