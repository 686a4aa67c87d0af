"""Comparison: every method on the same gold sentences by cross-validation, beside the experts; and who is right where."""

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
from tagpool.pools.votes.ballots import FloatArray, Sequences, ballots_of, demand_votes
from tagpool.pools.votes.methods import METHODS
from tagpool.pools.votes.pool import VotePool


@dataclass(frozen=True)
class Compared:
    """A method or an expert: its score, the mean loss of a sentence, and the p value of its difference from the best expert."""

    name: str
    loss: float
    score: Score
    difference: float
    p_value: float | None


@dataclass(frozen=True, eq=False)
class Comparison:
    """Experts and methods; ``best`` is the expert with the highest F1 (accuracy for plain labels)."""

    experts: list[Compared]
    methods: list[Compared]
    best: str


def compare(
    predictions: Mapping[str, Sequences],
    gold: Sequence[Sequence[str]],
    *,
    methods: Sequence[str] = METHODS,
    folds: int = 5,
    draws: int = 2000,
    seed: int = 1,
    say: Callable[[str], object] = lambda _: None,
    **parameters: Any,
) -> Comparison:
    """Compares methods, each fitted on all parts of the gold sentences but the one it labels; ``parameters`` are the pool's.

    >>> gold = [["a", "b"], ["b", "a"]] * 10
    >>> experts = {"one": [["a", "a"], ["b", "b"]] * 10, "two": [["b", "b"], ["a", "a"]] * 10}
    >>> found = compare(experts, gold, methods=["mvote", "best"], draws=100)
    >>> [(each.name, each.score.accuracy) for each in found.methods]
    [('mvote', 1.0), ('best', 0.5)]
    """
    ballots = ballots_of(predictions, gold)
    demand_votes(ballots)
    if not 2 <= folds <= len(gold):
        raise InputError(f"folds={folds}: expected 2 to {len(gold)}, the number of sentences")
    spoken = {name: _filled(each, gold) for name, each in predictions.items()}
    scores = {name: score(gold, labels, draws=draws, seed=seed) for name, labels in spoken.items()}
    best = max(scores, key=lambda name: (scores[name].f1, scores[name].accuracy))

    def row(name: str, labels: list[list[str]], alone: bool) -> Compared:
        found = scores[name] if alone else score(gold, labels, draws=draws, seed=seed)
        p_value = None if alone else paired_bootstrap(gold, spoken[best], labels, draws=draws, seed=seed).p_value
        return Compared(name, hamming(gold, labels).by_sentence, found, found.f1 - scores[best].f1, p_value)

    experts = [row(name, labels, True) for name, labels in spoken.items()]
    rows = []
    for method in methods:
        say(f"{method}: {folds} fits")
        rows.append(row(method, _out_of_fold(predictions, gold, folds, seed, method, parameters), False))
    return Comparison(experts, rows, best)


def right_where(predictions: Mapping[str, Sequences], gold: Sequence[Sequence[str]]) -> tuple[list[str], FloatArray]:
    """How often each expert is right, by type of gold label: the types, and rates as (experts, types); NaN where it never votes.

    >>> right_where({"one": [["B-X", "O"]]}, [["B-X", "I-X"]])
    (['X'], array([[0.5]]))
    """
    ballots = ballots_of(predictions, gold)
    kinds = [label_parts(label).type or label for label in ballots.labels]
    types = list(dict.fromkeys(kinds[number] for number in np.unique(ballots.gold[ballots.gold >= 0]).tolist()))
    place = np.array([types.index(kind) if kind in types else -1 for kind in kinds])
    kind_of = np.where(ballots.gold >= 0, place[ballots.gold], -1)
    rates = np.full((len(ballots.experts), len(types)), np.nan)
    for column in range(len(types)):
        here = kind_of == column
        for expert in range(len(ballots.experts)):
            votes = ballots.votes[here, expert]
            if (votes >= 0).any():
                rates[expert, column] = (votes == ballots.gold[here])[votes >= 0].mean()
    return types, rates


def _out_of_fold(
    predictions: Mapping[str, Sequences], gold: Sequence[Any], folds: int, seed: int, method: str, parameters: dict[str, Any]
) -> list[list[str]]:
    order = list(range(len(gold)))
    random.Random(seed).shuffle(order)
    found: list[list[str]] = [[] for _ in gold]
    for fold in range(folds):
        tried = sorted(order[fold::folds])
        rest = sorted(set(order) - set(tried))
        pool = VotePool(method, **{"unknown": "allow", **parameters})
        pool.fit({name: [each[n] for n in rest] for name, each in predictions.items()}, [gold[n] for n in rest])
        labels = pool.predict({name: [each[n] for n in tried] for name, each in predictions.items()})
        for number, each in zip(tried, labels, strict=True):
            found[number] = each
    return found


def _filled(labels: Sequences, gold: Sequence[Sequence[str]]) -> list[list[str]]:
    """An expert's labels alone; where it abstains, the label ``?``, which is never right."""
    return [
        ["?" if label is None else label for label in (each if each is not None else [None] * len(right))]
        for each, right in zip(labels, gold, strict=True)
    ]
