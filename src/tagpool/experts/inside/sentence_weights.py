"""What each weight of a model says of one sentence: the features of its tokens by name, its transitions, its trigrams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.corpus.corpus import Corpus
from tagpool.experts.linear.expert import Expert

Array = NDArray[np.float64]
_START, _END = "(start)", "(end)"


@dataclass(frozen=True)
class TokenWeights:
    """The features of a token that have weights.

    ``scores`` is what each adds to the score of every label, (features, labels); ``steps`` the same of the features of the
    transition into the token, (features, labels before, labels). ``count`` is how many features it has, with weights or not.
    """

    names: list[str]
    scores: Array
    step_names: list[str]
    steps: Array
    count: int


@dataclass(frozen=True)
class Step:
    """What a transition adds beside its features: ``name`` says which labels it is between."""

    name: str
    score: float


class SentenceWeights:
    """The weights that a sentence of a document meets."""

    def __init__(self, expert: Expert, document: Corpus, sentence: int) -> None:
        self.model = model = expert._fitted()
        self.labels = list(model.labels)
        count = len(self.labels)
        try:
            features = model.encoder(1).describe(document.native, sentence)
            steps: list[list[tuple[str, float]]] = [[] for _ in features]
            if model.has_history:
                steps = model.history_encoder(1).describe(document.native, sentence)
        except _native.InputFault as fault:
            raise expert._explained(fault, document) from None
        # The first token has no label before it.
        self.tokens = [self._token(row, steps[place] if place else []) for place, row in enumerate(features)]
        edges = model.edges().astype(np.float64) if model.chain else np.zeros(count * (count + 2))
        self.edges = edges.reshape(count + 2, count)
        self.states = {(a, b): count + number for number, (a, b) in enumerate(model.states().reshape(-1, 2).tolist())}
        self.trigrams = model.trigrams().reshape(-1, count).astype(np.float64)

    def _token(self, row: list[tuple[str, float]], steps: list[tuple[str, float]]) -> TokenWeights:
        count = len(self.labels)
        values, step_values = _summed(row), _summed(steps)
        weights = self.model.weights_of(list(values)).reshape(len(values), count).astype(np.float64)
        numbers, pairs, found = self.model.history_weights_of(list(step_values))
        step_weights = np.zeros((len(step_values), count * count))
        step_weights[numbers, pairs] = found
        names, scores = _kept(values, weights)
        step_names, step_scores = _kept(step_values, step_weights)
        return TokenWeights(
            names, scores, step_names, step_scores.reshape(-1, count, count), count=len(values) + len(step_values)
        )

    def is_possible(self, labels: Sequence[int]) -> bool:
        """Whether the labels may follow each other."""
        return not self.states or all(pair in self.states for pair in pairwise(labels))

    def steps_into(self, place: int, labels: Sequence[int]) -> Iterator[Step]:
        """What the label of a token, or the end of the sentence (``place`` is its length), has from the labels before it."""
        count = len(self.labels)
        last = self.labels[labels[place - 1]] if place else _START
        here = self.labels[labels[place]] if place < len(labels) else _END
        name = f"{last} → {here}"
        if place == 0:
            yield Step(name, float(self.edges[count, labels[0]]))
        elif place == len(labels):
            yield Step(name, float(self.edges[count + 1, labels[-1]]))
        else:
            yield Step(name, float(self.edges[labels[place - 1], labels[place]]))
            if self.states:
                state = labels[0] if place == 1 else self.states[labels[place - 2], labels[place - 1]]
                first = self.labels[labels[place - 2]] if place > 1 else _START
                yield Step(f"{first} {name}", float(self.trigrams[state, labels[place]]))


def _summed(row: list[tuple[str, float]]) -> dict[str, float]:
    values: dict[str, float] = {}
    for name, value in row:  # a template may make a feature of a token twice
        values[name] = values.get(name, 0.0) + value
    return values


def _kept(values: dict[str, float], weights: Array) -> tuple[list[str], Array]:
    kept = np.flatnonzero(weights.any(axis=1))
    names = list(values)
    return [names[i] for i in kept.tolist()], weights[kept] * np.fromiter(values.values(), np.float64)[kept, None]
