"""Comparison of pooling methods and experts on gold sentences, by cross-validation."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tagpool.corpus.transitions import label_parts
from tagpool.errors import InputError
from tagpool.evaluation.breakdown import hamming
from tagpool.evaluation.scores import Score, score
from tagpool.evaluation.significance import paired_bootstrap
from tagpool.pools.votes.ballots import FloatArray, Sequences, ballots_of, check_informative
from tagpool.pools.votes.methods import METHODS
from tagpool.pools.votes.pool import VotePool
from tagpool.wording import counted


@dataclass(frozen=True)
class ComparisonRow:
    """A method or an expert: its score, the mean loss of a sentence, and its difference from the best expert with the p value."""

    name: str
    loss: float
    score: Score
    difference: float
    p_value: float | None


@dataclass(frozen=True, eq=False)
class Comparison:
    """Experts and methods; ``best`` is the expert with the highest F1 (accuracy for plain labels)."""

    experts: list[ComparisonRow]
    methods: list[ComparisonRow]
    best: str


def compare(
    predictions: Mapping[str, Sequences],
    gold: Sequence[Sequence[str]],
    *,
    methods: Sequence[str] = tuple(METHODS),
    folds: int = 5,
    draws: int = 2000,
    seed: int = 1,
    on_method: Callable[[str], object] = lambda _: None,
    **parameters: Any,
) -> Comparison:
    """Compare methods on the gold sentences by cross-validation; ``parameters`` are those of :class:`VotePool`.

    >>> gold = [["a", "b"], ["b", "a"]] * 10
    >>> experts = {"one": [["a", "a"], ["b", "b"]] * 10, "two": [["b", "b"], ["a", "a"]] * 10}
    >>> comparison = compare(experts, gold, methods=["mvote", "best"], draws=100, key="position")
    >>> [(row.name, row.score.accuracy) for row in comparison.methods]
    [('mvote', 1.0), ('best', 0.5)]
    """
    ballots = ballots_of(predictions, gold)
    check_informative(ballots)
    if not 2 <= folds <= len(gold):
        raise InputError(f"folds={folds}: expected 2 to {len(gold)}, the number of sentences")
    expert_labels = {name: _fill(labels, gold) for name, labels in predictions.items()}
    scores = {name: score(gold, labels, draws=draws, seed=seed) for name, labels in expert_labels.items()}
    best = max(scores, key=lambda name: (scores[name].f1, scores[name].accuracy))

    def row(name: str, labels: list[list[str]], *, is_expert: bool) -> ComparisonRow:
        result = scores[name] if is_expert else score(gold, labels, draws=draws, seed=seed)
        p_value = None if is_expert else paired_bootstrap(gold, expert_labels[best], labels, draws=draws, seed=seed).p_value
        return ComparisonRow(name, hamming(gold, labels).by_sentence, result, result.f1 - scores[best].f1, p_value)

    experts = [row(name, labels, is_expert=True) for name, labels in expert_labels.items()]
    rows = []
    for method in methods:
        on_method(f"{method}: {counted(folds, 'fit')}")
        pool = VotePool(method, **{"unknown": "allow", **parameters})
        rows.append(row(method, _cross_val_labels(pool, predictions, gold, folds, seed), is_expert=False))
    return Comparison(experts, rows, best)


def accuracy_by_type(predictions: Mapping[str, Sequences], gold: Sequence[Sequence[str]]) -> tuple[list[str], FloatArray]:
    """Return the types of gold labels, and the accuracy of each expert on them, [experts][types]; NaN without votes.

    >>> accuracy_by_type({"one": [["B-X", "O"]]}, [["B-X", "I-X"]])
    (['X'], array([[0.5]]))
    """
    ballots = ballots_of(predictions, gold)
    label_types = [label_parts(label).type or label for label in ballots.labels]
    types = list(dict.fromkeys(label_types[number] for number in np.unique(ballots.gold[ballots.gold >= 0]).tolist()))
    number_of = np.array([types.index(name) if name in types else -1 for name in label_types])
    token_types = np.where(ballots.gold >= 0, number_of[ballots.gold], -1)
    rates = np.full((len(ballots.experts), len(types)), np.nan)
    for column in range(len(types)):
        tokens = token_types == column
        for expert in range(len(ballots.experts)):
            votes = ballots.votes[tokens, expert]
            if (votes >= 0).any():
                rates[expert, column] = (votes == ballots.gold[tokens])[votes >= 0].mean()
    return types, rates


def _cross_val_labels(
    pool: VotePool, predictions: Mapping[str, Sequences], gold: Sequence[Any], folds: int, seed: int
) -> list[list[str]]:
    """Return the labels of every sentence from a pool that was fitted without it."""
    order = list(range(len(gold)))
    random.Random(seed).shuffle(order)
    pooled: list[list[str]] = [[] for _ in gold]
    for fold in range(folds):
        test = sorted(order[fold::folds])
        train = sorted(set(order) - set(test))
        pool.fit({name: [rows[n] for n in train] for name, rows in predictions.items()}, [gold[n] for n in train])
        labels = pool.predict({name: [rows[n] for n in test] for name, rows in predictions.items()})
        for number, row in zip(test, labels, strict=True):
            pooled[number] = row
    return pooled


def _fill(labels: Sequences, gold: Sequence[Sequence[str]]) -> list[list[str]]:
    """Replace abstentions by the label ``?``, which is never correct."""
    return [
        ["?" if label is None else label for label in (row if row is not None else [None] * len(gold_row))]
        for row, gold_row in zip(labels, gold, strict=True)
    ]
