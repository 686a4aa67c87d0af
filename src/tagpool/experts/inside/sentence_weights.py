"""Weights of a model for one sentence: the features of its tokens by name, and its transitions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError
from tagpool.experts.linear.expert import Expert
from tagpool.experts.linear.lattices import demand_lattice, edge_scores
from tagpool.experts.memory_limit import demand_memory
from tagpool.experts.tagger import Tagger
from tagpool.wording import counted

Array = NDArray[np.float64]
Features = list[tuple[str, float]]
"""Names and values of the features of a token."""


@dataclass(frozen=True)
class TokenWeights:
    """The features of a token that have weights.

    ``scores`` [features][labels] are the weights times the values. ``steps`` [features][labels before][labels] are those of the
    features of the transition into the token. ``count`` includes features without weights.
    """

    names: list[str]
    scores: Array
    step_names: list[str]
    steps: Array
    count: int


class SentenceWeights:
    """The weights of all features and transitions of a sentence of a document."""

    def __init__(self, tagger: Expert, document: Corpus, sentence: int) -> None:
        self.model = model = tagger._fitted()
        self.labels = list(model.labels)
        features, steps = describe_features(tagger, document, sentence)
        count = len(self.labels)
        cells = count * sum(map(len, features)) + count * count * sum(map(len, steps))
        demand_memory(
            tagger, 2 * 8 * cells, f"the weights of the sentence for {counted(count, 'label')}", "explain a shorter sentence"
        )
        demand_lattice(tagger)
        # The first token has no transition into it.
        self.tokens = [token_weights(model, row, steps[place] if place else []) for place, row in enumerate(features)]
        self.edges = edge_scores(model)

    def step_into(self, place: int, labels: Sequence[int]) -> tuple[str, float]:
        """The labels and the weight of the transition into a token, or into the end if ``place`` is the sentence length."""
        if place == 0:
            return f"(start) → {self.labels[labels[0]]}", float(self.edges[-2, labels[0]])
        before = labels[place - 1]
        if place == len(labels):
            return f"{self.labels[before]} → (end)", float(self.edges[-1, before])
        return f"{self.labels[before]} → {self.labels[labels[place]]}", float(self.edges[before, labels[place]])


def token_weights(model: Any, row: Features, steps: Features) -> TokenWeights:
    """The weights of a native model for the features of a token, and for those of the transition into it."""
    count = len(model.labels)
    values, step_values = summed_values(row), summed_values(steps)
    weights = model.weights_of(list(values)).reshape(len(values), count).astype(np.float64)
    numbers, bigrams, bigram_weights = model.history_weights_of(list(step_values))
    step_weights = np.zeros((len(step_values), count * count))
    step_weights[numbers, bigrams] = bigram_weights
    names, scores = _with_weights(values, weights)
    step_names, step_scores = _with_weights(step_values, step_weights)
    return TokenWeights(names, scores, step_names, step_scores.reshape(-1, count, count), count=len(values) + len(step_values))


def describe_features(tagger: Tagger, document: Corpus, sentence: int) -> tuple[list[Features], list[Features]]:
    """The features of each token of a sentence, and those that are combined with previous labels."""
    model = tagger._fitted()
    if model.given:
        raise InputError("the model was trained on given features; only features of templates can be explained")
    try:
        features = model.encoder(1).describe(document.native, sentence)
        history = model.history_encoder(1).describe(document.native, sentence) if model.has_history else [[] for _ in features]
    except _native.InputFault as fault:
        raise tagger._explained(fault, document) from None
    return features, history


def summed_values(row: Features) -> dict[str, float]:
    """The values of features by name; the values of a feature that occurs twice are added."""
    values: dict[str, float] = {}
    for name, value in row:
        values[name] = values.get(name, 0.0) + value
    return values


def _with_weights(values: dict[str, float], weights: Array) -> tuple[list[str], Array]:
    """The features that have a weight, with weights times values."""
    rows = np.flatnonzero(weights.any(axis=1))
    names = list(values)
    return [names[i] for i in rows.tolist()], weights[rows] * np.fromiter(values.values(), np.float64)[rows, None]
