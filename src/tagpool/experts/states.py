"""States of a chain: BILOU inside a tagger whose labels are BIO2.

A label with two states occurs twice among the labels of the native model: its first state is for tokens that the span continues
after, its second for the last token of a span. So B-X has the states B and U of BILOU, and I-X has I and L. All that a model
writes has the labels of its training; only sums over states are needed where probabilities leave the tagger.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from tagpool import _native
from tagpool.corpus.schemes import Scheme
from tagpool.corpus.transitions import label_parts, place_label
from tagpool.errors import InputError
from tagpool.experts.label_scheme import detect_by_counts
from tagpool.lazy import TYPE_CHECKING, LazyModule

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int32]
else:
    np = LazyModule("numpy")

SAME, AUTO, BILOU = "same", "auto", "bilou"
ENOUGH_SPANS = 3000
"""Spans from which on BILOU is chosen: with fewer, each of its labels has too few examples."""


class States:
    """States by number: ``names`` has the label of each, ``labels`` every label once, ``label_of`` its number for each state.

    >>> states = States(["O", "B-X", "B-X"])
    >>> states.labels, states.label_of.tolist(), states.merged
    (('O', 'B-X'), [0, 1, 1], True)
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.labels = tuple(dict.fromkeys(names))
        number = {label: index for index, label in enumerate(self.labels)}
        self.label_numbers = [number[name] for name in names]
        self.merged = len(self.labels) < len(self.names)
        reverse = {name: index for index, name in reversed(list(enumerate(names)))}
        last = dict(zip(names, range(len(names)), strict=True))
        self._first, self._last = ([places[label] for label in self.labels] for places in (reverse, last))

    @cached_property
    def label_of(self) -> Numbers:
        """The number of the label of each state."""
        return np.array(self.label_numbers, np.int32)

    @cached_property
    def first(self) -> Numbers:
        """The first state of each label."""
        return np.array(self._first, np.int32)

    @cached_property
    def last(self) -> Numbers:
        """The last state of each label."""
        return np.array(self._last, np.int32)

    def split(self, labels: Sequence[str]) -> States:
        """The states with those of further labels: two for B and I labels.

        >>> States([]).split(["O", "B-X", "I-X"]).names
        ('O', 'B-X', 'I-X', 'B-X', 'I-X')
        """
        new = [label for label in labels if label not in self.labels]
        return States((*self.names, *new, *(label for label in new if label_parts(label).letter in ("B", "I"))))

    @property
    def scheme_names(self) -> list[str]:
        """The names of the states in BILOU; of labels with one state, the labels."""
        names = list(self.names)
        for label, first, last in zip(self.labels, self._first, self._last, strict=True):
            if first != last:
                parts = label_parts(label)
                names[last] = place_label(Scheme.BILOU, parts.type, first=parts.letter == "B", last=True, touches=False)
        return names

    def refine(self, gold: Any, bounds: Any) -> memoryview:
        """The states of tokens with these label numbers, -1 if unknown; unknown also if the next label decides and is unknown.

        >>> States([]).split(["O", "B-X", "I-X"]).refine(np.array([1, 2, 1, 0], np.int32), np.array([0, 4], np.uint32)).tolist()
        [1, 4, 3, 0]
        """
        inside = {label_parts(label).type: number for number, label in enumerate(self.labels) if label_parts(label).letter == "I"}
        continuation = [inside.get(label_parts(label).type, -1) for label in self.labels]
        return _native.refine_labels(gold, bounds, _native.LabelStates(continuation, self._first, self._last))

    def sums(self, values: NDArray[np.float64], axis: int = -1) -> NDArray[np.float64]:
        """The sums of the values of states for each label.

        >>> States(["O", "B-X", "B-X"]).sums(np.array([[0.5, 0.25, 0.125]])).tolist()
        [[0.5, 0.375]]
        """
        member = (self.label_of[:, None] == np.arange(len(self.labels))).astype(np.float64)
        return np.moveaxis(np.moveaxis(values, axis, -1) @ member, -1, axis)

    def strongest(self, weights: NDArray[np.float32], axis: int = -1) -> NDArray[np.float32]:
        """The weight with the largest magnitude among the states of each label.

        >>> States(["O", "B-X", "B-X"]).strongest(np.array([[0.5, 1, -2]], np.float32)).tolist()
        [[0.5, -2.0]]
        """
        if not self.merged:
            return weights
        one, other = np.take(weights, self.first, axis), np.take(weights, self.last, axis)
        return np.where(np.abs(one) >= np.abs(other), one, other)


def choose_states(choice: str, labels: Sequence[str], gold: Any, bounds: Any) -> States:
    """The states of a new model; ``gold`` has the label number of each token, -1 if it is unknown.

    ``bounds`` has the first token of each sentence, and the end.

    BILOU is chosen for BIO2 labels of one type with enough spans. With more types there are more labels with fewer examples.

    >>> choose_states("bilou", ["B-X", "I-X"], np.array([0, 1], np.int32), np.array([0, 2], np.uint32)).merged
    True
    """
    if choice == SAME or (choice == AUTO and len(labels) != 3):
        return States(labels)
    has_unknown = sum(_native.count_labels(gold, len(labels))) < len(gold)
    return states_by_counts(choice, labels, _native.count_bigrams(gold, bounds, len(labels)), has_unknown=has_unknown)


def states_by_counts(choice: str, labels: Sequence[str], bigrams: Sequence[int], *, has_unknown: bool) -> States:
    """Return the states that :func:`choose_states` chooses, by the counts of label bigrams, an [L + 1][L + 1] matrix.

    >>> states_by_counts("bilou", ["B-X", "I-X"], [0, 1, 0, 0, 0, 1, 1, 0, 0], has_unknown=False).merged
    True
    """
    if choice == SAME or (choice == AUTO and (len(labels) != 3 or has_unknown)):
        return States(labels)
    detection = detect_by_counts(labels, bigrams)
    # Without unknown labels, every token is the first of one bigram.
    size = len(labels) + 1
    begins = [row * size for row, label in enumerate(labels) if label_parts(label).letter == "B"]
    spans = sum(sum(bigrams[begin : begin + size]) for begin in begins)
    is_bio2 = detection.scheme is Scheme.BIO2 and not detection.ambiguous
    if choice == BILOU and not is_bio2:
        advice = "convert them to BIO2 (tagpool convert --to bio2), or use inner_scheme='same'"
        raise InputError(f"inner_scheme='bilou': expected BIO2 labels, got {detection.description}; {advice}")
    is_chosen = is_bio2 and detection.valid and len(detection.types) == 1 and spans >= ENOUGH_SPANS
    return States(()).split(labels) if choice == BILOU or is_chosen else States(labels)
