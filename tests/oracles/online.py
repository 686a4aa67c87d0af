"""The online learner of dynamic feature induction, slow and dense: Algorithm 1 of Choi 2016 with regularised dual averaging.

Every feature that could ever be has a row in one large matrix: single features, then those with previous labels, then the slots
of F. All weights are computed anew for every batch. Sums are taken in single precision and in the order of the features, so that
decisions are the same as the learner's even where scores are nearly equal.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from oracles.training import MASK, random_numbers, shuffled

F32 = np.float32
Row = list[tuple[int, float]]


@dataclass
class OnlineProblem:
    rows: list[list[Row]]  # sentence, token, (feature, value)
    gold: list[list[int]]  # -1: unknown
    features: int
    labels: int
    keys: list[int]
    label_keys: list[int]  # the last one is that of no label
    history: list[list[list[int]]] = field(default_factory=list)  # sentence, token, features to be combined with previous labels
    history_keys: list[int] = field(default_factory=list)
    history_templates: list[int] = field(default_factory=list)
    backs: list[list[int]] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)  # of sentences


@dataclass
class Settings:
    step: float = 0.02
    rho: float = 1e-5
    l1: float = 1e-3
    dual_averaging: bool = True
    strongest: int = 3
    slots: int = 64
    batch: int = 2
    gold_share: float = 0.7
    dropout: float = 0.0
    average_from: int = 0
    seed: int = 1


class DenseLearner:
    """The learner; ``c``, ``g`` and ``sums`` are (all features, labels)."""

    def __init__(self, problem: OnlineProblem, settings: Settings) -> None:
        self.problem, self.settings = problem, settings
        self.combinations = {
            (feature, labels): problem.features + number
            for number, (feature, labels) in enumerate(
                (feature, labels)
                for feature, template in enumerate(problem.history_templates)
                for labels in itertools.product(range(problem.labels + 1), repeat=len(problem.backs[template]))
            )
        }
        self.first_slot = problem.features + len(self.combinations)
        shape = (self.first_slot + settings.slots, problem.labels)
        self.c, self.g, self.sums = (np.zeros(shape, F32) for _ in range(3))
        self.F: set[int] = set()
        self.joined: set[int] = set()
        self.t = self.epochs = self.summed = 0
        self.rows = [[list(_merged(row).items()) for row in sentence] for sentence in problem.rows]
        self.shown, self.shown_history = self.rows, problem.history
        self.numbers: Iterator[int] = random_numbers(settings.seed)
        valued = {k for sentence in problem.rows for row in sentence for k, value in row if value != 1}
        self.can_join = [k not in valued for k in range(problem.features)] + [True] * len(self.combinations)
        self.hashes = [_hash(key) for key in problem.keys]
        for feature, labels in self.combinations:
            key = problem.history_keys[feature]
            for label in labels:
                key = _combine(key, problem.label_keys[label])
            self.hashes.append(_hash(key))

    def weights(self) -> NDArray[np.float32]:
        if not self.settings.dual_averaging:
            return self.c
        threshold = F32(self.settings.l1 * self.t)
        steps = F32(self.settings.step) / (F32(self.settings.rho) + np.sqrt(self.g))
        shrunk: NDArray[np.float32] = steps * np.sign(self.c) * np.maximum(np.abs(self.c) - threshold, F32(0))
        return np.where(self.g > 0, shrunk, F32(0))

    def learned(self) -> NDArray[np.float32]:
        weights = self.sums / F32(self.summed) if self.summed else self.weights().copy()
        weights[self.first_slot :] *= F32(1 - self.settings.dropout)
        return weights

    def slot(self, a: int, b: int) -> int:
        return (self.hashes[a] ^ self.hashes[b]) * self.settings.slots >> 32

    def active(self, sentence: int, t: int, given: list[int]) -> tuple[list[tuple[int, float]], list[int]]:
        """Rows and values of a token in the order of summation, and the rows that conjunctions may use."""
        single = self.shown[sentence][t]
        static = [k for k, _ in single if k in self.joined]
        pairs = [self.slot(a, b) for a, b in itertools.combinations(static, 2)]
        result = single + [(self.first_slot + slot, 1.0) for slot in pairs if slot in self.F]
        labelled = []
        for feature in self.shown_history[sentence][t] if self.problem.history else []:
            backs = self.problem.backs[self.problem.history_templates[feature]]
            before = tuple(given[t - back] if back <= t else self.problem.labels for back in backs)
            labelled.append(self.combinations[feature, before])
        result += [(k, 1.0) for k in labelled]
        here = [k for k in labelled if k in self.joined]
        for i, a in enumerate(here):
            slots = [self.slot(a, b) for b in [*static, *here[i + 1 :]]]
            result += [(self.first_slot + slot, 1.0) for slot in slots if slot in self.F]
        return result, [k for k, _ in single if self.can_join[k]] + labelled

    def choose_features(self) -> None:
        """Leave out features of this epoch."""

        def kept(rows: list[list[list[Any]]], part: int) -> list[list[list[Any]]]:
            numbers = random_numbers(_combine(_combine(self.settings.seed, self.epochs), part))
            return [
                [[item for item in row if (next(numbers) >> 11) * 2.0**-53 >= self.settings.dropout] for row in sentence]
                for sentence in rows
            ]

        self.shown, self.shown_history = kept(self.rows, 0), kept(self.problem.history, 1)

    def epoch(self) -> float:
        settings, problem = self.settings, self.problem
        if settings.dropout:
            self.choose_features()
        order = shuffled(len(problem.rows), self.numbers)
        share = settings.gold_share**self.epochs
        loss = 0.0
        for begin in range(0, len(order), settings.batch):
            weights = self.weights()
            gradients: list[NDArray[np.float32]] = []
            pairs: list[tuple[int, int]] = []
            count = 0
            for sentence in order[begin : begin + settings.batch]:
                example = problem.weights[sentence] if problem.weights else 1.0
                supplied: list[int] = []
                for t, gold in enumerate(problem.gold[sentence]):
                    active, joinable = self.active(sentence, t, supplied)
                    scores = self.scores(weights, active)
                    supplied.append(int(np.argmax(scores)))
                    if gold < 0:
                        continue
                    count += 1
                    of_gold = scores[gold]
                    scores[gold] -= F32(1)
                    wrong = int(np.argmax(scores))
                    loss += example * max(0.0, float(scores[wrong]) + 1 - float(of_gold))
                    if wrong != gold:
                        gradient = np.zeros_like(self.c)
                        for k, value in active:
                            gradient[k, gold] += F32(value)
                            gradient[k, wrong] -= F32(value)
                        gradients.append(F32(example) * gradient)
                        pairs += self.induced(weights, joinable, gold, wrong)
                    if (next(self.numbers) >> 11) * 2.0**-53 < share:
                        supplied[-1] = gold
            self.update(gradients, pairs)
            self.t += count
        self.epochs += 1
        if self.epochs > settings.average_from:
            self.sums += self.weights()
            self.summed += 1
        return loss

    def scores(self, weights: NDArray[np.float32], active: list[tuple[int, float]]) -> NDArray[np.float32]:
        result = np.zeros(self.problem.labels, F32)
        for k, value in active:
            result += F32(value) * weights[k]
        return result

    def induced(self, weights: NDArray[np.float32], joinable: list[int], gold: int, wrong: int) -> list[tuple[int, int]]:
        if not self.settings.strongest:
            return []
        leads = [(float(weights[k, gold] - weights[k, wrong]), k) for k in joinable]
        strong = sorted((lead for lead in leads if lead[0] > 0), key=lambda lead: -lead[0])[: self.settings.strongest]
        return [(strong[0][1], k) for _, k in strong[1:]]

    def update(self, gradients: list[NDArray[np.float32]], pairs: list[tuple[int, int]]) -> None:
        for gradient in gradients:
            self.g += gradient * gradient
            if self.settings.dual_averaging:
                self.c += gradient
            else:
                steps = F32(self.settings.step) / (F32(self.settings.rho) + np.sqrt(self.g))
                self.c += np.where(gradient != 0, steps * gradient, F32(0))
        for a, b in pairs:
            self.joined |= {a, b}
            self.F.add(self.slot(a, b))

    # Tagging ----------------------------------------------------------------------------------------------

    def local(self, sentence: int, t: int, given: list[int]) -> NDArray[np.float64]:
        self.shown, self.shown_history = self.rows, self.problem.history
        active, _ = self.active(sentence, t, given)
        weights = self.learned().astype(np.float64)
        return sum((value * weights[k] for k, value in active), np.zeros(self.problem.labels))


def _merged(row: Row) -> dict[int, float]:
    merged: dict[int, float] = {}
    for k, value in row:
        merged[k] = merged.get(k, 0.0) + value
    return merged


def _hash(key: int) -> int:
    upper = key >> 32
    return upper or 1


def _combine(a: int, b: int) -> int:
    product = (a ^ 0x9E3779B97F4A7C15) * ((b ^ 0xD6E8FEB86659FD93) | 1)
    folded = (product & MASK) ^ (product >> 64)
    return folded ^ (b * 0xC2B2AE3D27D4EB4F & MASK)
